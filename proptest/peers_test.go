package proptest

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// A scripter writes one rank's part of a program as a script for a player of another
// library, line by line as a [player] would do it.
type scripter struct {
	strings.Builder
	p     *gen.Program
	rank  int
	empty bool
	later [][]int
}

func flagOf(on bool) int {
	if on {
		return 1
	}
	return 0
}

func (s *scripter) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// scripts returns the texts of all ranks.
func scripts(p *gen.Program) ([]string, error) {
	all := make([]string, p.Ranks)
	for r := range all {
		s := scripter{p: p, rank: r, later: p.Completions(r)}
		for k := range p.Ops {
			s.complete(k)
			if err := s.op(k, &p.Ops[k]); err != nil {
				return nil, err
			}
		}
		s.complete(len(p.Ops))
		all[r] = s.String()
	}
	return all, nil
}

func (s *scripter) complete(k int) {
	if s.later == nil {
		return
	}
	for _, i := range s.later[k] {
		s.line("complete %d", i)
	}
}

func (s *scripter) op(k int, o *gen.Op) error {
	switch o.Do {
	case gen.Write, gen.Read:
		s.access(k, o)
	case gen.Sync:
		s.sync(k, o.Lacks)
	case gen.SetView:
		return s.view(o.Views[s.rank])
	case gen.Seek:
		if !o.By(s.rank) {
			break
		}
		off, _ := o.Args(s.rank)
		s.line("seek %d %d %d", k, off, map[iofile.Whence]int{iofile.SeekSet: 0, iofile.SeekCur: 1, iofile.SeekEnd: 2}[o.Whence])
	case gen.SeekShared:
		s.line("seek_shared %d", o.Off)
	case gen.SetSize, gen.Preallocate:
		s.sync(k, gen.Nothing)
		s.line("barrier")
		s.line("%s %d", map[gen.Do]string{gen.SetSize: "set_size", gen.Preallocate: "preallocate"}[o.Do], o.Size)
		s.sync(k, gen.Nothing)
	case gen.Atomic:
		s.line("atomic %d", flagOf(o.On))
	case gen.Reopen:
		s.empty = false
		s.line("close\nbarrier\nopen")
	}
	return nil
}

func (s *scripter) access(k int, o *gen.Op) {
	turns := o.At == gen.Shared && !o.All
	if turns {
		s.line("barrier")
	}
	if o.By(s.rank) {
		off, n := o.Args(s.rank)
		if s.empty {
			n = 0
		}
		late := flagOf(o.Late && o.Form != gen.Blocking)
		s.line("access %d %d %d %d %d %d %d %d", k, flagOf(o.Do == gen.Write), o.At, flagOf(o.All), o.Form, late, off, n)
	}
	if turns {
		s.line("barrier")
	}
}

func (s *scripter) sync(k int, lacks gen.Lack) {
	for _, part := range []struct {
		lack gen.Lack
		verb string
	}{{gen.WriterSync, "sync"}, {gen.Order, "barrier"}, {gen.ReaderSync, "sync"}} {
		if lacks != part.lack {
			s.line("%s", part.verb)
		}
	}
	if lacks == gen.Nothing {
		s.line("size %d", k)
	}
}

func (s *scripter) view(v iofile.View) error {
	etype, err := peers.Recipe(v.Etype)
	if err != nil {
		return err
	}
	filetype, err := peers.Recipe(v.Filetype)
	if err != nil {
		return err
	}
	s.empty = v.Filetype.Size(types.Host) == 0
	s.line("view %d %d %s\ntype %s\ntype %s", v.Disp, etypeOf(v.Etype, v.Rep).items[0].mem, v.Rep, etype, filetype)
	return nil
}

// traceOf parses the output of a player.
func traceOf(p *gen.Program, played *peers.Played) (*trace, error) {
	t := &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks, stored: played.File, hasStored: true}
	for r, text := range played.Lines {
		for line := range strings.Lines(text) {
			if err := t.read(r, strings.TrimSpace(line)); err != nil {
				return nil, fmt.Errorf("rank %d printed %q: %w", r, line, err)
			}
		}
	}
	return t, nil
}

func (t *trace) read(rank int, line string) error {
	var verb string
	var op int
	var n, pos, shared int64
	var data string
	if strings.HasPrefix(line, "access") {
		if _, err := fmt.Sscan(line, &verb, &op, &n, &pos, &shared, &data); err != nil {
			return err
		}
	} else if _, err := fmt.Sscan(line, &verb, &op, &n); err != nil {
		return err
	}
	see := t.of(op, rank)
	switch verb {
	case "access":
		var err error
		see.moved = int(n)
		see.pos, see.hasPos = pos, pos >= 0
		see.shared, see.hasShare = shared, shared >= 0
		see.data, err = hex.DecodeString(strings.TrimSuffix(data, "."))
		return err
	case "pos":
		see.pos, see.hasPos = n, true
	case "size":
		see.size, see.hasSize = n, true
	}
	return nil
}

var played = flag.Int("played", 20, "how many programs of each number of ranks from 1 to 3 TestPeersPlay lets each library play")

var playedFrom = flag.Int("played.from", 1, "which programs those are; 0: others every time")

// TestPeersPlay: if it fails, another library and the definition differ about the bytes
// that a program reads, counts, pointers or the final file; one of the two, or the list
// of known deviations, is wrong. This module plays the same programs.
func TestPeersPlay(t *testing.T) {
	thorough.Only(t)
	for _, lib := range append(peers.All(), peers.OpenMPIROMIO) {
		t.Run(lib.Name, func(t *testing.T) {
			if err := lib.Missing(); err != nil {
				t.Skip(err)
			}
			if types.Host.Sizeof(types.KindLong) != 8 || !hostIsLittle {
				t.Skip("SKIPPED: the ranks of programs are LP64LE machines, the libraries here are not")
			}
			for ranks := 1; ranks <= 3; ranks++ {
				t.Run(fmt.Sprintf("GEN-01 %d ranks", ranks), func(t *testing.T) { playBoth(t, lib, ranks) })
			}
		})
	}
}

func playBoth(t *testing.T, lib *peers.Library, ranks int) {
	seed := *playedFrom
	if seed == 0 {
		seed = rand.Int()
	}
	draw := gen.Programs(gen.Limits{Ranks: ranks, Ops: 10, Exact: true, Use: gen.Everything &^ (gen.Representations | gen.FileHints)})
	known := map[string]int{}
	var list []*gen.Program
	var texts [][]string
	var ours []*trace
	for i := 0; len(list) < *played; i++ {
		p := draw.Example(seed + i)
		p.Ranks = ranks
		t0, err := play(Ours([]iofile.Option{iofile.WithModel(consistency.POSIX)}), p, manner{})
		require.NoError(t, err)
		require.NoError(t, judge(p, t0))
		if why := deadly(lib, p, t0); why != "" {
			known[why]++
			continue
		}
		s, err := scripts(p)
		require.NoError(t, err)
		list, texts, ours = append(list, p), append(texts, s), append(ours, t0)
	}
	out, err := lib.Play(t.Context(), ranks, texts)
	require.NoError(t, err)
	for i, p := range list {
		if strings.Contains(out[i].Failed, "no rank went on") { // ranks that poll starve others on a busy machine
			again, err := lib.Play(t.Context(), ranks, texts[i:i+1])
			require.NoError(t, err)
			out[i] = again[0]
		}
		why := ""
		if out[i].Failed != "" {
			err = failure(out[i].Failed)
			why = deviation(lib, p, ours[i], nil, err)
		} else if theirs, bad := traceOf(p, &out[i]); assert.NoError(t, bad) {
			why, err = verdict(lib, p, ours[i], theirs)
		}
		switch {
		case err == nil && why == "":
			known["as the standard says"]++
		case why != "":
			known[why]++
		case lib != peers.MPICH:
			// The I/O of Open MPI fails in too many ways, some of them by chance, to list each.
			// New ones are shown.
			known["UNEXPLAINED"]++
			t.Logf("UNEXPLAINED: %s, programs from %d on:\n%v\n%v", lib.Name, seed, p, err)
		default:
			t.Errorf("%s, programs from %d on:\n%v\n%v", lib.Name, seed, p, err)
		}
	}
	t.Logf("%s, %d ranks: %v", lib.Name, ranks, known)
}

// deadly returns why a program is not given to a library because it would not end there;
// "" if it would. ours is this module's trace of it.
func deadly(lib *peers.Library, p *gen.Program, ours *trace) string {
	for k := range p.Ops {
		o := &p.Ops[k]
		moves := o.Do == gen.Read || o.Do == gen.Write
		switch {
		case lib == peers.OpenMPI && o.Do == gen.Read && o.Form != gen.Blocking && short(p, ours, k):
			return "not played: a nonblocking or split read past the end never completes"
		case lib == peers.OpenMPIROMIO && moves && o.All && o.Form == gen.Nonblocking:
			return "not played: the process crashes in a nonblocking collective access"
		}
	}
	return ""
}

// short reports whether a rank read less than it asked for.
func short(p *gen.Program, t *trace, k int) bool {
	for r := range p.Ranks {
		if see := t.of(k, r); see.moved < len(see.data) {
			return true
		}
	}
	return false
}

// stale is the deviation of a library that sets no count if no bytes were asked for.
const stale = "the count of an access to nothing is left from another one"

// A failure is the reason why a program ended early in a library.
type failure string

func (f failure) Error() string { return string(f) }

// asked is the deviation of libraries that return the count asked for although a read was
// cut.
const asked = "the count of a read past the end is what was asked for"

// verdict judges the trace of a library. If the library is known to count wrongly, it is
// judged with the right count, which this module found.
func verdict(lib *peers.Library, p *gen.Program, ours, theirs *trace) (why string, err error) {
	for range len(p.Ops) * p.Ranks {
		err = judge(p, theirs)
		found := deviation(lib, p, ours, theirs, err)
		if found != "" {
			why = found
		}
		if err == nil || found != asked && found != stale {
			return why, err
		}
		d := err.(*Disagreement)
		theirs.of(d.Op, d.Rank).moved = ours.of(d.Op, d.Rank).moved
	}
	return why, err
}

// deviation returns the name of a known deviation of a library that explains the error;
// "" if there is none.
func deviation(lib *peers.Library, p *gen.Program, ours, theirs *trace, err error) string {
	var f failure
	if errors.As(err, &f) && lib == peers.OpenMPI && disturbed(p, string(f)) {
		return "sizes and modes: a collective of one number fails or sticks though all ranks give the same"
	}
	if f != "" && lib != peers.OpenMPI && strings.Contains(string(f), "File_seek(") && seeksBefore(p, ours) {
		return beforeView
	}
	var d *Disagreement
	if !errors.As(err, &d) || d.Op >= len(p.Ops) || d.Rank < 0 {
		return ""
	}
	o, see := &p.Ops[d.Op], theirs.of(d.Op, d.Rank)
	_, n := o.Args(d.Rank)
	full := o.Do == gen.Read && see.moved == len(see.data)
	switch {
	case lib == peers.OpenMPIROMIO && n == 0 && see.moved > 0:
		return stale
	case full && strings.Contains(d.What, "want"):
		// If the library sieves, exchanges data or starts an access; not in a plain read.
		if lib != peers.OpenMPI && (o.All || o.Form != gen.Blocking || !plain(d.View)) || lib == peers.OpenMPI && o.All {
			return asked
		}
	case lib != peers.OpenMPI && strings.Contains(d.What, "the individual pointer is at") && cutBefore(p, ours, d.Op):
		return "the pointer of a nonblocking read cut by the end goes back when it completes"
	case lib == peers.OpenMPI && o.At == gen.Individual && o.Do == gen.Read:
		return "DIV-04: the pointer moves by what was asked for"
	case o.Do == gen.Seek && o.Whence == iofile.SeekEnd && lib == peers.OpenMPI:
		return "DIV-03: the end of the file is elsewhere in a view"
	case o.Do == gen.Seek && o.Whence == iofile.SeekEnd && strings.HasSuffix(d.What, "the file has 0 bytes"):
		return beforeView
	case o.Do == gen.Preallocate && lib == peers.OpenMPI:
		return "preallocating makes a file longer that is long enough"
	case o.Do == gen.Seek && emptyView(p, d):
		return "the pointer of a view of nothing stays where it is"
	}
	return ""
}

const beforeView = "DIV-35: the end of a file that ends before the view begins is before the view"

// seeksBefore reports whether a rank seeks to the end of a file that may end so far
// before the view begins that the offset would be negative.
func seeksBefore(p *gen.Program, ours *trace) bool {
	for k := range p.Ops {
		o := &p.Ops[k]
		if o.Do != gen.Seek || o.Whence != iofile.SeekEnd {
			continue
		}
		for r := range p.Ranks {
			v := viewOf(p, k, r)
			if off, _ := o.Args(r); o.By(r) && v != nil && v.Disp > 0 && ours.of(k, r).pos == off {
				return true
			}
		}
	}
	return false
}

// disturbed reports whether a failure is, or may be, that of a collective call that compares
// a number: there Open MPI confuses its own messages, most often after nonblocking accesses.
func disturbed(p *gen.Program, failed string) bool {
	for _, call := range []string{"File_set_size", "File_preallocate", "File_set_atomicity"} {
		if strings.Contains(failed, call) {
			return true
		}
	}
	started := false
	for k := range p.Ops {
		switch o := &p.Ops[k]; o.Do {
		case gen.Read, gen.Write:
			started = started || o.Form != gen.Blocking
		case gen.SetSize, gen.Preallocate, gen.Atomic:
			if started && strings.Contains(failed, "no rank went on") {
				return true
			}
		}
	}
	return false
}

// plain reports whether a view, as a disagreement describes it, is without holes.
func plain(view string) bool {
	words := strings.Fields(view)
	return len(words) == 4 && words[1] == words[2]
}

// cutBefore reports whether a nonblocking read by the individual pointer that
// came before an operation was cut by the end of the file.
func cutBefore(p *gen.Program, ours *trace, op int) bool {
	for k := range op {
		if o := &p.Ops[k]; o.Do == gen.Read && o.At == gen.Individual && o.Form != gen.Blocking && short(p, ours, k) {
			return true
		}
	}
	return false
}

// emptyView reports whether the view of the rank shows no bytes.
func emptyView(p *gen.Program, d *Disagreement) bool {
	v := viewOf(p, d.Op, d.Rank)
	return v != nil && v.Filetype.Size(types.Host) == 0
}

// viewOf returns the view that a rank has at an operation, nil for the default view.
func viewOf(p *gen.Program, op, rank int) *iofile.View {
	for k := op; k >= 0; k-- {
		switch o := &p.Ops[k]; o.Do {
		case gen.Reopen:
			return nil
		case gen.SetView:
			return &o.Views[rank]
		}
	}
	return nil
}
