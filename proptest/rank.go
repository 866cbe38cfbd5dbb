package proptest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
)

// An Account has the results that one rank saw in a program. It marshals to JSON, so a rank
// in a process of its own can send it to the process that judges.
type Account struct{ seen []observation }

// Rank runs p as one rank of a world that the caller has started, on files of l, and returns
// its results. A program without races gives the same result wherever its ranks run: in one
// process, or each in its own. Errors: those of the layer, as an [OpError].
func Rank(l Layer, c *comm.Comm, p *gen.Program) (*Account, error) {
	out := &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks}
	pl := &player{l: l, c: c, p: p, out: out}
	err := pl.run(manner{})
	a := new(Account)
	for k := range p.Ops {
		a.seen = append(a.seen, *out.of(k, c.Rank()))
	}
	return a, err
}

// Judge compares the accounts of all ranks of p, and the bytes of the file at the end,
// with the definition of MPI-IO, as [Reference] does.
func Judge(p *gen.Program, ranks []*Account, stored []byte) error {
	t := &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks, stored: stored, hasStored: true}
	if len(ranks) != p.Ranks {
		return fmt.Errorf("proptest: accounts of %d ranks, and the program has %d", len(ranks), p.Ranks)
	}
	for r, a := range ranks {
		if len(a.seen) != len(p.Ops) {
			return fmt.Errorf("proptest: rank %d accounts for %d operations, and the program has %d", r, len(a.seen), len(p.Ops))
		}
		for k := range a.seen {
			*t.of(k, r) = a.seen[k]
		}
	}
	return explain(p, judge(p, t))
}

// String returns one line for each operation.
func (a *Account) String() string {
	var b strings.Builder
	for k := range a.seen {
		o := &a.seen[k]
		fmt.Fprintf(&b, "%d: %d", k, o.moved)
		if o.data != nil {
			fmt.Fprintf(&b, " %s", hex.EncodeToString(o.read()))
			if o.moved < len(o.data) {
				b.WriteString(" cut")
			}
		}
		for _, x := range []struct {
			name  string
			known bool
			value int64
		}{{"pointer", o.hasPos, o.pos}, {"shared", o.hasShare, o.shared}, {"size", o.hasSize, o.size}} {
			if x.known {
				fmt.Fprintf(&b, ", %s %d", x.name, x.value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// seenJSON is an observation on its way between processes; a nil field was not observed.
type seenJSON struct {
	Moved   int
	Data    []byte
	Pointer *int64 `json:",omitempty"`
	Shared  *int64 `json:",omitempty"`
	Size    *int64 `json:",omitempty"`
}

// MarshalJSON writes all fields that [Judge] needs.
func (a *Account) MarshalJSON() ([]byte, error) {
	list := make([]seenJSON, len(a.seen))
	for i, o := range a.seen {
		list[i] = seenJSON{Moved: o.moved, Data: o.data}
		for _, x := range []struct {
			known bool
			value int64
			to    **int64
		}{{o.hasPos, o.pos, &list[i].Pointer}, {o.hasShare, o.shared, &list[i].Shared}, {o.hasSize, o.size, &list[i].Size}} {
			if x.known {
				*x.to = &x.value
			}
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *Account) UnmarshalJSON(text []byte) error {
	var list []seenJSON
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	a.seen = make([]observation, len(list))
	for i, s := range list {
		o := &a.seen[i]
		o.moved, o.data = s.Moved, s.Data
		for _, x := range []struct {
			from  *int64
			known *bool
			value *int64
		}{{s.Pointer, &o.hasPos, &o.pos}, {s.Shared, &o.hasShare, &o.shared}, {s.Size, &o.hasSize, &o.size}} {
			if *x.known = x.from != nil; *x.known {
				*x.value = *x.from
			}
		}
	}
	return nil
}
