package faults_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile/faults"
)

func drawRule(t *rapid.T) faults.Rule {
	r := faults.Rule{
		Op:   rapid.SampledFrom([]faults.Op{faults.Read, faults.Write, faults.Open, faults.Sync, faults.Call, "WriteAtAll"}).Draw(t, "op"),
		File: rapid.SampledFrom([]string{"", "grid", "a b", "*.nc", `q"uote`, "é", `a\*`, "#;", "\xff"}).Draw(t, "file"),
	}
	num := rapid.OneOf(rapid.Int64Range(1, 5), rapid.Just(int64(math.MaxInt64)))
	switch rapid.IntRange(0, 4).Draw(t, "happens") {
	case 0:
		r.Error = rapid.SampledFrom([]errclass.Class{errclass.NoSpace, errclass.IO, errclass.Quota, errclass.NoSuchFile}).Draw(t, "class")
	case 1:
		r.Error, r.Torn = errclass.IO, num.Draw(t, "torn")
	case 2:
		r.Short = num.Draw(t, "short")
	case 3:
		r.Delay = rapid.IntRange(1, 9).Draw(t, "delay")
	case 4:
		r.Kill = true
	}
	r.Ranks = rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 0, 3, rapid.ID).Draw(t, "ranks")
	if rapid.Bool().Draw(t, "calls") {
		r.First = rapid.Int64Range(1, 9).Draw(t, "first")
		r.Last = rapid.SampledFrom([]int64{r.First, r.First + 3, math.MaxInt64}).Draw(t, "last")
	}
	if rapid.Bool().Draw(t, "bytes") {
		r.From = rapid.Int64Range(0, 9).Draw(t, "from")
		r.To = rapid.SampledFrom([]int64{r.From + 1, r.From + 3, math.MaxInt64}).Draw(t, "to")
	}
	if rapid.Bool().Draw(t, "more") {
		r.After, r.Odds, r.Seed = num.Draw(t, "after"), num.Draw(t, "odds"), rapid.Uint64().Draw(t, "seed")
	}
	return r
}

// If this fails, a rule that a report prints is not the rule that was applied.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t)
		if r.Check() != nil {
			t.Skip("means nothing")
		}
		got, err := faults.Parse(r.String())
		if err != nil || len(got) != 1 || got[0].String() != r.String() {
			t.Fatalf("%v became %v (%v)", r, got, err)
		}
		if len(r.Ranks) == 0 {
			r.Ranks = nil
		}
		assert.Equal(t, r, got[0])
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"write error=nospace after=4096 rank=2 file=grid", "read short=10 call=3", "write torn=512; sync error=io rank=1,3 # twice",
		"call delay=5\nWriteAtAll kill bytes=1-2", `open error=access file="a b"`, "read error=io bytes=9- odds=3 seed=7 call=2-",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := faults.Parse(text)
		if err != nil {
			assert.ErrorIs(t, err, errclass.Arg)
			return
		}
		if _, err := faults.NewPlan(rules...); err != nil {
			t.Fatalf("%q was parsed, but %v", text, err)
		}
		for _, r := range rules {
			again, err := faults.Parse(r.String())
			if assert.NoError(t, err, "%q", text) && assert.Len(t, again, 1) {
				assert.Equal(t, r, again[0])
			}
		}
	})
}

// If this fails, a slip of the pen makes a test in which nothing goes wrong.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"wrte error=io":                   `"wrte" is not one of open, read`,
		"write":                           "nothing happens",
		"write error=oi":                  "no such error class",
		"write error=io eror=io":          "no such word",
		"write short=0":                   "at least 1",
		"write error=io short=3":          "has one",
		"sync torn=4":                     "for read and write",
		"write delay=3":                   "for data accesses",
		"read error=io call=0":            "from 1",
		"read error=io call=3-2":          "goes up",
		"read error=io error=io":          "twice",
		"read error=io rank=-1":           `"-1" is not a rank`,
		"read error=io rank=1,,2":         `"" is not a rank`,
		"read error=io call=x":            `"x" is not a whole number`,
		"read error=io bytes=4-y":         `"y" is not a whole number`,
		"write torn=1e3":                  `"1e3" is not a whole number`,
		"write short=9223372036854775808": "too large; numbers go to 9223372036854775807",
		"read error=io odds=3 seed=-1":    "seed is a number",
		"write kill=3":                    "without a value",
		"read error=io file=[":            "not a pattern",
		`read error=io file="x`:           "do not end",
		"read error=io file=":             "value is missing",
		"read error=io seed=4":            "seed is for odds",
		"read error=io\n\nread erorr=io":  "line 3",
	} {
		_, err := faults.Parse(text)
		assert.ErrorIs(t, err, errclass.Arg, text)
		assert.ErrorContains(t, err, want, text)
	}
	assert.Panics(t, func() { faults.Must("nonsense") })
}

func plan(t *testing.T, text string) *faults.Plan {
	t.Helper()
	rules, err := faults.Parse(text)
	assert.NoError(t, err)
	p, err := faults.NewPlan(rules...)
	assert.NoError(t, err)
	return p
}

// If this fails, a rule fails another call than it says, or moves other bytes.
func TestMeet(t *testing.T) {
	write := func(rank int, off, n int64) faults.Event {
		return faults.Event{Op: faults.Write, Rank: rank, File: "grid", Off: off, N: n}
	}
	for _, c := range []struct {
		rule   string
		events []faults.Event
		moved  []int64 // -n: the first n-1 bytes, then an error
	}{
		{"write error=io rank=1", []faults.Event{write(0, 0, 9), write(1, 0, 9)}, []int64{9, -1}},
		{"write error=io call=2", []faults.Event{write(0, 0, 9), write(1, 0, 9), write(0, 0, 9), write(0, 0, 9), write(1, 0, 9)}, []int64{9, 9, -1, 9, -1}},
		{"write error=io call=2-", []faults.Event{write(0, 0, 9), write(0, 0, 9), write(0, 0, 9)}, []int64{9, -1, -1}},
		{"write error=nospace after=10", []faults.Event{write(0, 0, 6), write(1, 0, 6), write(0, 0, 1)}, []int64{6, -5, -1}},
		{"write error=quota after=10 rank=0,1", []faults.Event{write(0, 0, 6), write(1, 0, 6), write(0, 0, 6)}, []int64{6, 6, -5}},
		{"write error=io bytes=10-19", []faults.Event{write(0, 0, 10), write(0, 5, 10), write(0, 20, 5), write(0, 19, 5)}, []int64{10, -6, 5, -1}},
		{"write torn=3", []faults.Event{write(0, 0, 9), write(0, 0, 2)}, []int64{-4, -3}},
		{"write short=3", []faults.Event{write(0, 0, 9), write(0, 0, 2)}, []int64{3, 2}},
		{"write error=io file=g*", []faults.Event{write(0, 0, 2)}, []int64{-1}},
		{"write error=io file=h*", []faults.Event{write(0, 0, 2)}, []int64{2}},
		{"read error=io", []faults.Event{write(0, 0, 2)}, []int64{2}},
		{"write short=1 call=1; write error=io", []faults.Event{write(0, 0, 2), write(0, 0, 2)}, []int64{1, -1}},
	} {
		p := plan(t, c.rule)
		var got []int64
		for _, e := range c.events {
			o := p.Meet(e)
			if o.Err != nil {
				o.Move = -o.Move - 1
			}
			got = append(got, o.Move)
		}
		assert.Equal(t, c.moved, got, c.rule)
	}
	t.Run("odds are the same in every run", func(t *testing.T) {
		count := func() (hits []int) {
			p := plan(t, "write error=io odds=4 seed=5")
			for i := range 400 {
				if p.Meet(write(i%3, 0, 1)).Err != nil {
					hits = append(hits, i)
				}
			}
			return hits
		}
		first := count()
		assert.Equal(t, first, count())
		assert.InDelta(t, 100, len(first), 40)
	})
	t.Run("a plan can be changed", func(t *testing.T) {
		p := plan(t, "write error=io")
		assert.ErrorIs(t, p.Meet(write(0, 0, 1)).Err, errclass.IO)
		assert.Equal(t, []int64{1}, p.Struck())
		assert.Equal(t, "write error=io\n", p.String())
		assert.ErrorIs(t, p.Set(faults.Rule{Op: "write"}), errclass.Arg)
		assert.Error(t, p.Meet(write(0, 0, 1)).Err, "as before")
		assert.NoError(t, p.Set())
		assert.NoError(t, p.Meet(write(0, 0, 1)).Err)
		var none *faults.Plan
		assert.NoError(t, none.Meet(write(0, 0, 1)).Err)
		assert.Empty(t, none.Struck())
		assert.Empty(t, none.String())
	})
	t.Run("kill", func(t *testing.T) {
		assert.ErrorIs(t, plan(t, "write kill").Meet(write(0, 0, 1)).Err, faults.ErrKilled)
	})
}
