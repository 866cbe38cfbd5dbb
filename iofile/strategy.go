package iofile

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// A Strategy says by which requests the bytes of an access move between memory
// and file: [Direct], [Sieve], [List] or [TwoPhase]. Strategies are comparable
// values. The bytes that a program reads and the file that it leaves are the
// same under every strategy; requests, messages and speed differ. [File.Plan]
// shows them.
type Strategy interface {
	fmt.Stringer

	// alone plans the access of one rank, without talking to others.
	alone(p *Plan, part *Part)
	// under returns the strategy with the values in use for what it leaves open.
	under(h tuning) Strategy
	check() error
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
// everybody takes the same lock. This module counts that write as it would
// happen, but gives the file only the bytes of the access.
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

// WithStrategy chooses how accesses through the handles of one open move their
// bytes, and lets [File.Counts] count them.
func WithStrategy(s Strategy) OpenOption { return func(o *opening) { o.strategy = s } }

func (s Direct) under(tuning) Strategy { return s }
func (s List) under(tuning) Strategy   { return s }

func (s Sieve) under(h tuning) Strategy {
	return Sieve{
		min(cmp.Or(s.ReadBuffer, h.readBuffer, defaultReadBuffer), largestBuffer),
		min(cmp.Or(s.WriteBuffer, h.writeBuffer, defaultWriteBuffer), largestBuffer),
		cmp.Or(s.Read, h.dsRead),
		cmp.Or(s.Write, h.dsWrite),
	}
}

func (s TwoPhase) under(h tuning) Strategy {
	return TwoPhase{
		cmp.Or(s.Nodes, int(min(h.nodes, math.MaxInt32)), 1),
		min(cmp.Or(s.Buffer, h.buffer, defaultBuffer), largestBuffer),
		s.MinDomain,
		min(cmp.Or(s.Stripe, h.unit), largest),
		cmp.Or(s.Read, h.cbRead),
		cmp.Or(s.Write, h.cbWrite),
		s.Sieve.under(h).(Sieve),
	}
}

// follow makes t tell of what s says itself.
func (t *tuning) follow(s Strategy) {
	var own Sieve
	switch s := s.(type) {
	case Sieve:
		own = s
	case TwoPhase:
		all := s.under(*t).(TwoPhase)
		t.collective = true
		t.nodes = int64(all.Nodes)
		t.buffer, t.unit, t.cbRead, t.cbWrite = all.Buffer, all.Stripe, all.Read, all.Write
		own = s.Sieve
	default:
		return
	}
	own = own.under(*t).(Sieve)
	t.readBuffer, t.writeBuffer, t.dsRead, t.dsWrite = own.ReadBuffer, own.WriteBuffer, own.Read, own.Write
}

const (
	// Sizes of files are below 2^62; so must be what is added to offsets.
	largest = 1 << 61

	// Buffers are memory, in gaps too. A hint of more comes to this much, and
	// [File.Info] says so.
	largestBuffer = 1 << 30
)

func (s Direct) check() error { return nil }

func (s Sieve) check() error {
	return cmp.Or(
		sensible("ReadBuffer", s.ReadBuffer, largestBuffer), sensible("WriteBuffer", s.WriteBuffer, largestBuffer),
		known("Read", s.Read), known("Write", s.Write))
}

func (s List) check() error { return sensible("Most", int64(s.Most), math.MaxInt32) }

func (s TwoPhase) check() error {
	return cmp.Or(
		sensible("Nodes", int64(s.Nodes), math.MaxInt32), sensible("Buffer", s.Buffer, largestBuffer), sensible("MinDomain", s.MinDomain, largest),
		sensible("Stripe", s.Stripe, largest), known("Read", s.Read), known("Write", s.Write), s.Sieve.check())
}

func sensible(what string, n, most int64) error {
	if n < 0 || n > most {
		return broken(ErrArg, "IO-OPEN-04", "%s of the strategy is %d; it needs 0, for the default, to %d", what, n, most)
	}
	return nil
}

func known(what string, s Switch) error {
	if s > Disable {
		return broken(ErrArg, "IO-OPEN-04", "%s of the strategy is %v; there are Automatic, Enable and Disable", what, s)
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
