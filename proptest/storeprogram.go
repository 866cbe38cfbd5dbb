package proptest

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest/gen"
)

// A StoreProgram is the work of all ranks with one key-value store, or with two. Ranks open
// it, perform the operations in order, and close it.
type StoreProgram struct {
	Ranks    int
	Seed     uint64
	Schedule string // as [world.Replay] reads it; empty: random by Seed
	Two      bool   // ranks have a second store open
	Cuts     []gen.PowerCut
	Ops      []StoreOp
}

// A StoreDo is what an operation on a store does.
type StoreDo uint8

// The operations. Those without a key, and PutAll, are collective.
const (
	StorePut StoreDo = iota
	StoreGet
	StoreDelete
	StorePutAll // rank r puts Key with the digit r behind it
	StoreKeys   // by one rank
	StoreSync
	StoreReopen
	StoreOwn
)

var storeDos = [...]string{"put", "get", "delete", "put_all", "keys", "sync", "reopen", "own"}

// A StoreOp is one operation on a store.
type StoreOp struct {
	Do     StoreDo
	Rank   int
	Key    string
	Kind   int // of the value, see the text of the operation
	N      int // bytes of the value
	Second bool
	Name   string // StoreOwn
	Effect gen.Effect
}

func (o *StoreOp) all() bool {
	return o.Do == StorePutAll || o.Do >= StoreSync
}

// kindsOfValues are the kinds of values: what stores lose or change.
var kindsOfValues = []string{"marks", "zeros", "bytes 0xff", "marks around NUL", "lines", "invalid UTF-8", "a run"}

// value returns the value that a rank puts in an operation.
func (o *StoreOp) value(rank, k int) []byte {
	p := make([]byte, o.N)
	for i := range p {
		p[i] = gen.Mark(rank, k, int64(i))
		switch kind := kindsOfValues[o.Kind]; {
		case kind == "zeros":
			p[i] = 0
		case kind == "bytes 0xff":
			p[i] = 0xff
		case kind == "marks around NUL" && i%5 == 3:
			p[i] = 0
		case kind == "lines" && i%4 == 3:
			p[i] = "\n\r\"\\"[i/4%4]
		case kind == "invalid UTF-8" && i%3 > 0:
			p[i] |= 0x80
		case kind == "a run" && i > 1:
			p[i] = p[1]
		}
	}
	return p
}

// key returns the key of a rank.
func (o *StoreOp) key(rank int) []byte {
	if o.Do == StorePutAll {
		return fmt.Appendf(nil, "%s%d", o.Key, rank)
	}
	return []byte(o.Key)
}

// String returns the operation on one line.
func (o *StoreOp) String() string {
	s := fmt.Sprintf("%d: ", o.Rank)
	if o.all() {
		s = "all: "
	}
	s += storeDos[o.Do]
	switch o.Do {
	case StorePut, StorePutAll:
		s += fmt.Sprintf(" %s, %d %s", quotedKey(o.Key), o.N, kindsOfValues[o.Kind])
	case StoreGet, StoreDelete:
		s += " " + quotedKey(o.Key)
	case StoreOwn:
		s += fmt.Sprintf(" %s, %v", o.Name, o.Effect)
	}
	if o.Second {
		s += ", second store"
	}
	return s
}

// quotedKey quotes a key, and leaves out the middle of a long one.
func quotedKey(key string) string {
	if len(key) > 40 {
		return fmt.Sprintf("%q and %d bytes more", key[:8], len(key)-8)
	}
	return fmt.Sprintf("%q", key)
}

func (p *StoreProgram) order() string {
	if p.Schedule != "" {
		return p.Schedule
	}
	return fmt.Sprintf("random:%d", p.Seed)
}

// String returns the program, one operation on a line.
func (p *StoreProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d, schedule %s", p.Ranks, p.order())
	if p.Two {
		b.WriteString(", each rank has a second store open")
	}
	b.WriteByte('\n')
	for _, cut := range p.Cuts {
		fmt.Fprintf(&b, "power cut: %v\n", cut)
	}
	for k := range p.Ops {
		fmt.Fprintf(&b, "%4d  %v\n", k, &p.Ops[k])
	}
	return b.String()
}

// count adds the program to a tally.
func (p *StoreProgram) count(t *tally) {
	names := make([]string, len(p.Ops))
	for k := range p.Ops {
		names[k] = storeDos[p.Ops[k].Do]
	}
	t.count(p.Ranks, names)
}

// storeUse has the features that programs for a store may use.
type storeUse struct {
	lists, together, two, cuts bool
	own                        []gen.OwnOp
}

// storeKeys are keys that stores confuse: one the begin of another, with separators, NUL,
// bytes that are not UTF-8, in upper and lower case, long ones that differ at the end.
var storeKeys = []string{
	"a", "ab", "a/b", "a/", "A", "a\x00", "a\x00b", "a b", "a.", "\xff", "\xff\xfe", "a1", "a10", "%61", "../a",
	strings.Repeat("k", 300) + "1", strings.Repeat("k", 300) + "2",
}

// drawStoreProgram draws a program for a store.
func drawStoreProgram(t *rapid.T, use storeUse) *StoreProgram {
	p := &StoreProgram{Ranks: gen.Ranks(4).Draw(t, "ranks"), Two: use.two}
	keys := rapid.SliceOfN(rapid.SampledFrom(storeKeys), 1, 3).Draw(t, "keys")
	menu := []StoreDo{StorePut, StoreGet, StoreSync, StorePut, StoreGet, StoreDelete, StoreSync, StoreReopen}
	if use.lists {
		menu = append(menu, StoreKeys, StoreKeys)
	}
	if use.together {
		menu = append(menu, StorePutAll, StorePutAll)
	}
	if len(use.own) > 0 {
		menu = append(menu, StoreOwn, StoreOwn)
	}
	lengths := []int{5, 1, 2, 3, 8, 16, 31, 64, 200, 1000, 4096, 70000, 0}
	op := rapid.Custom(func(t *rapid.T) StoreOp {
		o := StoreOp{Do: rapid.SampledFrom(menu).Draw(t, "what"), Second: use.two && rapid.Bool().Draw(t, "second")}
		if !o.all() {
			o.Rank = rapid.IntRange(0, p.Ranks-1).Draw(t, "rank")
		}
		switch o.Do {
		case StorePut, StorePutAll:
			o.Kind = rapid.IntRange(0, len(kindsOfValues)-1).Draw(t, "kind")
			o.N = lengths[min(rapid.IntRange(0, 2*len(lengths)).Draw(t, "length")/2, len(lengths)-1)]
			o.Key = rapid.SampledFrom(keys).Draw(t, "key")
		case StoreGet, StoreDelete:
			o.Key = rapid.SampledFrom(keys).Draw(t, "key")
			if use.together && rapid.Bool().Draw(t, "of one rank") {
				o.Key += fmt.Sprint(rapid.IntRange(0, p.Ranks-1).Draw(t, "whose"))
			}
		case StoreOwn:
			x := rapid.SampledFrom(use.own).Draw(t, "operation")
			o.Name, o.Effect = x.Name, x.Effect
		}
		return o
	})
	p.Ops = rapid.SliceOfN(op, 1, 24).Draw(t, "ops")
	if use.cuts {
		cut := rapid.Custom(func(t *rapid.T) gen.PowerCut {
			return gen.PowerCut{Op: rapid.IntRange(-1, len(p.Ops)-1).Draw(t, "operation"), Call: rapid.IntRange(0, 9).Draw(t, "call")}
		})
		p.Cuts = rapid.SliceOfN(cut, 1, 3).Draw(t, "cuts")
		slices.SortStableFunc(p.Cuts, func(a, b gen.PowerCut) int { return a.Op - b.Op })
	}
	p.Seed = rapid.Uint64().Draw(t, "schedule")
	if rapid.IntRange(0, 9).Draw(t, "run") == 9 {
		p.Schedule = "pct:3:1"
	}
	return p
}
