package script

import (
	"errors"
	"slices"
	"strings"
)

// blockHead returns the head of a block at the beginning of a line, such as "all:" or "0,
// 2-3:"; empty if the line has none.
func blockHead(line string) string {
	line = strings.TrimLeft(line, " \t")
	i := strings.IndexByte(line, ':')
	if i < 1 {
		return ""
	}
	who := strings.TrimRight(line[:i], " \t")
	if who == "all" || '0' <= line[0] && line[0] <= '9' && strings.Trim(who, "0123456789, -") == "" {
		return line[:i+1]
	}
	return ""
}

// addedText returns the text of a crowded listing's script and its lines, with those between
// them that were added. It fails if the text cannot be kept line by line.
func (l *listing) addedText() (*sourceText, []newLine, error) {
	src := &sourceText{script: l.s, lines: strings.Split(l.s.source, "\n"), heads: map[int]*Block{}}
	if own, err := Parse(l.s.source); err != nil || own.String() != l.s.String() {
		return nil, nil, errors.New("the script is not as it was read")
	}
	if strings.HasSuffix(src.lines[0], "\r") {
		src.end = "\r"
	}
	runs := map[int][]int{}  // the ranks that run a line
	block := map[int]int{}   // the line that names the ranks of a line's block
	named := map[int][]int{} // the ranks of a block, by that line
	for i := range l.s.Blocks {
		b := &l.s.Blocks[i]
		src.heads[b.Line] = b
		named[b.Line] = append(named[b.Line], b.Ranks...)
		for _, c := range b.Stmts {
			runs[c.Line], block[c.Line] = append(runs[c.Line], b.Ranks...), b.Line
		}
	}
	added := 0
	var all []newLine
	for i, text := range src.lines {
		no := i + 1
		all = append(all, newLine{text: text, from: no, stmt: no, ranks: runs[no]})
		ends := l.ends(no)
		if len(ends) == 0 {
			continue
		}
		first := ends[0]
		for first > 0 && l.items[first-1].line == 0 {
			first--
		}
		ranks := slices.Compact(slices.Sorted(slices.Values(named[block[no]])))
		own := ranks
		before := text[:indent(text)]
		if l.s.repeatsInLine(no) {
			before += "  "
		}
		put := func(text string) { all = append(all, newLine{text: before + text + src.end}) }
		for _, x := range l.items[first:ends[0]] {
			if !slices.Equal(x.ranks, ranks) {
				ranks = x.ranks
				put((&Block{Ranks: ranks, All: len(ranks) == l.s.Ranks && len(ranks) > 1}).who() + ":")
			}
			put(x.stmt.String())
			added += len(ends)
		}
		if again := len(ends) > 1; !slices.Equal(own, ranks) && (again || blockHead(src.after(no)) == "") {
			head := blockHead(src.lines[block[no]-1])
			if head == "" {
				return nil, nil, errors.New("the ranks of a block stand within a line")
			}
			put(head)
		}
	}
	for _, x := range l.items {
		if x.line == 0 {
			added--
		}
	}
	if added != 0 {
		return nil, nil, errors.New("something is added before the first line")
	}
	return src, all, nil
}

// after returns the first line behind a line that is not empty.
func (s *sourceText) after(no int) string {
	for _, text := range s.lines[no:] {
		if strings.TrimSpace(uncomment(text)) != "" {
			return text
		}
	}
	return ""
}
