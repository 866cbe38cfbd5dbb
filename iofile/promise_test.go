package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"pgregory.net/rapid"
)

// reach is the number of bytes of the file that each rank has to itself.
const reach = 60

// An action is one step of all ranks.
type action struct {
	what string
	all  bool
	form int
	at   []int64 // of each rank: etype, or -1 for the pointer
	n    []int64
	step []int64 // of views
}

func (d action) String() string {
	return fmt.Sprintf("%s all %v form %d at %v n %v step %v", d.what, d.all, d.form, d.at, d.n, d.step)
}

func drawAction(t *rapid.T, ranks int) action {
	d := action{
		what: rapid.SampledFrom([]string{"write", "write", "write", "read", "read", "sync", "view", "reopen", "atomic", "seek", "grow"}).Draw(t, "what"),
		all:  rapid.Bool().Draw(t, "all"),
		form: rapid.IntRange(blocking, splitting).Draw(t, "form"),
	}
	pointer := rapid.Bool().Draw(t, "pointer")
	for range ranks {
		at := rapid.Int64Range(0, 9).Draw(t, "at")
		if pointer && d.what != "seek" {
			at = -1
		}
		d.at = append(d.at, at)
		d.n = append(d.n, rapid.Int64Range(0, 7).Draw(t, "n"))
		d.step = append(d.step, rapid.Int64Range(1, 3).Draw(t, "step"))
	}
	return d
}

func drawFault(t *rapid.T, ranks int) string {
	draw := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	op := draw("op", "read", "write", "write", "sync", "close", "open", "size", "call", "IWriteAtAll", "WriteAtAll")
	what := []string{"error=io", "error=nospace", "error=quota"}
	switch op {
	case "write", "read":
		what = append(what, "torn=2", "short=3", "error=nospace after=25", "error=io bytes=70-75", "kill")
	case "call":
		what = append(what, "delay=3")
	case "sync", "close":
		what = append(what, "kill")
	}
	text := op + " " + draw("what", what...) + " file=f" + draw("when", "", " call=2", " call=2-4", " odds=3 seed=4", " odds=2")
	if rapid.Bool().Draw(t, "one rank") {
		text += fmt.Sprintf(" rank=%d", rapid.IntRange(0, ranks-1).Draw(t, "rank"))
	}
	return text
}

// A witness has the promises to a rank about its own bytes.
type witness struct {
	now     []map[byte]bool // what a read may see
	disk    []map[byte]bool // bytes that may be in the file if the program ends now
	pos     int64
	step    int64
	reports []string // errors, in words, for every action
	errs    []error
}

func only(b byte) map[byte]bool { return map[byte]bool{b: true} }

// kept records that a sync or a close succeeded.
func (w *witness) kept() {
	for i := range w.now {
		w.disk[i] = union(nil, w.now[i])
	}
}

// union returns the union of two sets.
func union(a, b map[byte]bool) map[byte]bool {
	u := map[byte]bool{}
	for _, s := range []map[byte]bool{a, b} {
		for k := range s {
			u[k] = true
		}
	}
	return u
}

// stale records that a handle was lost: the file may be in any state.
func (w *witness) stale() {
	for i := range w.now {
		w.now[i] = union(nil, w.disk[i])
	}
}

func original(off int64) byte { return byte(200 + off%50) }

// A trial is a program under faults.
type trial struct {
	ranks   int
	actions []action
	rules   string
	model   consistency.Model
	seed    uint64
	fsys    *iofile.FS
	plan    *faults.Plan
	who     []*witness
}

func (tr *trial) prepare() error {
	text := make([]byte, reach*tr.ranks)
	for i := range text {
		text[i] = original(int64(i))
	}
	tr.who = nil
	for r := range tr.ranks {
		w := &witness{step: 1}
		for i := range reach {
			b := original(int64(r*reach + i))
			w.now, w.disk = append(w.now, only(b)), append(w.disk, only(b))
		}
		tr.who = append(tr.who, w)
	}
	if err := tr.fsys.Import("f", strings.NewReader(string(text))); err != nil {
		return err
	}
	return tr.plan.Set(faults.Must(tr.rules)...)
}

// body is the program of one rank. It returns only errors that break a promise.
func (tr *trial) body(c *comm.Comm) error {
	w := tr.who[c.Rank()]
	var f *iofile.File
	for k, d := range tr.actions {
		var err, wrong error
		switch {
		case f == nil || d.what == "reopen":
			f, err = tr.reopen(f, c, w)
		default:
			err, wrong = tr.do(f, c.Rank(), k, d)
		}
		if wrong != nil {
			return fmt.Errorf("action %d: %w", k, wrong)
		}
		w.errs = append(w.errs, err)
		w.reports = append(w.reports, fmt.Sprint(err))
		var e *iofile.Error
		if err != nil && !errors.As(err, &e) {
			return fmt.Errorf("action %d: an error of another type, %T: %w", k, err, err)
		}
		if stop := c.Barrier(); stop != nil {
			return stop
		}
	}
	return tr.recover(f, c, w)
}

func (tr *trial) reopen(f *iofile.File, c *comm.Comm, w *witness) (*iofile.File, error) {
	if f != nil {
		if err := f.Close(); err != nil {
			w.stale()
			return nil, err
		}
		w.kept()
	}
	f, err := iofile.Open(c, tr.fsys, "f", iofile.ReadWrite)
	if err != nil {
		return nil, err
	}
	w.pos, w.step = 0, 1
	return f, f.SetView(tr.view(c.Rank(), 1))
}

func (tr *trial) view(r int, step int64) iofile.View {
	return iofile.View{Disp: int64(r * reach), Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, step)}
}

func (tr *trial) do(f *iofile.File, r, k int, d action) (err, wrong error) {
	w := tr.who[r]
	switch d.what {
	case "sync":
		if err = f.Sync(); err == nil {
			w.kept()
		}
	case "view":
		if err = f.SetView(tr.view(r, d.step[r])); err == nil {
			w.pos, w.step = 0, d.step[r]
		}
	case "atomic":
		err = f.SetAtomicity(d.all)
	case "grow":
		err = f.Preallocate(int64(tr.ranks*reach + 10))
	case "seek":
		if err = f.Seek(iofile.Offset(d.at[r]), iofile.SeekSet); err == nil {
			w.pos = d.at[r]
		}
	default:
		err, wrong = tr.access(f, w, r, k, d)
	}
	pos, _ := f.Position()
	if wrong == nil && int64(pos) != w.pos {
		wrong = fmt.Errorf("the pointer of rank %d is %d, want %d after %v", r, pos, w.pos, err)
	}
	return err, wrong
}

func (tr *trial) access(f *iofile.File, w *witness, r, k int, d action) (err, wrong error) {
	at := d.at[r]
	if at < 0 {
		at = w.pos
	}
	n := min(d.n[r], max(0, reach/w.step-at))
	mem := make([]byte, n)
	for i := range mem {
		if mem[i] = 0xee; d.what == "write" {
			mem[i] = byte(1 + (k*29+r*7+i)%190)
			o := (at + int64(i)) * w.step
			w.disk[o] = union(w.disk[o], only(mem[i]))
		}
	}
	s := step{all: d.all, form: d.form, at: d.at}
	st, err := call(f, s, d.at[r], d.what == "write", types.Of(mem))
	got, _ := st.Count(types.Byte)
	for i := range got { // P4
		o := (at + i) * w.step
		if d.what == "read" && !w.now[o][mem[i]] {
			return err, fmt.Errorf("rank %d read %d at byte %d, want one of %v", r, mem[i], o, w.now[o])
		}
	}
	for i := range mem {
		switch o := (at + int64(i)) * w.step; {
		case d.what == "read" && int64(i) >= got && mem[i] != 0xee:
			return err, fmt.Errorf("rank %d: byte %d of the buffer changed, the status counts %d", r, i, got)
		case d.what == "write" && int64(i) < got: // and the others are as they were
			w.now[o] = only(mem[i])
		}
	}
	switch {
	case err == nil && got != n:
		return err, fmt.Errorf("rank %d: the status counts %d of %d", r, got, n)
	case d.at[r] < 0: // P6: pointers move by what moved, after an error too
		w.pos += got
	}
	return err, nil
}

// recover checks that everything works when no fault is injected any more.
func (tr *trial) recover(f *iofile.File, c *comm.Comm, w *witness) error {
	if err := tr.plan.Set(); err != nil {
		return err
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	if f == nil {
		var err error
		if f, err = iofile.Open(c, tr.fsys, "f", iofile.ReadWrite); err != nil {
			return fmt.Errorf("after the faults: %w", err)
		}
	}
	err := f.SetView(tr.view(c.Rank(), 1))
	if err == nil {
		w.disk[0] = union(w.disk[0], only(7))
		_, err = f.WriteAtAll(types.Of([]byte{7}), 0)
		w.now[0] = only(7)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("after the faults: %w", err)
	}
	w.kept()
	return nil
}

// run runs the trial on a new file and returns the broken promise, if any.
func (tr *trial) run(ctx context.Context) error {
	if err := tr.prepare(); err != nil {
		return err
	}
	err := world.Run(ctx, tr.ranks, func(_ context.Context, c *comm.Comm) error { return tr.body(c) },
		world.Seed(tr.seed), world.Unchecked())
	var abort *world.AbortError
	if err != nil && !(strings.Contains(tr.rules, "kill") && errors.As(err, &abort)) {
		return err
	}
	for k := range tr.actions { // P3
		for _, w := range tr.who {
			if k >= len(w.errs) || k >= len(tr.who[0].errs) {
				break // a rank was killed
			}
			d := tr.actions[k]
			if alone := !d.all || mixed(d.at); (d.what == "write" || d.what == "read") && alone {
				continue
			}
			a, b := tr.who[0].errs[k], w.errs[k]
			if errors.As(a, &abort) || errors.As(b, &abort) { // one was killed in this very action
				continue
			}
			if (a == nil) != (b == nil) || a != nil && iofile.ClassOf(a) != iofile.ClassOf(b) {
				return fmt.Errorf("action %d: one rank got %v, another %v", k, a, b)
			}
		}
	}
	got, err := fs.ReadFile(tr.fsys, "f")
	if err != nil || len(got) < tr.ranks*reach {
		return fmt.Errorf("%d bytes are left: %v", len(got), err)
	}
	for r, w := range tr.who { // P1, P2
		for i := range w.disk {
			if b := got[r*reach+i]; !w.disk[i][b] {
				return fmt.Errorf("byte %d of rank %d is %d, want one of %v", i, r, b, w.disk[i])
			}
		}
	}
	return nil
}

// reports returns all errors of the ranks, and the file.
func (tr *trial) reports() string {
	var b strings.Builder
	for r, w := range tr.who {
		fmt.Fprintf(&b, "%d: %q\n", r, w.reports)
	}
	got, err := fs.ReadFile(tr.fsys, "f")
	fmt.Fprintf(&b, "%x %v", got, err)
	return b.String()
}

// If this fails, a fault loses safe bytes, is not reported to a rank, leaves a rank
// waiting, makes a status wrong, or leaves a handle that cannot be used.
func TestPromisesUnderFaults(t *testing.T) {
	t.Run("CONS-SYNC-01 IO-CLOSE-01 ERR-09 IO-DA-07 random programs under random faults (P1 to P6)", func(t *testing.T) {
		dir := t.TempDir()
		rapid.Check(t, func(t *rapid.T) {
			tr := &trial{ranks: rapid.IntRange(1, 4).Draw(t, "ranks"), seed: rapid.Uint64().Draw(t, "seed")}
			tr.model = rapid.SampledFrom([]consistency.Model{
				consistency.Weakest, consistency.POSIX, consistency.Session, consistency.Commit, consistency.Chaos(tr.seed),
			}).Draw(t, "model")
			tr.actions = append(tr.actions, action{what: "reopen"})
			for range rapid.IntRange(1, 15).Draw(t, "actions") {
				tr.actions = append(tr.actions, drawAction(t, tr.ranks))
			}
			for range rapid.IntRange(1, 3).Draw(t, "faults") {
				tr.rules += drawFault(t, tr.ranks) + "\n"
			}
			real := rapid.IntRange(0, 9).Draw(t, "store") == 9
			var first string
			for again := range 2 { // P5
				tr.plan = new(faults.Plan)
				opts := []iofile.Option{iofile.WithFaults(tr.plan), iofile.WithModel(tr.model)}
				tr.fsys = iofile.NewMem(opts...)
				if real {
					path, err := os.MkdirTemp(dir, "")
					if err == nil {
						tr.fsys, err = iofile.NewDir(path, opts...)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				err := tr.run(context.Background())
				reports := tr.reports()
				if err = errors.Join(err, tr.fsys.Close()); err != nil {
					var list strings.Builder
					for k, d := range tr.actions {
						fmt.Fprintf(&list, "%d %v\n", k, d)
					}
					t.Fatalf("%v\nmodel %v, %d ranks, faults\n%s%s%s", err, tr.model, tr.ranks, tr.rules, list.String(), reports)
				}
				if again == 0 {
					first = reports
				} else if reports != first {
					t.Fatalf("the same seed, another run:\n%s\n%s", first, reports)
				}
			}
		})
	})
}
