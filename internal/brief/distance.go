package brief

import (
	"fmt"
	"strings"
)

// Distance returns how many bytes must be inserted, removed or replaced to change a into b:
// for errors that suggest what was meant.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Meant returns a question to add to an error about an unknown name, such as `; did you mean
// "ior"?`. It is empty if no name is similar.
func Meant(name string, names []string) string {
	const longest = 100 // longer than all names
	best, least := "", max(2, len(name)/2)+1
	if len(name) <= longest {
		for _, n := range names {
			if d := Distance(strings.ToLower(name), strings.ToLower(n)); d < least {
				best, least = n, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
