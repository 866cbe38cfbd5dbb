package strategy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
)

// A Strategy chooses the requests by which the bytes of an access move between memory and
// file: [Direct], [Sieve], [List], [TwoPhase], or a strategy of the program. Strategies are
// comparable values. The bytes that a program reads and the file that it leaves are the same
// under every strategy; requests, messages and speed differ.
type Strategy interface {
	fmt.Stringer

	// With returns the strategy with its zero settings filled in: from h or, if h has no
	// value, by the defaults.
	With(h Hints) Strategy
	// Check returns an error for invalid settings: ErrArg (IO-OPEN-04).
	Check() error
}

// A Planner is a strategy of the program that plans by itself; one that is not is carried out
// like [Direct]. The plan alone says how bytes move. A plan that does not move each byte once
// is an error of the access, ErrArg, which then changes nothing. (IO-OPEN-04)
type Planner interface {
	Strategy

	// Independent adds to p what one rank does to access part, which has bytes: its requests
	// and, if the bytes pass through a buffer, its moves, in packed order. Without
	// moves, each request is for the packed bytes after those of the request before, and the
	// bytes of one round move at once. With moves, each round has one request for them, and a
	// write may first make the same request to read what is between them. Numbers of ranks are
	// filled in afterwards. It must not use files.
	Independent(p *Plan, part *Part)
}

// A JointPlanner is a strategy of the program by which the ranks of a collective access move
// bytes for each other, as they do under [TwoPhase]. The plan alone says how, and is checked
// like that of a [Planner]. If the strategy is also a Planner, that plans all other accesses;
// else they are planned as under [Direct].
type JointPlanner interface {
	Strategy

	// Together adds to p the requests and moves by which the ranks of a collective access
	// move parts, that of rank r in parts[r]. It returns false, and adds nothing, if each
	// rank should move its own bytes. p.Write and p.Ranks are set. One rank calls it for
	// all, so it must not use files.
	//
	// A move brings adjacent bytes, which begin at Pos in the packed bytes of a rank, to the
	// memory of its carrier, or from there, in a round. In each round in which it moves
	// bytes, a carrier makes one request, which covers these bytes; in a write it may first
	// make the same request to read what is between them. The order of moves and requests
	// does not matter.
	Together(p *Plan, parts []Part) bool
}

// Joint reports whether the ranks of a collective access meet to plan it by s: a [TwoPhase] or
// a [JointPlanner].
func Joint(s Strategy) bool {
	switch s.(type) {
	case JointPlanner, TwoPhase:
		return true
	}
	return false
}

// Hints has the values of hints for settings that a strategy leaves zero; 0 and [Automatic]
// give no value.
type Hints struct {
	Nodes                            int64 // aggregators: cb_nodes, cb_config_list
	PerNode                          int64 // ranks of each node, if they are in order; no hint says it
	PerHost                          int64 // most aggregators of a node, [AllOfHost] for all its ranks: cb_config_list
	Buffer                           int64 // bytes: cb_buffer_size
	Unit                             int64 // bytes: striping_unit
	ReadBuffer, WriteBuffer          int64 // bytes: ind_rd_buffer_size, ind_wr_buffer_size
	CBRead, CBWrite, DSRead, DSWrite Switch

	Driver        Driver // of the file system; no hint says it
	Stripes       int64  // servers of the file: striping_factor
	PerServer     int64  // aggregators of a server: romio_lustre_co_ratio
	Multiplier    int64  // the same for Cray: cray_cb_nodes_multiplier
	Threshold     int64  // bytes: romio_lustre_coll_threshold
	DSTogether    Switch // romio_lustre_ds_in_coll
	NoIndependent bool   // romio_no_indep_rw
}

// ROMIO is the strategy of ROMIO, the MPI-IO of MPICH and of other libraries: two phases for
// collective accesses that interleave, and sieving for other accesses, with the settings
// from hints.
var ROMIO Strategy = TwoPhase{}

// Names are the names that [Named] knows.
var Names = []string{"romio", "direct", "sieve", "list", "twophase", "lustre", "cray"}

// Named returns the strategy with a name: romio, direct, sieve, list, twophase, which is
// two phases for every collective access, or lustre or cray, which is romio with that [Driver].
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
	case "lustre":
		return TwoPhase{Driver: Lustre}, true
	case "cray":
		return TwoPhase{Driver: Cray}, true
	}
	return nil, false
}

// A Hint is a key with its value.
type Hint struct{ Key, Value string }

// HintsOf returns the hints that make an MPI library follow s, as far as hints can: none for
// a nil strategy, and those of [Direct] for [List], for which no library has a hint.
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
		s.lustreHints(number, add)
		sieve(s.Sieve)
	default:
		own, ok := s.(Sieve)
		if !ok {
			own = Sieve{Read: Disable, Write: Disable}
		}
		add("romio_cb_read", Disable.String())
		add("romio_cb_write", Disable.String())
		sieve(own)
	}
	return list
}

// Follow returns h with the settings of s itself in place of the hints' values.
func (h Hints) Follow(s Strategy) Hints {
	var own Sieve
	switch s := s.(type) {
	case Sieve:
		own = s
	case TwoPhase:
		all := s.With(h).(TwoPhase)
		h.Nodes = int64(all.Nodes)
		h.Buffer, h.Unit, h.CBRead, h.CBWrite = all.Buffer, all.Stripe, all.Read, all.Write
		h.Driver, h.Stripes, h.PerServer = all.Driver, int64(all.Stripes), int64(all.PerServer)
		h.Threshold, h.DSTogether = all.Threshold, all.Holes
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

// Direct makes one request for each run of adjacent bytes; each rank makes its own. It is
// the default.
type Direct struct{}

// Sieve is data sieving: a rank whose bytes have gaps reads whole stretches of the file,
// gaps included, and picks out its bytes; to write, it reads a stretch, changes its own
// bytes and writes the stretch back under a lock. So it moves more bytes with fewer
// requests. Zero values mean the defaults, buffers are at most 1 GiB.
//
// Writing a stretch back is the danger of sieving: if another handle changes a byte in a gap
// between the read and the write, its change is lost, unless all ranks take the same lock.
// This module counts the whole write, but the access changes only its own bytes; gaps are
// written back, if at all, while no rank can write.
type Sieve struct {
	ReadBuffer  int64  // bytes; hint ind_rd_buffer_size, default 4 MiB
	WriteBuffer int64  // bytes; hint ind_wr_buffer_size, default 512 KiB
	Read        Switch // hint romio_ds_read; Automatic is Enable
	Write       Switch // hint romio_ds_write; Automatic is Enable
}

// List passes lists to the file system: a request has up to Most runs of adjacent bytes,
// default 64.
type List struct{ Most int }

// TwoPhase is collective buffering: the stretch of the file that a collective access touches is cut into domains, one
// for each aggregator. Aggregators are a few of the ranks: they exchange bytes with all others, and only they make
// requests, one buffer at a time. Sieve carries out independent accesses and, under Automatic, collective ones in
// which the ranks' bytes do not interleave. Nonblocking and split collectives are planned like blocking ones. Zero
// values mean the defaults, the buffer is at most 1 GiB.
type TwoPhase struct {
	Nodes     int    // aggregators, at most one for each rank; hint cb_nodes, default 1, because there is one machine
	PerNode   int    // ranks of a machine: aggregators are the first rank of each machine, then the second of each; default 1, for ranks 0, 1, ...
	Buffer    int64  // bytes an aggregator moves at a time; hint cb_buffer_size, default 16 MiB
	MinDomain int64  // bytes of the smallest domain; romio_min_fdomain_size of ROMIO, default 0
	Stripe    int64  // domains end at a multiple of it; hint striping_unit, default 0: anywhere
	Read      Switch // hint romio_cb_read
	Write     Switch // hint romio_cb_write
	Sieve     Sieve

	Driver    Driver // whose rules cut the file into domains
	Stripes   int    // servers of the file, for Lustre and Cray; hint striping_factor, default 1
	PerServer int    // most aggregators of a server; romio_lustre_co_ratio, cray_cb_nodes_multiplier; default 1
	Threshold int64  // Lustre: ranks whose bytes do not interleave and come in longer runs move their own; romio_lustre_coll_threshold, default 0: never
	Holes     Switch // Lustre: Disable writes the pieces between holes one by one; romio_lustre_ds_in_coll
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
	collective := Automatic
	if h.NoIndependent {
		collective = Enable
	}
	t := TwoPhase{
		Nodes:     cmp.Or(s.Nodes, int(min(h.Nodes, math.MaxInt32)), 1),
		PerNode:   cmp.Or(s.PerNode, int(h.PerNode), 1),
		Buffer:    min(cmp.Or(s.Buffer, h.Buffer, defaultBuffer), largestBuffer),
		MinDomain: s.MinDomain,
		Stripe:    min(cmp.Or(s.Stripe, h.Unit), largest),
		Read:      cmp.Or(s.Read, h.CBRead, collective),
		Write:     cmp.Or(s.Write, h.CBWrite, collective),
		Sieve:     s.Sieve.With(h).(Sieve),
		Driver:    cmp.Or(s.Driver, h.Driver),
	}
	return t.withStripes(s, h)
}

const (
	// Sizes of files are below 2^62, and so must be numbers that are added to offsets.
	largest = 1 << 61

	// Buffers take memory even for gaps. A hint for a larger buffer is cut to this size, as
	// Info of the file shows.
	largestBuffer = 1 << 30
)

func (s Direct) Check() error { return nil }

func (s Sieve) Check() error {
	return cmp.Or(
		checkRange("ReadBuffer", s.ReadBuffer, largestBuffer), checkRange("WriteBuffer", s.WriteBuffer, largestBuffer),
		checkSwitch("Read", s.Read), checkSwitch("Write", s.Write))
}

func (s List) Check() error { return checkRange("Most", int64(s.Most), math.MaxInt32) }

func (s TwoPhase) Check() error {
	return cmp.Or(
		checkRange("Nodes", int64(s.Nodes), math.MaxInt32), checkRange("PerNode", int64(s.PerNode), math.MaxInt32),
		checkRange("Buffer", s.Buffer, largestBuffer), checkRange("MinDomain", s.MinDomain, largest),
		checkRange("Stripe", s.Stripe, largest), checkSwitch("Read", s.Read), checkSwitch("Write", s.Write), s.Sieve.Check(),
		s.checkStripes())
}

func checkRange(what string, n, most int64) error {
	if n < 0 || n > most {
		return invalid(errclass.Arg, "IO-OPEN-04", "%s of the strategy is %d; it needs 0, for the default, to %d", what, n, most)
	}
	return nil
}

func checkSwitch(what string, s Switch) error {
	if s > Disable {
		return invalid(errclass.Arg, "IO-OPEN-04", "%s of the strategy is %v; there are Automatic, Enable and Disable", what, s)
	}
	return nil
}

// String names the strategy.
func (s Direct) String() string { return "Direct" }

// String returns the name of the strategy and the settings that differ from the defaults.
func (s Sieve) String() string {
	return "Sieve" + settings(
		setting("ind_rd_buffer_size", s.ReadBuffer, defaultReadBuffer),
		setting("ind_wr_buffer_size", s.WriteBuffer, defaultWriteBuffer),
		setting("romio_ds_read", s.Read, Automatic),
		setting("romio_ds_write", s.Write, Automatic))
}

// String returns the name of the strategy and the settings that differ from the defaults.
func (s List) String() string { return "List" + settings(setting("most", s.Most, defaultMost)) }

// String returns the name of the strategy and the settings that differ from the defaults.
func (s TwoPhase) String() string {
	text := "TwoPhase" + settings(
		s.Driver.setting(),
		setting("striping_factor", s.Stripes, 0),
		setting("aggregators a server", s.PerServer, 1),
		setting("romio_lustre_coll_threshold", s.Threshold, 0),
		setting("romio_lustre_ds_in_coll", s.Holes, Automatic),
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

// invalid returns an error about a strategy or a part. It names no rank.
func invalid(class errclass.Class, rule, format string, args ...any) error {
	return fault.OfCall("strategy", "NewPlan", "", class, rule, format, args...)
}
