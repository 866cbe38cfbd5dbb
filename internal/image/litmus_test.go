package image_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// A call is one step of one rank: "write 0 5" (word, value), "read 0",
// "publish", "adopt", "sync" (publish, then adopt), "atomic", "size",
// "resize 10", "close", "open", or "bar" which all ranks pass together.
type call = string

// state is a small world: an image and one handle for each rank.
type state struct {
	im   *image.Image
	hs   []*image.Handle
	seen []string
}

func words() types.Tiling { return bytesAt(0) }

func newState(ranks int, init []byte) *state {
	s := &state{im: image.NewImage(image.NewMemory('x'))}
	if len(init) > 0 {
		h := s.im.Open()
		h.SetAtomic(true)
		if err := h.Write(words(), 0, init); err != nil {
			panic(err)
		}
		h.Close()
	}
	for range ranks {
		s.hs = append(s.hs, s.im.Open())
	}
	return s
}

// do makes one step; reads leave what they saw as "rank:value".
func (s *state) do(rank int, c call) {
	h := s.hs[rank]
	var op, text string
	var at int64
	fmt.Sscan(c, &op, &at, &text)
	var err error
	switch op {
	case "write":
		err = h.Write(words(), at, []byte(text))
	case "read":
		p := []byte("...")[:1]
		if text != "" {
			p = make([]byte, len(text))
		}
		var n int64
		n, err = h.Read(words(), at, p)
		s.seen = append(s.seen, fmt.Sprintf("%d:%s", rank, p[:n]))
	case "publish":
		err = h.Publish()
	case "adopt":
		h.Adopt()
	case "sync":
		err = h.Publish()
		h.Adopt()
	case "atomic":
		err = h.Publish()
		h.SetAtomic(true)
	case "size":
		s.seen = append(s.seen, fmt.Sprintf("%d:%d", rank, h.Size()))
	case "resize":
		h.Resize(at)
		err = s.im.SetSize(at)
	case "preallocate":
		if at > h.Size() {
			h.Resize(at)
			err = s.im.SetSize(at)
		}
	case "close":
		err = h.Close()
	case "open":
		s.hs[rank] = s.im.Open()
	}
	if err != nil {
		s.seen = append(s.seen, err.Error())
	}
}

// outcomes runs every interleaving of the ranks' programs, each on a fresh
// file, and returns the set of what the reads saw.
func outcomes(init string, ranks ...[]call) []string {
	set := map[string]bool{}
	var run func(schedule []int, pc []int)
	run = func(schedule []int, pc []int) {
		more := false
		for r := range firstOf(ranks, pc) {
			if next := advance(ranks, pc, r); next != nil {
				more = true
				run(append(slices.Clone(schedule), r), next)
			}
		}
		if !more {
			set[replay(init, ranks, schedule)] = true
		}
	}
	run(nil, make([]int, len(ranks)))
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// firstOf returns the ranks of which one goes next. Turning atomic mode on
// concerns no other rank before anything is written, so one order will do.
func firstOf(ranks [][]call, pc []int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := range ranks {
			if pc[r] == 0 && ranks[r][0] == "atomic" {
				yield(r)
				return
			}
		}
		for r := range ranks {
			if !yield(r) {
				return
			}
		}
	}
}

// advance returns the program counters after a step of rank r, nil if it has
// ended or waits at a barrier. The first rank takes all over a barrier.
func advance(ranks [][]call, pc []int, r int) []int {
	if pc[r] == len(ranks[r]) {
		return nil
	}
	next := slices.Clone(pc)
	if ranks[r][pc[r]] != "bar" {
		next[r]++
		return next
	}
	for i := range ranks {
		if r != 0 || pc[i] == len(ranks[i]) || ranks[i][pc[i]] != "bar" {
			return nil
		}
		next[i]++
	}
	return next
}

func replay(init string, ranks [][]call, schedule []int) string {
	s := newState(len(ranks), []byte(init))
	pc := make([]int, len(ranks))
	for _, r := range schedule {
		if ranks[r][pc[r]] == "bar" {
			for i := range pc {
				pc[i]++
			}
			continue
		}
		s.do(r, ranks[r][pc[r]])
		pc[r]++
	}
	slices.SortStableFunc(s.seen, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
	return strings.Join(s.seen, " ")
}

// If one of these fails, the model promises more than the standard does, and
// wrong programs look right, or less, and right programs break. Each row lists
// all that may be seen, over all interleavings.
func TestLitmus(t *testing.T) {
	for _, l := range []struct {
		name  string
		init  string
		ranks [][]call
		want  []string
	}{
		{
			"LIT-02 atomic write, barrier, read", "",
			[][]call{{"atomic", "bar", "write 0 5555", "bar"}, {"atomic", "bar", "bar", "read 0 ...."}},
			[]string{"1:5555"},
		},
		{
			"LIT-01 atomic read sees all of an atomic write or none", "",
			[][]call{{"atomic", "bar", "write 0 5555"}, {"atomic", "bar", "read 0 ...."}},
			[]string{"1:", "1:5555"},
		},
		{
			"LIT-04 sync barrier sync", "",
			[][]call{{"write 0 5555", "sync", "bar", "sync"}, {"sync", "bar", "sync", "read 0 ...."}},
			[]string{"1:5555"},
		},
		{
			"barrier without sync shows the old bytes, as LIT-07 allows", "0000",
			[][]call{{"write 0 5", "bar"}, {"bar", "read 0"}},
			[]string{"1:0"},
		},
		{
			"publish without adopt shows the old bytes, as LIT-24 allows", "0000",
			[][]call{{"write 0 5", "sync", "bar"}, {"sync", "bar", "read 0"}},
			[]string{"1:0", "1:5"},
		},
		{
			"adopt before publish shows the old bytes, as LIT-25 allows", "0000",
			[][]call{{"write 0 5", "bar", "sync"}, {"bar", "sync", "read 0"}},
			[]string{"1:0", "1:5"},
		},
		{
			"LIT-16 a rank reads its own write", "2222",
			[][]call{{"write 0 4", "read 0"}},
			[]string{"0:4"},
		},
		{
			"LIT-21 close and open sync", "0000",
			[][]call{{"write 0 5", "close", "bar"}, {"bar", "open", "read 0"}},
			[]string{"1:5"},
		},
		{
			"LIT-29 interleaved words, own values always", "0000",
			[][]call{
				{"write 0 1", "write 2 1", "read 0", "read 2", "sync", "bar", "sync", "read 0 ...."},
				{"write 1 2", "write 3 2", "read 1", "read 3", "sync", "bar", "sync", "read 0 ...."},
			},
			[]string{"0:1 0:1 0:1212 1:2 1:2 1:1212"},
		},
		{
			"LIT-31 two ordered writers", "0000",
			[][]call{
				{"write 0 1", "sync", "bar", "sync", "sync", "bar", "sync", "read 0"},
				{"sync", "bar", "sync", "write 0 2", "sync", "bar", "sync", "read 0"},
			},
			[]string{"0:2 1:2"},
		},
		{
			"LIT-32 atomic: not both old", "00",
			[][]call{{"atomic", "bar", "write 0 1", "read 1"}, {"atomic", "bar", "write 1 1", "read 0"}},
			[]string{"0:0 1:1", "0:1 1:0", "0:1 1:1"},
		},
		{
			"LIT-33 atomic: writes in order", "00",
			[][]call{{"atomic", "bar", "write 0 1", "write 1 1"}, {"atomic", "bar", "read 1", "read 0"}},
			[]string{"1:0 1:0", "1:0 1:1", "1:1 1:1"},
		},
		{
			"LIT-35 atomic: reads in order", "0",
			[][]call{{"atomic", "bar", "write 0 1"}, {"atomic", "bar", "read 0", "read 0"}},
			[]string{"1:0 1:0", "1:0 1:1", "1:1 1:1"},
		},
		{
			"LIT-39 sizes after set_size", "",
			[][]call{{"write 0 " + strings.Repeat("a", 50), "resize 10", "size", "write 20 b", "size", "read 8 ............."}},
			[]string{"0:10 0:21 0:aa" + strings.Repeat("x", 10) + "b"},
		},
		{
			"LIT-40 preallocate only grows", "",
			[][]call{{"preallocate 30", "size", "preallocate 5", "size", "write 3 b", "size"}},
			[]string{"0:30 0:30 0:30"},
		},
		{
			"LIT-48 two handles of one rank, stale until both sync", "0",
			[][]call{{"write 0 1", "bar", "sync", "bar"}, {"bar", "read 0", "bar", "sync", "read 0"}},
			[]string{"1:0 1:1"},
		},
		{
			"stale size, as LIT-42 allows", "",
			[][]call{{"write 0 0123456789", "bar"}, {"bar", "size"}},
			[]string{"1:0"},
		},
		{
			"CONS-SYNC-05 the third step counts", "0",
			[][]call{{"write 0 1", "sync", "bar"}, {"bar", "read 0", "sync", "read 0"}},
			[]string{"1:0 1:1"},
		},
	} {
		t.Run(l.name, func(t *testing.T) { assert.Equal(t, l.want, outcomes(l.init, l.ranks...)) })
	}
}

// If this fails, atomic mode tears: a rank sees half of another's call (LIT-26,
// LIT-27). Four ranks with reads between is the store-buffer test twice over.
func TestLitmusFourRanks(t *testing.T) {
	t.Run("LIT-34 atomic: all ranks agree on the order of two writes", func(t *testing.T) {
		for _, o := range outcomes("00",
			[]call{"atomic", "write 0 1"}, []call{"atomic", "write 1 1"},
			[]call{"atomic", "read 0", "read 1"}, []call{"atomic", "read 1", "read 0"}) {
			assert.NotEqual(t, "2:1 2:0 3:1 3:0", o)
		}
	})
}
