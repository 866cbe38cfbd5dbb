package iofile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"github.com/commworld/commworld/world"
	"pgregory.net/rapid"
)

// A seen is a file as one handle sees it by the definition: the adopted version, overlaid
// by every byte that the handle wrote since.
type seen struct {
	base []int16 // hole where no rank wrote
	own  map[int64]byte
	size int64
	pos  int64
	view iofile.View
	wild bool // bytes that no rank wrote read as anything in this store, else as poison

	posix bool // the handle sees others' writes at once, so the file may grow within a step
}

// A reference is a direct model of MPI-IO: flat bytes and lists of byte offsets. Bytes that
// two ranks wrote between two syncs are dirty: they belong to no rank.
type reference struct {
	ranks []seen
	image []int16
	dirty map[int64]bool
}

const hole = -1

// at returns a byte as the handle sees it; known is false if it may be any.
func (s *seen) at(off int64) (b byte, known bool) {
	if b, ok := s.own[off]; ok {
		return b, true
	}
	if off < int64(len(s.base)) && s.base[off] != hole {
		return byte(s.base[off]), true
	}
	return 0xa5, !s.wild
}

// offsets lists the bytes in the file of n etypes from off on.
func (s *seen) offsets(off, n int64) []int64 {
	sizes := sizesOf(s.view.Rep)
	esize := s.view.Etype.Size(sizes)
	m := naive.Of(s.view.Filetype, sizes)
	if m.Size() == 0 {
		return nil
	}
	all := m.Bytes((off+n)*esize/m.Size() + 1)[off*esize : (off+n)*esize]
	for i := range all {
		all[i] += s.view.Disp
	}
	return all
}

func sizesOf(rep string) types.Sizes {
	if rep == "native" {
		return reps.LP64LE
	}
	return reps.External32
}

// end counts etypes up to the first that starts after the last byte.
func (s *seen) end() int64 {
	if s.view.Filetype.Size(types.Host) == 0 {
		return 0
	}
	esize := s.view.Etype.Size(sizesOf(s.view.Rep))
	for k := int64(0); ; k++ {
		if s.offsets(k, 1)[:esize][0] >= s.size {
			return k
		}
	}
}

// sync is sync, barrier, sync on all ranks.
func (ref *reference) sync() {
	writers := map[int64]int{}
	size := int64(len(ref.image))
	for i := range ref.ranks {
		for off := range ref.ranks[i].own {
			writers[off]++
			size = max(size, off+1)
		}
	}
	ref.image = append(ref.image, slices.Repeat([]int16{hole}, int(size)-len(ref.image))...)
	for i := range ref.ranks {
		for off, b := range ref.ranks[i].own {
			ref.image[off] = int16(b)
			delete(ref.dirty, off)
			if writers[off] > 1 {
				ref.dirty[off] = true
			}
		}
	}
	for i := range ref.ranks {
		s := &ref.ranks[i]
		s.base, s.own, s.size = slices.Clone(ref.image), map[int64]byte{}, size
	}
}

func (ref *reference) resize(n int64) {
	ref.image = append(ref.image[:min(n, int64(len(ref.image)))], slices.Repeat([]int16{hole}, max(0, int(n)-len(ref.image)))...)
	for i := range ref.ranks {
		s := &ref.ranks[i]
		s.base, s.size = s.base[:min(n, int64(len(s.base)))], n
		for off := range s.own {
			if off >= n {
				delete(s.own, off)
			}
		}
	}
	for off := range ref.dirty {
		if off >= n {
			delete(ref.dirty, off)
		}
	}
}

// A step is one call of all ranks, each with arguments of its own.
type step struct {
	what string // view, write, read, seek, sync, size
	view []iofile.View
	at   []int64 // explicit offset, -1 for the individual pointer; seek: offset from the end
	n    []int64 // etypes
	all  bool
	size int64
	form int // of the call: blocking, nonblocking, split if collective
}

func (s step) String() string {
	switch s.what {
	case "view":
		return fmt.Sprintf("view %v", s.view)
	case "size":
		return fmt.Sprintf("size %d", s.size)
	}
	return fmt.Sprintf("%s at %v n %v all %v form %d", s.what, s.at, s.n, s.all, s.form)
}

// drawView draws a view that may be written through, of one of few etypes.
func drawView(t *rapid.T, etype *types.Type, rep string) iofile.View {
	small := func(name string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, name) }
	ft := etype
	switch rapid.IntRange(0, 5).Draw(t, "filetype") {
	case 1:
		ft = types.Contiguous(small("n", 0, 3), etype)
	case 2:
		b := small("block", 1, 2)
		ft = types.Vector(small("n", 1, 3), b, b+small("gap", 0, 2), etype)
	case 3:
		ft = types.Subarray(types.OrderFortran, []types.Slab{{Size: 4, Sub: small("sub", 1, 2), Start: 2}, {Size: 3, Sub: 2, Start: 1}}, etype)
	case 4:
		ft = types.Indexed([]types.Block{{Len: 1, Disp: small("d", 0, 2)}, {Len: small("l", 0, 2), Disp: 4}}, etype)
	case 5:
		b := small("block", 1, 2)
		_, ext := etype.Extent(sizesOf(rep))
		ft = types.Resized(types.Contiguous(b, etype), 0, ext*(b+small("gap", 0, 3)))
	}
	return iofile.View{Disp: small("disp", 0, 9), Etype: etype, Filetype: ft, Rep: rep}
}

func drawStep(t *rapid.T, ranks int) step {
	s := step{what: rapid.SampledFrom([]string{"write", "read", "sync", "view", "seek", "size"}).Draw(t, "what")}
	s.all = rapid.Bool().Draw(t, "all")
	s.size = rapid.Int64Range(0, 40).Draw(t, "size")
	s.form = rapid.IntRange(blocking, splitting).Draw(t, "form")
	etype := rapid.SampledFrom([]*types.Type{types.Char, types.Short, types.Long, types.DoubleInt}).Draw(t, "etype")
	rep := rapid.SampledFrom([]string{"native", "external32"}).Draw(t, "rep")
	for range ranks {
		s.n = append(s.n, rapid.Int64Range(0, 5).Draw(t, "etypes"))
		s.at = append(s.at, rapid.Int64Range(-1, 6).Draw(t, "at"))
		if s.what == "view" {
			s.view = append(s.view, drawView(t, etype, rep))
		}
	}
	return s
}

// values returns the values that rank r writes in step k, in memory and in the file. Each
// byte says where it comes from, and every representation can hold it.
func values(view iofile.View, r, k int, n int64) (mem, file []byte) {
	sig := view.Etype.Signature()
	items := n * sig.Len()
	mem = make([]byte, sig.BytesBefore(items, reps.LP64LE))
	for i := range mem {
		mem[i] = byte(1 + r + 7*k + 3*i)
	}
	if view.Etype == types.Long { // values that a long of 4 bytes can hold
		for i := 0; i < len(mem); i += 8 {
			long := mem[i : i+8]
			binary.NativeEndian.PutUint64(long, binary.NativeEndian.Uint64(long)&0xffffff)
		}
	}
	file = make([]byte, sig.BytesBefore(items, sizesOf(view.Rep)))
	rep, err := reps.Lookup(view.Rep, reps.LP64LE)
	if err == nil {
		err = rep.Encode(file, mem, reps.LP64LE, sig, 0, items)
	}
	if err != nil {
		panic(err)
	}
	return mem, file
}

// run does step s on this rank, and returns the difference from the reference.
func (ref *reference) run(f *iofile.File, c *comm.Comm, s step, k int) error {
	r := c.Rank()
	me := &ref.ranks[r]
	switch s.what {
	case "view":
		me.view, me.pos = s.view[r], 0
		return f.SetView(s.view[r])
	case "sync":
		return syncBarrierSync(f, c)
	case "size":
		return f.SetSize(s.size)
	case "seek":
		to := me.end() + s.at[r]
		if err := f.Seek(iofile.Offset(s.at[r]), iofile.SeekEnd); err != nil {
			if to < 0 {
				return nil
			}
			return err
		}
		me.pos = to
		return check(f, me)
	}
	return ref.access(f, s, r, k)
}

func (ref *reference) access(f *iofile.File, s step, r, k int) error {
	me := &ref.ranks[r]
	n := s.n[r]
	if me.view.Filetype.Size(types.Host) == 0 {
		n = 0
	}
	off := me.pos
	if s.at[r] >= 0 {
		off = s.at[r]
	}
	mem, file := values(me.view, r, k, n)
	places := me.offsets(off, n)
	if s.what == "write" {
		if _, err := call(f, s, s.at[r], true, types.Raw(packedAsMemory(me.view.Etype, mem, n), n, me.view.Etype)); err != nil {
			return err
		}
		for i, at := range places {
			me.own[at] = file[i]
			me.size = max(me.size, at+1)
		}
		if s.at[r] < 0 {
			me.pos += n
		}
		return check(f, me)
	}
	return ref.read(f, s, r, off, n, places)
}

func (ref *reference) read(f *iofile.File, s step, r int, off, n int64, places []int64) error {
	me := &ref.ranks[r]
	l, err := me.view.Etype.Layout(reps.LP64LE)
	if err != nil {
		return err
	}
	got := bytes.Repeat([]byte{0xee}, int(n*l.Extent))
	st, err := call(f, s, s.at[r], false, types.Raw(got, n, me.view.Etype))
	if err != nil {
		return err
	}
	readable := 0
	for readable < len(places) && places[readable] < me.size {
		readable++
	}
	esize := me.view.Etype.Size(sizesOf(me.view.Rep))
	whole := int64(readable) / esize
	count, ok := st.Count(me.view.Etype)
	if cut := int64(readable)%esize != 0; ok == cut && n > 0 || !cut && count != whole {
		return fmt.Errorf("rank %d read %d etypes (%v), want %d and %d bytes of another", r, count, ok, whole, int64(readable)%esize)
	}
	if s.at[r] < 0 {
		me.pos += (int64(readable) + esize - 1) / esize
	}
	want, unknown := make([]byte, whole*esize), false
	for i := range want {
		var known bool
		want[i], known = me.at(places[i])
		_, mine := me.own[places[i]]
		unknown = unknown || !known || ref.dirty[places[i]] && !mine
	}
	if unknown {
		return check(f, me)
	}
	sig := me.view.Etype.Signature()
	items := whole * sig.Len()
	mem := make([]byte, sig.BytesBefore(items, reps.LP64LE))
	rep, err := reps.Lookup(me.view.Rep, reps.LP64LE)
	if err != nil {
		return err
	}
	if err := rep.Decode(mem, want, reps.LP64LE, sig, 0, items); err != nil {
		return err
	}
	packed := make([]byte, len(mem))
	types.Raw(got, whole, me.view.Etype).Pack(packed, 0, reps.LP64LE)
	if !bytes.Equal(packed, mem) {
		return fmt.Errorf("rank %d read at etype %d\n %x, want\n %x", r, off, packed, mem)
	}
	return check(f, me)
}

// packedAsMemory lays packed items out as memory of n copies of t.
func packedAsMemory(t *types.Type, packed []byte, n int64) []byte {
	_, ext := t.Extent(reps.LP64LE)
	mem := make([]byte, n*ext)
	types.Raw(mem, n, t).Unpack(packed, 0, reps.LP64LE)
	return mem
}

// The forms of a call.
const (
	blocking = iota
	nonblocking
	splitting
)

// call makes the access in the form that the step asks for.
func call(f *iofile.File, s step, at int64, write bool, buf types.Buffer) (iofile.Status, error) {
	off, all := iofile.Offset(at), s.all && !mixed(s.at)
	switch {
	case s.form == nonblocking:
		return completed(start(f, all, at, write, buf))
	case s.form == splitting && all:
		return halves(f, at, write, buf)
	}
	type here = func(types.Buffer) (iofile.Status, error)
	type there = func(types.Buffer, iofile.Offset) (iofile.Status, error)
	if at < 0 {
		return pick(all, write, [2][2]here{{f.Read, f.ReadAll}, {f.Write, f.WriteAll}})(buf)
	}
	return pick(all, write, [2][2]there{{f.ReadAt, f.ReadAtAll}, {f.WriteAt, f.WriteAtAll}})(buf, off)
}

func start(f *iofile.File, all bool, at int64, write bool, buf types.Buffer) (*comm.Request, error) {
	type here = func(types.Buffer) (*comm.Request, error)
	type there = func(types.Buffer, iofile.Offset) (*comm.Request, error)
	if at < 0 {
		return pick(all, write, [2][2]here{{f.IRead, f.IReadAll}, {f.IWrite, f.IWriteAll}})(buf)
	}
	return pick(all, write, [2][2]there{{f.IReadAt, f.IReadAtAll}, {f.IWriteAt, f.IWriteAtAll}})(buf, iofile.Offset(at))
}

func completed(q *comm.Request, err error) (iofile.Status, error) {
	if err != nil {
		return iofile.Status{}, err
	}
	return q.Wait()
}

func halves(f *iofile.File, at int64, write bool, buf types.Buffer) (iofile.Status, error) {
	var err error
	switch {
	case at < 0 && write:
		err = f.WriteAllBegin(buf)
	case at < 0:
		err = f.ReadAllBegin(buf)
	case write:
		err = f.WriteAtAllBegin(buf, iofile.Offset(at))
	default:
		err = f.ReadAtAllBegin(buf, iofile.Offset(at))
	}
	if err != nil {
		return iofile.Status{}, err
	}
	type here = func(types.Buffer) (iofile.Status, error)
	return pick(at < 0, write, [2][2]here{{f.ReadAtAllEnd, f.ReadAllEnd}, {f.WriteAtAllEnd, f.WriteAllEnd}})(buf)
}

func pick[F any](second, write bool, from [2][2]F) F {
	w, a := 0, 0
	if write {
		w = 1
	}
	if second {
		a = 1
	}
	return from[w][a]
}

// mixed reports ranks that would make different collective calls.
func mixed(at []int64) bool {
	return slices.Min(at) < 0 && slices.Max(at) >= 0
}

// check makes the comparisons that are cheap enough for every call.
func check(f *iofile.File, me *seen) error {
	size, err := f.Size()
	if err != nil || size < me.size || size > me.size && !me.posix {
		return fmt.Errorf("size %d, want %d (%v)", size, me.size, err)
	}
	pos, err := f.Position()
	if err != nil || int64(pos) != me.pos {
		return fmt.Errorf("position %d, want %d (%v)", pos, me.pos, err)
	}
	return nil
}

// TestAgainstReference: if it fails, some access moves other bytes than the standard says,
// or a handle sees bytes that it must not see, or sees them too early.
func TestAgainstReference(t *testing.T) {
	t.Run("IO-DA-01 IO-IND-06 IO-AT-03 IO-AT-04 IO-SPLIT-09 CONS-D05 CONS-ORD-03 random programs", func(t *testing.T) {
		dir := t.TempDir()
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(1, 9).Draw(rt, "ranks")
			var program []step
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				program = append(program, drawStep(rt, n))
			}
			// The reference has others' bytes at a sync, or at once: models in between,
			// and random ones, are compared in proptest with a reference that knows the undetermined bytes.
			like := seen{posix: rapid.IntRange(0, 3).Draw(rt, "model") == 3}
			like.wild = like.posix
			model := iofile.WithModel(consistency.Weakest)
			if like.posix {
				model = iofile.WithModel(consistency.POSIX)
			}
			fsys := iofile.NewMem(model)
			if rapid.IntRange(0, 9).Draw(rt, "store") == 9 {
				path, err := os.MkdirTemp(dir, "")
				if err != nil {
					rt.Fatal(err)
				}
				real, err := iofile.NewDir(path, model)
				if err != nil {
					rt.Fatal(err)
				}
				defer real.Close()
				fsys, like.wild = real, true
			}
			s := drawStrategy(rt)
			if rapid.Bool().Draw(rt, "default") {
				s = nil
			}
			info := comm.NewInfo()
			for key, value := range gen.Hints().Draw(rt, "hints") {
				if err := info.Set(key, value); err != nil {
					rt.Fatal(err)
				}
			}
			runUnder(rt, fsys, like, n, program, rapid.Uint64().Draw(rt, "seed"), iofile.WithStrategy(s), iofile.WithInfo(info))
		})
	})
}

// runUnder runs a program on ranks that start out as like says.
func runUnder(t *rapid.T, sys *iofile.FS, like seen, n int, program []step, seed uint64, opts ...iofile.OpenOption) {
	ref := &reference{ranks: make([]seen, n), dirty: map[int64]bool{}}
	for i := range ref.ranks {
		ref.ranks[i] = seen{wild: like.wild, posix: like.posix, own: map[int64]byte{}, view: iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "native"}}
	}
	err := world.Run(t.Context(), n, func(_ context.Context, w *comm.Comm) error {
		f, err := iofile.Open(w, sys, "f", create, opts...)
		if err != nil {
			return err
		}
		for k, s := range program {
			if err := ref.run(f, w, s, k); err != nil {
				return fmt.Errorf("step %d: %w", k, err)
			}
			if err := w.Barrier(); err != nil {
				return err
			}
			if w.Rank() == 0 { // the others wait
				if s.what == "size" {
					ref.resize(s.size)
				}
				if s.what == "sync" || like.posix {
					ref.sync()
				}
			}
			if err := w.Barrier(); err != nil {
				return err
			}
		}
		return f.Close()
	}, world.Seed(seed), world.Unchecked(), world.Check(world.Buffers)) // random programs race
	if err != nil {
		var b strings.Builder
		for k, s := range program {
			fmt.Fprintf(&b, "%d %v\n", k, s)
		}
		t.Fatalf("%v\n%s", err, b.String())
	}
	ref.sync()
	got, err := fs.ReadFile(sys, "f")
	if err != nil || len(got) != len(ref.image) {
		t.Fatalf("the file has %d bytes, want %d (%v)", len(got), len(ref.image), err)
	}
	for i := range ref.image {
		b, known := ref.ranks[0].at(int64(i))
		if known && got[i] != b && !ref.dirty[int64(i)] {
			t.Fatalf("byte %d of the file is %02x, want %02x", i, got[i], b)
		}
	}
}
