// Package plain puts numbers and lists into words, and text into lines, for reports that
// people read.
//
// Start here: [Count], [Ranks] and [Span] put numbers into words, [Lines] cuts text into lines
// and [Fold] sentences.
package plain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Count returns a number of things, such as "1 byte" or "2 bytes".
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Ranks names ranks in few words, such as "ranks 0 to 3 and 7".
func Ranks(ranks []int) string {
	const most = 8
	words := []string{}
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		if len(words) == most {
			words = append(words, fmt.Sprintf("%d more", len(ranks)-i))
			break
		}
		switch j - i {
		case 0:
			words = append(words, fmt.Sprint(ranks[i]))
		case 1:
			words = append(words, fmt.Sprint(ranks[i]), fmt.Sprint(ranks[j]))
		default:
			words = append(words, fmt.Sprintf("%d to %d", ranks[i], ranks[j]))
		}
		i = j + 1
	}
	name := "rank "
	if len(ranks) > 1 {
		name = "ranks "
	}
	if n := len(words); n > 1 {
		return name + strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return name + words[0]
}

// Shorten cuts the middle out of a long expression.
func Shorten(s string) string {
	const longest = 48
	if len(s) <= longest {
		return s
	}
	return s[:longest-12] + "..." + s[len(s)-9:]
}

// Lines breaks a text into lines of room characters at most, unless a word is longer.
func Lines(text string, room int) (lines []string) {
	for text != "" {
		part := text
		if len(text) > room {
			cut := strings.LastIndexByte(text[:room+1], ' ')
			if cut <= 0 {
				cut = room
			}
			part = text[:cut]
		}
		text = strings.TrimLeft(text[len(part):], " ")
		lines = append(lines, part)
	}
	return lines
}

// Fold breaks a text between words into lines of at most width bytes, unless a word is
// longer. It has one space between the words of a line.
func Fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Pointer returns the part of an expression around a column, counted in bytes from 1,
// with a mark below it.
func Pointer(expr string, column int) string {
	const short, before, behind = 76, 40, 30
	at := min(max(column-1, 0), len(expr))
	from, to := 0, len(expr)
	if len(expr) > short {
		from, to = max(0, at-before), min(len(expr), at+behind)
	}
	left, right := expr[from:at], expr[at:to]
	if from > 0 {
		left = "..." + left
	}
	if to < len(expr) {
		right += "..."
	}
	flat := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	left = strings.ToValidUTF8(flat.Replace(left), "?")
	right = strings.ToValidUTF8(flat.Replace(right), "?")
	return fmt.Sprintf("  %s%s\n  %*s^\n", left, right, utf8.RuneCountInString(left), "")
}

// Comma returns ", text", or nothing for no text.
func Comma(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// Span names bytes from lo up to, not including, hi by the first and the last.
func Span(lo, hi int64) string {
	if hi-lo == 1 {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d-%d", lo, hi-1)
}

// Useful returns the share of the moved bytes that ranks asked for, with the sign percent. If
// ranks ask for the same bytes, which move once, it is the number of ranks for each byte.
func Useful(share float64, percent string) string {
	if share > 1 {
		return fmt.Sprintf("%.3g ranks", share)
	}
	return fmt.Sprintf("%.1f%s", 100*share, percent)
}
