package proptest_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// throughView writes and reads an array by one collective access through a view.
func throughView(elem *types.Type, reps ...string) proptest.Pattern {
	open := func(p *proptest.Part) (*iofile.File, error) {
		f, err := p.Open(iofile.Create | iofile.ReadWrite)
		if err != nil {
			return nil, err
		}
		return f, f.SetView(p.View(4))
	}
	return proptest.Pattern{
		Elem: elem, Reps: reps,
		Write: func(p *proptest.Part) error {
			f, err := open(p)
			if err != nil {
				return err
			}
			if _, err := f.WriteAtAll(p.Buffer(), 0); err != nil {
				return err
			}
			return f.Close()
		},
		Read: func(p *proptest.Part) error {
			f, err := open(p)
			if err != nil {
				return err
			}
			if _, err := f.ReadAtAll(p.Buffer(), 0); err != nil {
				return err
			}
			return f.Close()
		},
	}
}

// TestAnyProcessCount: if it fails, a file depends on how many ranks wrote it.
func TestAnyProcessCount(t *testing.T) {
	t.Run("IO-VIEW-20 doubles, native", func(t *testing.T) {
		proptest.AnyProcessCount(t, throughView(types.Double))
	})
	t.Run("REP-X32-09 REP-MATCH-01 longs between unlike ranks", func(t *testing.T) {
		proptest.AnyProcessCount(t, throughView(types.Long, "external32", "native"))
	})
}

// TestPatternsCaught: if it fails, patterns that are correct only for few ranks pass.
func TestPatternsCaught(t *testing.T) {
	withFlags(t, map[string]string{"rapid.nofailfile": "true", "rapid.checks": "500", "rapid.shrinktime": "24h", "rapid.seed": "1"})
	for _, c := range []struct {
		name, says string
		change     func(*proptest.Pattern)
	}{
		{"the last rank writes nothing", "2 writers", func(p *proptest.Pattern) {
			write := p.Write
			p.Write = func(part *proptest.Part) error {
				if part.Comm.Rank() > 0 && part.Comm.Rank() == part.Comm.Size()-1 {
					part.Blocks, part.Mem = nil, nil
				}
				return write(part)
			}
		}},
		{"one block is read", "cyclic", func(p *proptest.Pattern) {
			read := p.Read
			p.Read = func(part *proptest.Part) error {
				if len(part.Blocks) > 1 {
					part.Blocks = part.Blocks[:1]
				}
				return read(part)
			}
		}},
		{"two ranks write element 0", "race", func(p *proptest.Pattern) {
			write := p.Write
			p.Write = func(part *proptest.Part) error {
				if part.Comm.Rank() > 0 && len(part.Blocks) > 0 {
					part.Blocks = []types.Block{{Disp: 0, Len: part.Count()}}
				}
				return write(part)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := throughView(types.Double)
			c.change(&p)
			r := proptest.NewRecorder(t.Name())
			combinations := proptest.Combinations(p)
			rapid.Check(r, func(rt *rapid.T) {
				if err := proptest.Combine(p, combinations.Draw(rt, "combination")); err != nil {
					rt.Fatal(err)
				}
			})
			assert.True(t, r.Failed())
			text := r.Said()
			assert.Contains(t, text, c.says)
			assert.Contains(t, text, "-rapid.seed=")
			assert.Less(t, strings.Count(text, "\n"), 60)
			t.Log(text)
		})
	}
	t.Run("elements that hold no number", func(t *testing.T) {
		p := throughView(types.DoubleInt)
		assert.ErrorContains(t, proptest.Combine(p, proptest.Combinations(p).Example(1)), "integers or floats")
	})
}

// container writes and reads arrays one after the other; those that grow come last,
// record by record, so that records can be added.
func container() proptest.Pattern {
	const header = 16
	each := func(p *proptest.Part, mode iofile.Mode, move func(f *iofile.File, s *proptest.Slab) error) error {
		f, err := iofile.Open(p.Comm, p.FS, p.Name, mode, p.Options()...)
		if err != nil {
			return err
		}
		disp := int64(header)
		for _, s := range p.Arrays {
			ft := types.Contiguous(0, s.Elem)
			if s.Items() > 0 {
				ft = types.Resized(types.IndexedBlock(1, s.Indices(), s.Elem), 0, 1<<20)
			}
			if err := f.SetView(iofile.View{Disp: disp, Etype: s.Elem, Filetype: ft}); err != nil {
				return err
			}
			if err := move(f, s); err != nil {
				return err
			}
			n := int64(1)
			for _, dim := range s.Shape {
				n *= dim
			}
			if s.Name == "fixed" {
				n = 4 * 5 * 3
			}
			disp += n * s.Elem.Size(types.Host)
		}
		return f.Close()
	}
	return proptest.Pattern{
		Ranks: 4,
		Arrays: []proptest.Variable{
			{Name: "scalar"},
			{Name: "fixed", Elem: types.Int, Most: []int64{4, 5, 3}},
			{Name: "growing", Elem: types.Float, Most: []int64{5, 3}, Grows: true},
		},
		Write: func(p *proptest.Part) error {
			return each(p, iofile.Create|iofile.ReadWrite, func(f *iofile.File, s *proptest.Slab) error {
				if p.Collective {
					_, err := f.WriteAtAll(s.Buffer(), 0)
					return err
				}
				if s.Items() == 0 {
					return nil
				}
				_, err := f.WriteAt(s.Buffer(), 0)
				return err
			})
		},
		Read: func(p *proptest.Part) error {
			return each(p, iofile.ReadOnly, func(f *iofile.File, s *proptest.Slab) error {
				if p.Collective {
					_, err := f.ReadAtAll(s.Buffer(), 0)
					return err
				}
				_, err := f.ReadAt(s.Buffer(), 0)
				return err
			})
		},
	}
}

// TestArrays: if it fails, the file of arrays with several dimensions depends on their
// distribution.
func TestArrays(t *testing.T) {
	t.Run("IO-VIEW-20 three arrays, one growing", func(t *testing.T) { proptest.AnyProcessCount(t, container()) })
	t.Run("a growing array without a dimension", func(t *testing.T) {
		p := container()
		way := proptest.Combinations(p).Example(1)
		p.Arrays[0].Grows = true
		assert.ErrorContains(t, proptest.Combine(p, way), "variable scalar grows and has no dimension")
	})
}

// TestArraysCaught: if it fails, a library whose arrays are wrong in one dimension, one
// step or one kind of call passes.
func TestArraysCaught(t *testing.T) {
	withFlags(t, map[string]string{"rapid.nofailfile": "true", "rapid.checks": "300", "rapid.seed": "1"})
	for name, change := range map[string]func(p *proptest.Part, s *proptest.Slab){
		"the stride is ignored": func(_ *proptest.Part, s *proptest.Slab) {
			for d := range s.Stride {
				s.Stride[d] = 1
			}
		},
		"the second dimension begins at 0": func(_ *proptest.Part, s *proptest.Slab) {
			if len(s.Start) > 1 {
				s.Start[1] = 0
			}
		},
		"later records overwrite the first": func(p *proptest.Part, s *proptest.Slab) {
			if p.Step > 0 && s.Name == "growing" {
				s.Start[0] = 0
			}
		},
		"collective calls are one element late": func(p *proptest.Part, s *proptest.Slab) {
			if p.Collective && s.Name == "fixed" && len(s.Start) == 3 && s.Start[2] > 0 {
				s.Start[2]--
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := container()
			write := p.Write
			p.Write = func(part *proptest.Part) error {
				for _, s := range part.Arrays {
					change(part, s)
				}
				return write(part)
			}
			found := 0
			combinations := proptest.Combinations(p)
			for seed := range 200 {
				err := proptest.Combine(p, combinations.Example(seed))
				if err != nil {
					if found++; found == 1 {
						t.Log(err)
					}
				}
			}
			assert.Greater(t, found, 0)
		})
	}
}

// withFlags sets flags of rapid while a test runs.
func withFlags(t *testing.T, values map[string]string) {
	for name, v := range values {
		f := flag.Lookup(name)
		old := f.Value.String()
		if err := f.Value.Set(v); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(old) })
	}
}
