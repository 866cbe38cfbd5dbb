package script

import (
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
)

// factsOf returns what the text shows of the call of a line: whether it is made several times and by
// all ranks, and whether it updates what the rank has just read.
func (s *Script) factsOf(line int) (k consistency.Known) {
	times := make([]int, s.Ranks) // by rank
	calls, updates := 0, 0
	last := make([]*Stmt, s.Ranks) // access of a file, by rank
	var all []int                  // ranks that open a file
	for i := range s.Blocks {
		b := &s.Blocks[i]
		for _, c := range b.Stmts {
			if c.Routine == "open" {
				all = append(all, b.Ranks...)
			}
			if c.Handle == "" || c.Data == nil && c.Want == nil {
				continue
			}
			for _, r := range b.Ranks {
				if c.Line == line {
					times[r]++
					calls++
					if c.updates(last[r]) {
						updates++
					}
				}
				last[r] = c
			}
		}
	}
	k.Repeated, k.Updates = calls > 1, calls > 0 && updates == calls
	k.ByAll = calls > 0 && !slices.ContainsFunc(all, func(r int) bool { return times[r] != slices.Max(times) })
	return k
}

// updates reports whether s writes the bytes that its rank has read right before.
func (s *Stmt) updates(last *Stmt) bool {
	return last != nil && last.Want != nil && s.Data != nil && last.Handle == s.Handle &&
		strings.Contains(s.Routine, "_at") && strings.Contains(last.Routine, "_at") && last.Offset == s.Offset &&
		last.Want.Type.Size(host)*last.Want.Count == s.Data.Type.Size(host)*s.Data.Count()
}
