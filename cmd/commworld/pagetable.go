package main

import "strings"

// cellsOf returns the cells of a row of a Markdown table; \| is part of a cell.
func cellsOf(row string) (all []string) {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	for cell := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, "\x00"), "|") {
		all = append(all, strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|"))
	}
	return all
}

// drawnTable draws a Markdown table for lines of width columns: its cells are folded, a line of dashes is
// below the head. Where the columns do not fit side by side, each row is a list.
func drawnTable(rows []string, width int) string {
	const gap = 2
	var all [][]string
	var wide []int
	for i, r := range rows {
		row := cellsOf(r)
		if i == 1 && strings.Trim(r, "|-: ") == "" {
			continue // the line below the head
		}
		for k, cell := range row {
			if k == len(wide) {
				wide = append(wide, 1)
			}
			wide[k] = max(wide[k], cells(cell))
		}
		all = append(all, row)
	}
	if !narrowed(wide, width-gap*(len(wide)-1)) {
		return listedRows(all)
	}
	var b strings.Builder
	for i, row := range all {
		drawRow(&b, row, wide, gap)
		if i == 0 {
			var rule []string
			for _, w := range wide {
				rule = append(rule, strings.Repeat("-", w))
			}
			b.WriteString(strings.Join(rule, strings.Repeat(" ", gap)) + "\n")
		}
	}
	return b.String()
}

// narrowed makes the widest columns narrower until all take at most most together, and reports whether
// they can.
func narrowed(wide []int, most int) bool {
	const least = 8
	for {
		sum, widest := 0, 0
		for k, w := range wide {
			sum += w
			if w > wide[widest] {
				widest = k
			}
		}
		if sum <= most {
			return true
		}
		if wide[widest] <= least {
			return false
		}
		wide[widest]--
	}
}

// drawRow writes a row, on several lines if a cell is folded.
func drawRow(b *strings.Builder, row []string, wide []int, gap int) {
	var parts [][]string
	lines := 1
	for k, w := range wide {
		cell := ""
		if k < len(row) {
			cell = row[k]
		}
		folded := foldedCell(cell, w)
		parts = append(parts, folded)
		lines = max(lines, len(folded))
	}
	for i := range lines {
		var line strings.Builder
		for k, w := range wide {
			cell := ""
			if i < len(parts[k]) {
				cell = parts[k][i]
			}
			line.WriteString(pad(cell, w+gap))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// foldedCell returns a cell as lines of at most w columns; a word that is wider is cut.
func foldedCell(cell string, w int) (lines []string) {
	for line := range strings.SplitSeq(fold(cell, w), "\n") {
		for line = strings.TrimSpace(line); cells(line) > w; {
			n := 0
			for n < len([]rune(line)) && cells(string([]rune(line)[:n+1])) <= w {
				n++
			}
			n = max(n, 1)
			lines, line = append(lines, string([]rune(line)[:n])), string([]rune(line)[n:])
		}
		lines = append(lines, line)
	}
	return lines
}

// listedRows returns rows as lists: the first cell, and below it the others with the names of their columns.
func listedRows(all [][]string) string {
	var b strings.Builder
	for _, row := range all[1:] {
		for k, cell := range row {
			switch {
			case k == 0:
				b.WriteString(cell + "\n")
			case k < len(all[0]) && all[0][k] != "":
				b.WriteString("  " + all[0][k] + ": " + cell + "\n")
			default:
				b.WriteString("  " + cell + "\n")
			}
		}
	}
	return b.String()
}
