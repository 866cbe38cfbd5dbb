package strategy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/callsite"
)

// A Strategy says by which requests the bytes of an access move between memory
// and file: [Direct], [Sieve], [List] or [TwoPhase]. Strategies are comparable
// values. The bytes that a program reads and the file that it leaves are the
// same under every strategy; requests, messages and speed differ.
type Strategy interface {
	fmt.Stringer

	// With returns the strategy with the values of h, and then the defaults, for
	// what it leaves open.
	With(h Hints) Strategy
	// Check reports settings that mean nothing: ErrArg (IO-OPEN-04).
	Check() error

	// alone plans the access of one rank, without the others.
	alone(p *Plan, part *Part)
}

// Hints are the values that hints give for what a strategy leaves open; 0 and
// [Automatic] give none.
type Hints struct {
	Nodes                            int64 // aggregators: cb_nodes, cb_config_list
	Buffer                           int64 // bytes: cb_buffer_size
	Unit                             int64 // bytes: striping_unit
	ReadBuffer, WriteBuffer          int64 // bytes: ind_rd_buffer_size, ind_wr_buffer_size
	CBRead, CBWrite, DSRead, DSWrite Switch
}

// ROMIO is what ROMIO does, the MPI-IO of MPICH and of others: two phases for
// collective accesses that interleave, and sieving for the others, as hints say.
var ROMIO Strategy = TwoPhase{}

// Names are the names that [Named] knows.
var Names = []string{"romio", "direct", "sieve", "list", "twophase"}

// Named returns the strategy of a name: romio, direct, sieve, list, or twophase, which
// is two phases for every collective access.
func Named(name string) (Strategy, bool) {
	switch name {
	case "romio":
		return ROMIO, true
	case "direct":
		return Direct{}, true
	case "sieve":
		return Sieve{}, true
	case "list":
		return List{}, true
	case "twophase":
		return TwoPhase{Read: Enable, Write: Enable}, true
	}
	return nil, false
}

// A Hint is a key with its value.
type Hint struct{ Key, Value string }

// HintsOf returns the hints that have an MPI library follow s, as far as it has hints
// for it: none for a nil strategy, and those of [Direct] for [List], which no library
// has a hint for.
func HintsOf(s Strategy) (list []Hint) {
	add := func(key, value string) { list = append(list, Hint{key, value}) }
	number := func(key string, n int64) {
		if n > 0 {
			add(key, strconv.FormatInt(n, 10))
		}
	}
	sieve := func(s Sieve) {
		number("ind_rd_buffer_size", s.ReadBuffer)
		number("ind_wr_buffer_size", s.WriteBuffer)
		add("romio_ds_read", s.Read.String())
		add("romio_ds_write", s.Write.String())
	}
	switch s := s.(type) {
	case nil:
	case TwoPhase:
		number("cb_nodes", int64(s.Nodes))
		number("cb_buffer_size", s.Buffer)
		number("striping_unit", s.Stripe)
		add("romio_cb_read", s.Read.String())
		add("romio_cb_write", s.Write.String())
		sieve(s.Sieve)
	case Sieve:
		add("romio_cb_read", Disable.String())
		add("romio_cb_write", Disable.String())
		sieve(s)
	default:
		add("romio_cb_read", Disable.String())
		add("romio_cb_write", Disable.String())
		sieve(Sieve{Read: Disable, Write: Disable})
	}
	return list
}

// Keys are the hints that [Hints.Set] takes.
var Keys = []string{
	"cb_nodes", "cb_buffer_size", "striping_unit", "ind_rd_buffer_size", "ind_wr_buffer_size",
	"romio_cb_read", "romio_cb_write", "romio_ds_read", "romio_ds_write",
}

// Set returns h with the value of one hint. Error: ErrArg for a hint that is none of
// [Keys], and for a value that it does not take.
func (h Hints) Set(key, value string) (Hints, error) {
	numbers := map[string]*int64{
		"cb_nodes": &h.Nodes, "cb_buffer_size": &h.Buffer, "striping_unit": &h.Unit,
		"ind_rd_buffer_size": &h.ReadBuffer, "ind_wr_buffer_size": &h.WriteBuffer,
	}
	words := map[string]*Switch{
		"romio_cb_read": &h.CBRead, "romio_cb_write": &h.CBWrite, "romio_ds_read": &h.DSRead, "romio_ds_write": &h.DSWrite,
	}
	if n := numbers[key]; n != nil {
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || v < 1 || v > largest {
			return h, fault(errclass.Arg, "IO-INFO-08", "hint %s is %q; it needs a number from 1 on", key, value)
		}
		*n = v
		return h, nil
	}
	if w := words[key]; w != nil {
		if !slices.Contains(switches[:], value) {
			return h, fault(errclass.Arg, "IO-INFO-08", "hint %s is %q; it needs enable, disable or automatic", key, value)
		}
		*w = SwitchOf(value)
		return h, nil
	}
	return h, fault(errclass.Arg, "IO-INFO-04", "no strategy has the hint %q; there are %s", key, strings.Join(Keys, ", "))
}

// Follow returns h with what s itself sets in place of the hints' values.
func (h Hints) Follow(s Strategy) Hints {
	var own Sieve
	switch s := s.(type) {
	case Sieve:
		own = s
	case TwoPhase:
		all := s.With(h).(TwoPhase)
		h.Nodes = int64(all.Nodes)
		h.Buffer, h.Unit, h.CBRead, h.CBWrite = all.Buffer, all.Stripe, all.Read, all.Write
		own = s.Sieve
	default:
		return h
	}
	own = own.With(h).(Sieve)
	h.ReadBuffer, h.WriteBuffer, h.DSRead, h.DSWrite = own.ReadBuffer, own.WriteBuffer, own.Read, own.Write
	return h
}

// A Switch turns part of a strategy on or off.
type Switch uint8

// The values of a Switch, with the words that hints use for them.
const (
	Automatic Switch = iota // "automatic": as the access suggests
	Enable                  // "enable"
	Disable                 // "disable"
)

var switches = [...]string{Automatic: "automatic", Enable: "enable", Disable: "disable"}

// SwitchOf returns the Switch with that word, Automatic if there is none.
func SwitchOf(word string) Switch { return Switch(max(0, slices.Index(switches[:], word))) }

// String returns the word of the hint.
func (s Switch) String() string {
	if int(s) < len(switches) {
		return switches[s]
	}
	return fmt.Sprintf("Switch(%d)", uint8(s))
}

// Direct makes one request for each run of adjacent bytes, on each rank for
// itself. It is the default.
type Direct struct{}

// Sieve is data sieving: a rank whose bytes have gaps fetches whole stretches of
// the file, gaps included, and picks out what it wants; to write, it fetches a
// stretch, changes its own bytes and writes the stretch back under a lock. It
// trades bytes for requests. Zero values stand for the defaults, buffers are at
// most 1 GiB.
//
// Writing a stretch back is where sieving is dangerous: a byte in a gap that
// another handle changed between the two is put back to what it was, unless
// all ranks take the same lock. This module counts that write as it would
// happen, but the access changes only its own bytes; gaps are written back, if at all,
// while no rank can write.
type Sieve struct {
	ReadBuffer  int64  // bytes; hint ind_rd_buffer_size, default 4 MiB
	WriteBuffer int64  // bytes; hint ind_wr_buffer_size, default 512 KiB
	Read        Switch // hint romio_ds_read; Automatic is Enable
	Write       Switch // hint romio_ds_write; Automatic is Enable
}

// List hands the file system lists: a request names up to Most runs of
// adjacent bytes, default 64.
type List struct{ Most int }

// TwoPhase is collective buffering: the stretch of the file that a collective
// access touches is cut into domains, one for each of a few aggregators, ranks
// that exchange bytes with all others and are the only ones to make requests, a
// buffer at a time. Accesses of one rank alone, and under Automatic those in
// which the ranks' bytes do not interleave, are left to Sieve. Nonblocking and
// split collectives are planned like those that wait. Zero values stand for the defaults, the buffer is at most 1 GiB.
type TwoPhase struct {
	Nodes     int    // aggregators, at most one a rank; hint cb_nodes, default 1, as there is one machine
	PerNode   int    // ranks of a machine: aggregators are the first rank of each machine, then the second of each; default 1, for ranks 0, 1, ...
	Buffer    int64  // bytes an aggregator moves at a time; hint cb_buffer_size, default 16 MiB
	MinDomain int64  // bytes of the smallest domain; what ROMIO calls romio_min_fdomain_size, default 0
	Stripe    int64  // domains end at a multiple of it; hint striping_unit, default 0: anywhere
	Read      Switch // hint romio_cb_read
	Write     Switch // hint romio_cb_write
	Sieve     Sieve
}

// The defaults of the strategies' sizes.
const (
	defaultBuffer      = 16 << 20
	defaultReadBuffer  = 4 << 20
	defaultWriteBuffer = 512 << 10
	defaultMost        = 64
)

func (s Direct) With(Hints) Strategy { return s }
func (s List) With(Hints) Strategy   { return s }

func (s Sieve) With(h Hints) Strategy {
	return Sieve{
		min(cmp.Or(s.ReadBuffer, h.ReadBuffer, defaultReadBuffer), largestBuffer),
		min(cmp.Or(s.WriteBuffer, h.WriteBuffer, defaultWriteBuffer), largestBuffer),
		cmp.Or(s.Read, h.DSRead),
		cmp.Or(s.Write, h.DSWrite),
	}
}

func (s TwoPhase) With(h Hints) Strategy {
	return TwoPhase{
		cmp.Or(s.Nodes, int(min(h.Nodes, math.MaxInt32)), 1),
		cmp.Or(s.PerNode, 1),
		min(cmp.Or(s.Buffer, h.Buffer, defaultBuffer), largestBuffer),
		s.MinDomain,
		min(cmp.Or(s.Stripe, h.Unit), largest),
		cmp.Or(s.Read, h.CBRead),
		cmp.Or(s.Write, h.CBWrite),
		s.Sieve.With(h).(Sieve),
	}
}

const (
	// Sizes of files are below 2^62; so must be what is added to offsets.
	largest = 1 << 61

	// Buffers are memory, in gaps too. A hint of more comes to this much, and
	// Info of the file says so.
	largestBuffer = 1 << 30
)

func (s Direct) Check() error { return nil }

func (s Sieve) Check() error {
	return cmp.Or(
		sensible("ReadBuffer", s.ReadBuffer, largestBuffer), sensible("WriteBuffer", s.WriteBuffer, largestBuffer),
		known("Read", s.Read), known("Write", s.Write))
}

func (s List) Check() error { return sensible("Most", int64(s.Most), math.MaxInt32) }

func (s TwoPhase) Check() error {
	return cmp.Or(
		sensible("Nodes", int64(s.Nodes), math.MaxInt32), sensible("PerNode", int64(s.PerNode), math.MaxInt32),
		sensible("Buffer", s.Buffer, largestBuffer), sensible("MinDomain", s.MinDomain, largest),
		sensible("Stripe", s.Stripe, largest), known("Read", s.Read), known("Write", s.Write), s.Sieve.Check())
}

func sensible(what string, n, most int64) error {
	if n < 0 || n > most {
		return fault(errclass.Arg, "IO-OPEN-04", "%s of the strategy is %d; it needs 0, for the default, to %d", what, n, most)
	}
	return nil
}

func known(what string, s Switch) error {
	if s > Disable {
		return fault(errclass.Arg, "IO-OPEN-04", "%s of the strategy is %v; there are Automatic, Enable and Disable", what, s)
	}
	return nil
}

// String names the strategy.
func (s Direct) String() string { return "Direct" }

// String shows the strategy with what is not as usual.
func (s Sieve) String() string {
	return "Sieve" + settings(
		setting("ind_rd_buffer_size", s.ReadBuffer, defaultReadBuffer),
		setting("ind_wr_buffer_size", s.WriteBuffer, defaultWriteBuffer),
		setting("romio_ds_read", s.Read, Automatic),
		setting("romio_ds_write", s.Write, Automatic))
}

// String shows the strategy with what is not as usual.
func (s List) String() string { return "List" + settings(setting("most", s.Most, defaultMost)) }

// String shows the strategy with what is not as usual.
func (s TwoPhase) String() string {
	text := "TwoPhase" + settings(
		setting("cb_nodes", s.Nodes, 1),
		setting("ranks a node", s.PerNode, 1),
		setting("cb_buffer_size", s.Buffer, defaultBuffer),
		setting("romio_min_fdomain_size", s.MinDomain, 0),
		setting("striping_unit", s.Stripe, 0),
		setting("romio_cb_read", s.Read, Automatic),
		setting("romio_cb_write", s.Write, Automatic))
	if rest := s.Sieve.String(); rest != "Sieve" {
		text += " over " + rest
	}
	return text
}

func setting[T comparable](hint string, is, usual T) string {
	var zero T
	if is == zero || is == usual {
		return ""
	}
	return fmt.Sprintf("%s %v", hint, is)
}

func settings(all ...string) string {
	var said []string
	for _, s := range all {
		if s != "" {
			said = append(said, s)
		}
	}
	if said == nil {
		return ""
	}
	return "{" + strings.Join(said, ", ") + "}"
}

// fault builds an error about a strategy or a part. It names no rank.
func fault(class errclass.Class, rule, format string, args ...any) error {
	return &errclass.Error{Pkg: "strategy", Op: "NewPlan", Rank: errclass.NoRank, Class: class, Rule: rule, Place: errclass.PlaceOf(callsite.Program()), Err: brief.Errorf(format, args...)}
}
