package script

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
)

// An addition is a part of a fix: lines to add behind a line of the script.
type addition struct {
	after      int
	who, lines string
	last       bool // after the lines already added there; else directly after the line
}

var additionText = regexp.MustCompile(`^(?:for the other order, line \d+ before line \d+: )?(after|before) line (\d+)(?:, indented (?:as it is|further),)?( and the lines added there)? add, on (all ranks|ranks? [0-9, -]+): (.*?)(?: \(.*\))?$`)

// additionsOf reads a fix as its reader does; nil if it says something else.
func additionsOf(fix string) (all []addition) {
	for part := range strings.SplitSeq(fix, "; and ") {
		m := additionText.FindStringSubmatch(part)
		if m == nil {
			return nil
		}
		n, _ := strconv.Atoi(m[2])
		if m[1] == "before" {
			n--
		}
		who := "all"
		if m[4] != "all ranks" {
			_, who, _ = strings.Cut(m[4], " ")
		}
		all = append(all, addition{n, who, m[5], m[1] == "before" || m[3] != ""})
	}
	return all
}

// obeyed returns a script with additions, each behind its line and indented as it.
func obeyed(text string, all []addition) string {
	head := regexp.MustCompile(`^ *(all|[0-9][0-9,-]*):`)
	var out []string
	who := "all"
	for i, line := range strings.Split(text, "\n") {
		out = append(out, line)
		if m := head.FindStringSubmatch(line); m != nil {
			who = m[1]
		}
		blanks := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if strings.HasPrefix(strings.TrimSpace(line), "repeat") {
			blanks += " "
		}
		var here []addition
		for _, a := range all {
			switch {
			case a.after != i+1:
			case a.last:
				here = append(here, a)
			default:
				here = slices.Insert(here, 0, a)
			}
		}
		for _, a := range here {
			out = append(out, blanks+a.who+":")
			for s := range strings.SplitSeq(a.lines, "; ") {
				out = append(out, blanks+s)
			}
			out = append(out, blanks+who+":")
		}
	}
	return strings.Join(out, "\n")
}

// Reports of scripts with r, n and repeat, the shortest way to write a script, must have
// fixes that work as they are printed.
func TestFixesOfComputedLines(t *testing.T) {
	const open = "all:\n  open h f rdwr|create\n"
	for name, c := range map[string]struct {
		text  string
		fixed bool
	}{
		"neighbours":              {"ranks 3\n" + open + "  write_at h r*4 int {r}\n  read_at h (r+1)%n*4 int*1 -> x\n  close h\n", true},
		"barrier alone":           {"ranks 3\n" + open + "  write_shared h int {r+1}\n  barrier\n  seek_shared h 0 set\n  read_shared h int*1 -> x\n  close h\n", true},
		"repeated, one direction": {"ranks 2\n" + open + "0:\n  repeat 2:\n    write_at h 0 int n\nall:\n  barrier\n1:\n  read_at h 0 int*1 -> x\nall:\n  close h\n", true},
		"repeated exchange":       {"ranks 2\n" + open + "  repeat 3:\n    write_at h r*4 int {r}\n    barrier\n    read_at h (1-r)*4 int*1 -> x\n  close h\n", true},
		"one writer, repeated":    {"ranks 3\n" + open + "repeat 2:\n  0:\n    write_at h 0 int 1\n  1-2:\n    read_at h 0 int*1 -> x\nall:\n  close h\n", true},
		"repeated in the line":    {"ranks 2\n" + open + "0:\n  repeat 2: write_at h 0 int n\n1:\n  read_at h 0 int*1 -> x\nall:\n  close h\n", true},
		"two handles":             {"ranks 2\n" + open + "  open g f rdwr\n  write_at h r*4 int 5\n  read_at g (1-r)*4 int*1 -> x\n  close h\n  close g\n", true},
		"one collective call":     {"ranks 2\n" + open + "  write_at_all h 0 int 9\n  write_at_all h r*4+4 int {r}\n  close h\n", false},
		"several ranks in a line": {"ranks 4\n" + open + "0:\n  write_at h 0 int 1\n1-3:\n  read_at h 0 int*1 -> x\nall:\n  close h\n", true},
		"started":                 {"ranks 3\n" + open + "0:\n  iwrite_at h 0 int 1 2 3 as a\n  wait a\nall:\n  barrier\n1,2:\n  iread_at h r int*1 -> x as b\n  wait b\nall:\n  close h\n", true},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			if name == "barrier alone" {
				thorough.Only(t) // all orders of three ranks
			}
			s, err := Parse(c.text)
			require.NoError(t, err)
			o := Options{MaxSchedules: 20_000}
			rep, err := Explore(context.Background(), s, o)
			require.NoError(t, err)
			require.NotEmpty(t, rep.Races)
			if c.fixed {
				fixed, err := Repair(context.Background(), rep, o)
				require.NoError(t, err)
				assert.Less(t, strings.Count(fixed.Text, "\n"), strings.Count(c.text, "\n")+20, fixed.Text)
				for line := range strings.SplitSeq(strings.TrimSpace(c.text), "\n") {
					assert.Contains(t, fixed.Text, line+"\n")
				}
				again, err := Explore(context.Background(), fixed.Script, o)
				require.NoError(t, err)
				assert.Empty(t, again.Races, fixed.Text)
				assert.True(t, again.OK(), fixed.Text)
			}
			var before []addition
			var races []*consistency.RaceError // that are left with all fixes up to one
			for _, f := range Fixes(context.Background(), rep, o) {
				if !c.fixed {
					assert.Empty(t, f.Change)
					continue
				}
				if f.By > 0 {
					continue
				}
				require.NotEmpty(t, f.Change, "%s\n%s", f.None, c.text)
				for i, change := range append(slices.Clone(f.Or), f.Change) {
					add := additionsOf(change)
					require.NotNil(t, add, change)
					text := obeyed(c.text, slices.Concat(before, add))
					again, err := Parse(text)
					require.NoError(t, err, text)
					left, err := Explore(context.Background(), again, o)
					require.NoError(t, err)
					assert.Empty(t, left.Failures, text)
					assert.Nil(t, left.Deadlock, text)
					if i == len(f.Or) {
						races = left.Races
					} else {
						assert.Less(t, len(left.Races), len(rep.Races), "%s\n%s", change, text)
					}
					if i == len(f.Or) {
						before = append(before, add...)
					}
				}
			}
			assert.Empty(t, races, "all fixes were obeyed: %v", before)
		})
	}
}

// The fix for the opposite order must differ from that for the order of the text, or one of
// the two would be wrong.
func TestFixForOtherOrder(t *testing.T) {
	s, err := Parse("ranks 2\nfile f = 01*8\nall:\n  open h f rdwr\n1:\n  write_at h 4 byte 7\nall:\n  set_size h 4\n0:\n  read_at h 0 byte*8 -> x\nall:\n  close h\n")
	require.NoError(t, err)
	rep, err := Explore(context.Background(), s, Options{})
	require.NoError(t, err)
	f := Fixes(context.Background(), rep, Options{})[0]
	require.NotEmpty(t, f.Change)
	for _, or := range f.Or {
		assert.NotContains(t, or, f.Change)
	}
}

// If a fix were for the ranks of the example only, it would leave a race between the same
// lines: a report has one example of all ranks that run them.
func TestFixForAllRanksOfALine(t *testing.T) {
	for _, text := range []string{
		"ranks 3\nall: open h f rdwr|create\n0: write_at h 0 int 1\n1-2: read_at h 0 int*1 -> x\nall: close h\n",
		"ranks 4\nall: open h f rdwr|create\n0-1: read_at h 0 int*2 -> x\n2-3: write_at h (r-2)*4 int 1\nall: close h\n",
		"ranks 3\nall: open h f rdwr|create\n  repeat 2:\n    write_at h r*4 int {r*10+1}\n    read_at h 0 int*1 -> x\nall: close h\n",
	} {
		s, err := Parse(text)
		require.NoError(t, err)
		for seed := range uint64(8) {
			rep, err := Run(context.Background(), s, Options{Seed: seed})
			require.NoError(t, err)
			var all []addition
			for _, f := range Fixes(context.Background(), rep, Options{}) {
				if f.By == 0 {
					add := additionsOf(f.Change)
					require.NotNil(t, add, "%s%s", f.Change, f.None)
					all = append(all, add...)
				}
			}
			if all == nil {
				continue // this schedule shows no race
			}
			fixed, err := Parse(obeyed(text, all))
			require.NoError(t, err)
			left, err := Explore(context.Background(), fixed, Options{})
			require.NoError(t, err)
			assert.Empty(t, left.Races, "%v\n%v", all, fixed)
		}
	}
}

// If this fails, the fixes of a report, added as they are printed, leave a race of a program
// whose lines are run by several ranks.
func TestFixesOfSharedLines(t *testing.T) {
	programs, raced := 60, 0
	if thorough.All() {
		programs = 600
	}
	for seed := range uint64(programs) {
		dice := rand.New(rand.NewPCG(seed, 22))
		ranks := 2 + dice.IntN(2)
		lines := []string{fmt.Sprint("ranks ", ranks), "file f = 00*12", "all: open h f rdwr"}
		for i := range 2 + dice.IntN(2) {
			lo := dice.IntN(ranks)
			who := fmt.Sprintf("%d-%d", lo, lo+dice.IntN(ranks-lo))
			switch dice.IntN(4) {
			case 0:
				lines = append(lines, fmt.Sprintf("%d: write_at h %d int %d", lo, 4*dice.IntN(2), i+1))
			case 1:
				lines = append(lines, fmt.Sprintf("%s: write_at h r*4 int %d", who, i+1))
			default:
				lines = append(lines, fmt.Sprintf("%s: read_at h %d int*%d -> x%d", who, 4*dice.IntN(2), 1+dice.IntN(2), i))
			}
			if dice.IntN(4) == 0 {
				lines = append(lines, "all: "+[]string{"sync h", "barrier"}[dice.IntN(2)])
			}
		}
		text := strings.Join(append(lines, "all: close h"), "\n") + "\n"
		s, err := Parse(text)
		require.NoError(t, err, text)
		o := Options{MaxSchedules: 20_000}
		rep, err := Explore(context.Background(), s, o)
		require.NoError(t, err)
		if !rep.Complete || len(rep.Races) == 0 {
			continue
		}
		fixes := Fixes(context.Background(), rep, o)
		if slices.ContainsFunc(fixes, func(f *Fix) bool { return f.Race.Unmeant() != nil }) {
			continue // a line is to change
		}
		raced++
		var all []addition
		for _, f := range fixes {
			if f.By > 0 {
				continue
			}
			add := additionsOf(f.Change)
			require.NotNil(t, add, "seed %d: %s%s\n%s", seed, f.Change, f.None, text)
			all = append(all, add...)
		}
		fixed, err := Parse(obeyed(text, all))
		require.NoError(t, err)
		left, err := Explore(context.Background(), fixed, o)
		require.NoError(t, err)
		require.Empty(t, left.Failures, "seed %d: %v\n%v", seed, all, fixed)
		require.Nil(t, left.Deadlock, "seed %d: %v\n%v", seed, all, fixed)
		require.Empty(t, left.Races, "seed %d: %v\n%v", seed, all, fixed)
	}
	require.Greater(t, raced, programs/3)
}
