package exercise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Patch applies a unified diff without file names to a text. A hunk applies at the place
// nearest to its line number, or to the hunk before it if it has no number, that has its old
// lines, behind the hunk before it.
func Patch(text, diff string) (string, error) {
	old := strings.SplitAfter(text, "\n")
	var out strings.Builder
	done := 0 // lines of old that are in out
	hunks := strings.Split("\n"+diff, "\n@@")
	if strings.TrimSpace(hunks[0]) != "" || len(hunks) == 1 {
		return "", fmt.Errorf("no hunks in %q", diff)
	}
	for _, hunk := range hunks[1:] {
		head, body, _ := strings.Cut(strings.TrimSuffix(hunk, "\n")+"\n", "\n")
		line := done + 1
		if head = strings.TrimSpace(head); head != "" {
			first, _, _ := strings.Cut(strings.TrimPrefix(head, "-"), " ")
			first, _, _ = strings.Cut(first, ",")
			var err error
			if line, err = strconv.Atoi(first); err != nil {
				return "", fmt.Errorf("@@ %s: no line number", head)
			}
		}
		var before, after []string
		for l := range strings.Lines(body) {
			switch l[0] {
			case '\n': // a blank line whose space an editor has removed
				before, after = append(before, l), append(after, l)
			case ' ':
				before, after = append(before, l[1:]), append(after, l[1:])
			case '-':
				before = append(before, l[1:])
			case '+':
				after = append(after, l[1:])
			default:
				return "", fmt.Errorf("@@ %s: line %q begins with none of space, - and +", head, l)
			}
		}
		at := nearest(old[done:], before, line-1-done)
		if at < 0 {
			return "", fmt.Errorf("@@ %s: the solution does not have these lines:\n%s", head, strings.Join(before, ""))
		}
		out.WriteString(strings.Join(old[done:done+at], "") + strings.Join(after, ""))
		done += at + len(before)
	}
	out.WriteString(strings.Join(old[done:], ""))
	return out.String(), nil
}

// nearest returns the index in lines of the block that is nearest to line want, -1 if there
// is none.
func nearest(lines, block []string, want int) int {
	best := -1
	for i := 0; i+len(block) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(block)], block) && (best < 0 || abs(i-want) < abs(best-want)) {
			best = i
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
