package proptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// Promises runs a program whose files fail, see [gen.FaultPrograms], on a [Faulty] layer
// and checks what must hold in spite of any failure:
//
//  1. bytes that were synced, or closed over, survive;
//  2. an access that fails changes no byte but its own;
//  3. all ranks of a collective call get the error, and none waits for ever;
//  4. an access counts the bytes that moved, whether it failed or not;
//  5. the same program fails in the same way again;
//  6. handles work again when nothing fails any more, and pointers moved by
//     the bytes moved.
func Promises(mk Maker, p *gen.Program) error {
	first, err := runWithFaults(mk, p)
	if err != nil {
		return explain(p, err)
	}
	again, err := runWithFaults(mk, p)
	if err == nil {
		err = first.differs(again)
	}
	return explain(p, err)
}

// A faultRun is one run of a program whose files fail.
type faultRun struct {
	l     Layer
	p     *gen.Program
	ranks []keeper
	end   []byte // of the file
}

// A keeper has the values that a rank's own bytes may have, according to the results of its
// calls.
type keeper struct {
	now     []values // that a read may return
	disk    []values // that may be in the file if the program ends now
	pos     int64
	results []outcome // of each operation; the first is the open before them
}

// An outcome is the result of one operation on a rank.
type outcome struct {
	err   error
	moved int
	data  []byte
	pos   int64
}

// A values is a set of byte values.
type values [4]uint64

func only(b byte) values {
	var v values
	v.add(b)
	return v
}

func (v *values) add(b byte)      { v[b/64] |= 1 << (b % 64) }
func (v *values) has(b byte) bool { return v[b/64]&(1<<(b%64)) != 0 }

func (v *values) join(o values) {
	for i := range v {
		v[i] |= o[i]
	}
}

func (v *values) first() byte {
	for b := range 256 {
		if v.has(byte(b)) {
			return byte(b)
		}
	}
	return 0
}

// before is the operation that wrote the initial content of the file.
const before = 1 << 10

// runWithFaults runs a program on a new layer, up to the first promise that is broken.
func runWithFaults(mk Maker, p *gen.Program) (od *faultRun, err error) {
	l, err := mk()
	if err != nil {
		return nil, fmt.Errorf("no layer: %w", err)
	}
	if c, ok := l.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if _, ok := l.(Faulty); !ok {
		return nil, errors.New("the layer is not Faulty: its files cannot be made to fail")
	}
	od = &faultRun{l: l, p: p, ranks: make([]keeper, p.Ranks)}
	if err := od.prepare(); err != nil {
		return nil, err
	}
	err = world.Run(context.Background(), p.Ranks, func(_ context.Context, c *comm.Comm) error {
		s := &faultRank{faultRun: od, c: c, me: &od.ranks[c.Rank()]}
		return s.run()
	}, manner{}.options(p)...)
	var killed *world.AbortError
	if err != nil && !(od.kills() && errors.As(err, &killed)) {
		return nil, err
	}
	if err := l.(Faulty).Fail(); err != nil {
		return nil, err
	}
	t := &trace{}
	if err := t.look(l, fileName, 0, int64(od.p.Ranks)*od.p.Reach); err != nil {
		return nil, fmt.Errorf("when nothing fails any more: %w", err)
	}
	od.end = t.stored
	return od, od.survived(t.stored)
}

// kills reports whether some rule aborts the world.
func (od *faultRun) kills() bool {
	return slices.ContainsFunc(od.p.Faults, func(r faults.Rule) bool { return r.Kill })
}

// prepare fills the file while nothing fails, and then sets the rules.
func (od *faultRun) prepare() error {
	if err := od.l.(Faulty).Fail(); err != nil {
		return err
	}
	err := world.Run(context.Background(), od.p.Ranks, func(_ context.Context, c *comm.Comm) error {
		me := &od.ranks[c.Rank()]
		mem := make([]byte, od.p.Reach)
		bytewise.mark(mem, c.Rank(), before)
		for _, b := range mem {
			me.now, me.disk = append(me.now, only(b)), append(me.disk, only(b))
		}
		f, err := od.l.Open(c, fileName)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(mem, int64(c.Rank())*od.p.Reach)
		return errors.Join(err, f.Close())
	}, world.Unchecked())
	if err != nil {
		return fmt.Errorf("before anything fails: %w", err)
	}
	return od.l.(Faulty).Fail(od.p.Faults...)
}

// survived compares the stored bytes with the promised ones. (1, 2)
func (od *faultRun) survived(file []byte) error {
	for r := range od.ranks {
		for i := range od.ranks[r].disk {
			at := int64(r)*od.p.Reach + int64(i)
			if at >= int64(len(file)) {
				return fmt.Errorf("byte %d of rank %d is lost: only %d bytes are stored", at, r, len(file))
			}
			if !od.ranks[r].disk[i].has(file[at]) {
				return fmt.Errorf("the stored bytes are not those that rank %d was promised: %w", r, od.wrong(od.ranks[r].disk, file[int64(r)*od.p.Reach:], int64(i), at))
			}
		}
	}
	return nil
}

// wrong returns an error with the bytes that have impossible values, from number i of a
// list on; the first of them is byte at of the file.
func (od *faultRun) wrong(may []values, got []byte, i, at int64) error {
	n := i
	var want []byte
	for ; n < int64(min(len(may), len(got))) && !may[n].has(got[n]); n++ {
		want = append(want, may[n].first())
	}
	origin := ""
	ref := reference{p: od.p}
	if by := ref.writerOf(got[i:n], want); by != "" {
		origin = "\n  " + by
	}
	return fmt.Errorf("bytes [%d, %d) of the file are wrong\n  want, for one\n%s  got\n%s%s", at, at+n-i, dump(at, want), dump(at, got[i:n]), origin)
}

// differs returns an error if another run of the same program has another result. (5)
func (od *faultRun) differs(o *faultRun) error {
	for r := range od.ranks {
		a, b := od.ranks[r].results, o.ranks[r].results
		for k := range min(len(a), len(b)) {
			x, y := &a[k], &b[k]
			if (x.err == nil) != (y.err == nil) || x.moved != y.moved || x.pos != y.pos || !bytes.Equal(x.data, y.data) {
				return fmt.Errorf("the same program fails in another way: at %s, rank %d moved %d bytes with error %v, then %d with %v",
					od.name(k), r, x.moved, x.err, y.moved, y.err)
			}
		}
		if len(a) != len(b) {
			return fmt.Errorf("the same program fails in another way: rank %d came to %s, then to %s", r, od.name(len(a)-1), od.name(len(b)-1))
		}
	}
	if !bytes.Equal(od.end, o.end) {
		return errors.New("the same program fails in another way: it leaves another file")
	}
	return nil
}

// name returns the name of the operation of an outcome.
func (od *faultRun) name(k int) string {
	if k <= 0 {
		return "the first open"
	}
	return fmt.Sprintf("operation %d, %s", k-1, od.p.Ops[k-1].Call())
}

// A faultRank runs one rank of a faultRun.
type faultRank struct {
	*faultRun
	c  *comm.Comm
	me *keeper
	f  File // nil: it could not be opened, or was closed with an error
}

func (s *faultRank) run() error {
	for k := range len(s.p.Ops) + 1 {
		out, wrong := s.step(k)
		s.me.results = append(s.me.results, out)
		if wrong != nil {
			return fmt.Errorf("rank %d, %s: %w", s.c.Rank(), s.name(k), wrong)
		}
		if err := s.c.Barrier(); err != nil {
			return err
		}
		if err := s.agreed(k); err != nil {
			return err
		}
		if err := s.c.Barrier(); err != nil {
			return err
		}
	}
	return s.recover()
}

// agreed checks that a collective call had the same result on all ranks, and that the
// bytes that are safe after it are stored. (3, 1)
func (s *faultRank) agreed(k int) error {
	collective := k == 0 || s.p.Ops[k-1].All || s.f == nil
	for r := range s.ranks {
		a, b := s.ranks[0].results[k].err, s.ranks[r].results[k].err
		if collective && (a == nil) != (b == nil) {
			return fmt.Errorf("%s: rank 0 got %v, rank %d %v", s.name(k), a, r, b)
		}
	}
	synced := k > 0 && (s.p.Ops[k-1].Do == gen.Sync || s.p.Ops[k-1].Do == gen.Reopen) && s.me.results[k].err == nil
	if st, ok := s.l.(Storage); ok && synced && s.c.Rank() == 0 {
		file, err := st.Stored(fileName)
		if err == nil {
			err = s.survived(file)
		}
		if err != nil {
			return fmt.Errorf("after %s: %w", s.name(k), err)
		}
	}
	return nil
}

// step performs one operation; while no file is open, it tries to open it.
func (s *faultRank) step(k int) (out outcome, wrong error) {
	if k == 0 || s.f == nil {
		out.err = s.open()
		return out, nil
	}
	o := &s.p.Ops[k-1]
	switch {
	case o.Do == gen.Sync:
		if out.err = s.f.Sync(); out.err == nil {
			s.kept()
		}
	case o.Do == gen.Reopen:
		if out.err = s.close(); out.err == nil {
			out.err = s.open()
		}
	case o.By(s.c.Rank()):
		return s.access(k-1, o)
	}
	return out, nil
}

// kept records that a sync or a close succeeded.
func (s *faultRank) kept() { copy(s.me.disk, s.me.now) }

func (s *faultRank) open() error {
	f, err := s.l.Open(s.c, fileName)
	if err != nil {
		return err
	}
	s.f, s.me.pos = f, int64(s.c.Rank())*s.p.Reach
	if f, ok := s.f.(IndividualFile); ok {
		return f.Seek(iofile.Offset(s.me.pos), iofile.SeekSet)
	}
	return nil
}

// close closes the handle and ignores whether it failed.
func (s *faultRank) close() error {
	err := s.f.Close()
	s.f = nil
	if err == nil {
		s.kept()
		return nil
	}
	for i := range s.me.now { // the handle's unsynced bytes may be lost or not
		s.me.now[i].join(s.me.disk[i])
	}
	return err
}

// untouched is the byte that fills the memory of reads beforehand.
const untouched = 0xee

func (s *faultRank) access(k int, o *gen.Op) (out outcome, wrong error) {
	off, n := o.Args(s.c.Rank())
	if o.At == gen.Individual {
		off = s.me.pos
	}
	first := off - int64(s.c.Rank())*s.p.Reach
	mem := bytes.Repeat([]byte{untouched}, int(n))
	if o.Do == gen.Write {
		bytewise.mark(mem, s.c.Rank(), k)
		for i, b := range mem {
			s.me.disk[first+int64(i)].add(b)
		}
	}
	a := o.Access()
	pl := player{c: s.c, handle: &handle{f: s.f}, p: s.p}
	var see observation
	out.moved, out.err = pl.call(a, mem, off, &see)
	if out.moved < 0 || int64(out.moved) > n || out.err == nil && int64(out.moved) != n {
		return out, fmt.Errorf("%d of %d bytes were moved, with error %v", out.moved, n, out.err)
	}
	may := s.me.now[first : first+n]
	if o.Do == gen.Write {
		wrote(may, mem, out, a)
	} else if wrong = s.checkRead(may, mem, out.moved, off); wrong != nil {
		return out, wrong
	} else {
		out.data = mem
	}
	if o.At == gen.Individual {
		out.pos, wrong = s.pointer(a, n, out)
	}
	return out, wrong
}

// wrote records the possible bytes after a write: it wrote its first bytes. After a
// collective write that failed it may have written any of its bytes, if ranks write for
// each other.
func wrote(may []values, mem []byte, out outcome, a gen.Access) {
	for i, b := range mem {
		switch {
		case a.All && out.err != nil:
			may[i].add(b)
		case i < out.moved:
			may[i] = only(b)
		}
	}
}

// checkRead checks the bytes that a read returned, and that it changed no more of its memory.
// (4)
func (s *faultRank) checkRead(may []values, mem []byte, moved int, off int64) error {
	for i, b := range mem {
		switch {
		case i < moved && !may[i].has(b):
			return s.wrong(may, mem[:moved], int64(i), off+int64(i))
		case i >= moved && b != untouched:
			return fmt.Errorf("byte %d of the memory changed, but %d bytes were moved", i, moved)
		}
	}
	return nil
}

// pointer checks that the pointer moved by the bytes moved. A nonblocking access may have
// moved it by the bytes asked for. If a collective write failed and its bytes are not its
// first ones, the pointer may stay. (6)
func (s *faultRank) pointer(a gen.Access, n int64, out outcome) (int64, error) {
	pos, err := s.f.(IndividualFile).Position()
	if err != nil {
		return 0, fmt.Errorf("the position is not known: %w", err)
	}
	by := pos - s.me.pos
	stays := by == 0 && a.All && a.Write && out.err != nil
	if by != int64(out.moved) && !stays && (a.Form == gen.Blocking || by != n) {
		return pos, fmt.Errorf("the individual pointer moved by %d of %d bytes, want %d, with error %v", by, n, out.moved, out.err)
	}
	s.me.pos = pos
	return pos, nil
}

// recover checks that everything works when nothing fails any more. (6)
func (s *faultRank) recover() error {
	if s.c.Rank() == 0 {
		if err := s.l.(Faulty).Fail(); err != nil {
			return err
		}
	}
	if err := s.c.Barrier(); err != nil {
		return err
	}
	if err := s.checkUsable(); err != nil {
		return fmt.Errorf("when nothing fails any more, on rank %d: %w", s.c.Rank(), err)
	}
	return nil
}

// checkUsable reads all bytes of this rank, writes one, syncs and closes.
func (s *faultRank) checkUsable() error {
	if s.f == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	first := int64(s.c.Rank()) * s.p.Reach
	mem := bytes.Repeat([]byte{untouched}, int(s.p.Reach))
	n, err := s.f.ReadAt(mem, first)
	if err == nil && n != len(mem) {
		err = fmt.Errorf("%d of %d bytes are read", n, len(mem))
	}
	if err == nil {
		err = s.checkRead(s.me.now, mem, n, first)
	}
	if err == nil {
		_, err = s.f.WriteAt([]byte{7}, first)
		s.me.now[0] = only(7)
		s.me.disk[0].add(7)
	}
	if err = errors.Join(err, s.f.Sync()); err == nil {
		s.kept()
	}
	return errors.Join(err, s.close())
}
