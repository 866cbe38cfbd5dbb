package iofile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// left returns file f after a crash, "-" if it is missing.
func left(t fataler, fsys *iofile.FS, seed uint64) string {
	after, err := fsys.Crash(seed)
	if err != nil {
		t.Fatalf("%v", err)
	}
	text, err := fs.ReadFile(after, "f")
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(text)
}

type fataler interface {
	Fatalf(format string, args ...any)
}

// If this fails, a wrong program passes because a crash leaves too much, or a right one
// fails because it leaves too little.
func TestCrash(t *testing.T) {
	models := []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX, consistency.Chaos(3)}
	t.Run("CONS-SYNC-01 of a write that is not synced everything may be left (P1, P2)", func(t *testing.T) {
		for _, m := range models {
			fsys := iofile.NewMem(iofile.WithTracking(iofile.Crashes), iofile.WithModel(m.WithPoison('.')))
			seen := map[string]bool{}
			with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
				err := errors.Join(second(f.WriteAt(chars("abcdef"), 0)), f.Sync())
				for i := range uint64(20) {
					assert.Equal(t, "abcdef", left(t, fsys, i), "%v", m)
				}
				err = errors.Join(err, f.SetView(iofile.View{Disp: 4, Etype: types.Char, Filetype: types.Resized(types.Char, 0, 2)}))
				err = errors.Join(err, second(f.WriteAt(chars("XYZ"), 0))) // abcdXfY.Z
				for i := range uint64(200) {
					text := left(t, fsys, i)
					assert.Equal(t, text, left(t, fsys, i), "the same seed")
					seen[text] = true
				}
				return err
			})
			for _, want := range []string{"abcdef", "abcdXfY.Z", "abcdXf", "abcdXfY"} {
				assert.True(t, seen[want], "%v never leaves %q: %v", m, want, seen)
			}
			for text := range seen {
				assert.Contains(t, []string{"abcdef", "abcdXf", "abcdXfY", "abcdXfY.Z", "abcdefY", "abcdefY.Z", "abcdef..Z", "abcdXf..Z"}, text, "%v", m)
			}
			for i := range uint64(20) {
				assert.Equal(t, "abcdXfY.Z", left(t, fsys, i), "closed")
			}
		}
	})
	t.Run("CONS-SYNC-01 IO-SIZE-08 data behind a hole", func(t *testing.T) {
		const hole = 5*image.PageSize + 7
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Crashes), iofile.WithModel(consistency.Weakest.WithPoison('.')))
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			err := errors.Join(second(f.WriteAt(chars("far"), hole)), f.Sync())
			assert.True(t, left(t, fsys, 1) == strings.Repeat(".", hole)+"far")
			return err
		})
	})
	t.Run("CONS-SYNC-01 IO-SIZE-01 sizes that are not synced, files that never were", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Crashes), iofile.WithModel(consistency.POSIX))
		seen := map[string]bool{}
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			for i := range uint64(50) {
				seen[left(t, fsys, i)] = true
			}
			assert.Equal(t, map[string]bool{"-": true, "": true}, seen)
			seen = map[string]bool{}
			err := errors.Join(second(f.WriteAt(chars("abcdef"), 0)), f.Sync(), f.SetSize(2), second(f.WriteAt(chars("X"), 3)))
			for i := range uint64(100) {
				seen[left(t, fsys, i)] = true
			}
			return err
		})
		for _, want := range []string{"abcdef", "ab", "abcXef", "ab\x00X"} {
			assert.True(t, seen[want], "never leaves %q: %v", want, seen)
		}
		assert.Equal(t, "ab\x00X", left(t, fsys, 1))
	})
	t.Run("CONS-SYNC-01 random programs: every byte as it was synced, or as it was written since", func(t *testing.T) {
		dir := t.TempDir()
		rapid.Check(t, func(rt *rapid.T) {
			const each = 50
			n := rapid.IntRange(1, 3).Draw(rt, "ranks")
			opts := []iofile.Option{iofile.WithTracking(iofile.Crashes), iofile.WithModel(rapid.SampledFrom(models).Draw(rt, "model"))}
			fsys := iofile.NewMem(opts...)
			if rapid.IntRange(0, 9).Draw(rt, "store") == 9 {
				var err error
				if fsys, err = iofile.NewDir(dir, opts...); err != nil {
					rt.Fatal(err)
				}
				_ = iofile.Delete(fsys, "f")
			}
			type action struct {
				sync           bool
				off, n, stride int64
			}
			actions := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) action {
				d := action{sync: rapid.IntRange(0, 3).Draw(rt, "sync") == 0}
				d.off, d.stride = rapid.Int64Range(0, 20).Draw(rt, "off"), rapid.Int64Range(1, 3).Draw(rt, "stride")
				d.n = rapid.Int64Range(0, 10).Draw(rt, "n")
				return d
			}), 1, 12).Draw(rt, "actions")
			seed := rapid.Uint64().Draw(rt, "seed")
			may := make([]string, n*each) // the values that each byte may have; 0: never written
			for i := range may {
				may[i] = "\x00"
			}
			check := func(seed uint64) error {
				text := left(rt, fsys, seed)
				if text == "-" {
					text = ""
				}
				for i, ok := range may {
					switch {
					case i < len(text) && text[i] != 0xA5 && !strings.ContainsRune(ok, rune(text[i])):
						return fmt.Errorf("byte %d is %d, want one of %q", i, text[i], ok)
					case (i >= len(text) || text[i] == 0xA5) && !strings.Contains(ok, "\x00"):
						return fmt.Errorf("byte %d is lost, want one of %q", i, ok)
					}
				}
				return nil
			}
			ranks(t, n, func(c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				base := int64(c.Rank() * each)
				for k, d := range actions {
					if d.sync {
						err = f.Sync()
						for i := base; i < base+each; i++ {
							may[i] = may[i][len(may[i])-1:]
						}
					} else {
						err = f.SetView(iofile.View{Disp: base + d.off, Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, d.stride)})
						b := byte(1 + k)
						err = errors.Join(err, second(f.WriteAt(types.Of(slices.Repeat([]byte{b}, int(d.n))), 0)))
						for i := range d.n {
							may[base+d.off+i*d.stride] += string(rune(b))
						}
					}
					if err = errors.Join(err, c.Barrier()); err != nil {
						return err
					}
					if c.Rank() == 0 {
						for i := range uint64(3) {
							if err := check(seed + uint64(k) + i); err != nil {
								return fmt.Errorf("after action %d: %w", k, err)
							}
						}
					}
					if err := c.Barrier(); err != nil {
						return err
					}
				}
				return f.Close()
			}, world.Seed(seed), world.Unchecked())
			if err := fsys.Close(); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("CONS-SYNC-01 at any time, and what is left can be used", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Crashes))
		assert.NoError(t, fsys.Mkdir("d"))
		put(t, fsys, "d/old", "old")
		ranks(t, 4, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			for i := range 40 {
				if c.Rank() == 0 {
					after, err := fsys.Crash(uint64(i))
					if err != nil {
						return err
					}
					again, err := iofile.Open(c.Self(), after, "f", create)
					if err != nil {
						return err
					}
					err = errors.Join(second(again.WriteAt(chars("x"), 0)), again.Sync(), again.Close())
					assert.Equal(t, byte('x'), left(t, after, 1)[0])
					old, err2 := fs.ReadFile(after, "d/old")
					assert.Equal(t, "old", string(old))
					if err = errors.Join(err, err2); err != nil {
						return err
					}
				} else if err := second(f.WriteAt(chars("abc"), iofile.Offset(3*(4*i+c.Rank())))); err != nil {
					return err
				}
				if i%10 == 9 {
					if err := f.Sync(); err != nil {
						return err
					}
				}
			}
			return f.Close()
		})
	})
	for _, m := range []consistency.Model{consistency.Weakest, consistency.Session} {
		t.Run(fmt.Sprintf("CONS-SYNC-01 writes that the store gets with one call, each by itself, %v", m), func(t *testing.T) {
			store := &heldStore{Store: iofile.NewMemStore()}
			fsys := iofile.NewFS(store, iofile.WithTracking(iofile.Crashes), iofile.WithModel(m))
			put(t, fsys, "f", "abcdef")
			store.fails = true
			ranks(t, 2, func(c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
				if err != nil {
					return err
				}
				err = f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Char, Filetype: types.Resized(types.Char, 0, 2)})
				err = errors.Join(err, second(f.WriteAtAll(chars([]string{"XXX", "YYY"}[c.Rank()]), 0)))
				assert.ErrorIs(t, f.Sync(), iofile.ErrIO)
				if c.Rank() == 0 {
					seen := map[string]bool{}
					for i := range uint64(1000) {
						seen[left(t, fsys, i)] = true
					}
					assert.Len(t, seen, 1<<6)
					assert.True(t, seen["abcdef"] && seen["XbXdXf"] && seen["aYcYeY"] && seen["XYXYXY"])
				}
				err = errors.Join(err, c.Barrier())
				assert.ErrorIs(t, f.Close(), iofile.ErrIO)
				return err
			})
			assert.Equal(t, "XYXYXY", get(t, fsys, "f"))
		})
	}
	t.Run("CONS-SYNC-01 gaps of a request that are written back stay as they were", func(t *testing.T) {
		fsys, err := iofile.NewDir(t.TempDir(), iofile.WithTracking(iofile.Crashes), iofile.WithModel(consistency.Session))
		if !assert.NoError(t, err) {
			return
		}
		put(t, fsys, "f", "abcdef")
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite, iofile.WithStrategy(strategy.TwoPhase{Write: strategy.Enable}))
			if err != nil {
				return err
			}
			err = second(f.WriteAtAll(chars([]string{"X", "Y"}[c.Rank()]), iofile.Offset(7*c.Rank())))
			if err = errors.Join(err, c.Barrier()); err != nil {
				return err
			}
			if c.Rank() == 0 {
				seen := map[string]bool{}
				for i := range uint64(200) {
					seen[left(t, fsys, i)] = true
				}
				assert.Len(t, seen, 4)
				for _, text := range []string{"abcdef", "Xbcdef"} {
					assert.True(t, seen[text], text)
				}
			}
			return errors.Join(c.Barrier(), f.Close())
		})
		assert.Equal(t, "Xbcdef\x00Y", get(t, fsys, "f"))
		assert.NoError(t, fsys.Close())
	})
	t.Run("CONS-SYNC-01 IO-CLOSE-01 a close that failed brought nothing there", func(t *testing.T) {
		store := &heldStore{Store: iofile.NewMemStore()}
		fsys := iofile.NewFS(store, iofile.WithTracking(iofile.Crashes))
		write := func(text string, off iofile.Offset) {
			ranks(t, 2, func(c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				if c.Rank() == 0 && text != "" {
					err = second(f.WriteAt(chars(text), off))
				}
				if failed := f.Close(); !store.fails || text == "" {
					err = errors.Join(err, failed)
				} else {
					assert.ErrorIs(t, failed, iofile.ErrIO)
				}
				return err
			})
		}
		leaves := func(some ...string) {
			t.Helper()
			seen := map[string]bool{}
			for i := range uint64(60) {
				seen[left(t, fsys, i)] = true
			}
			for _, text := range some {
				assert.True(t, seen[text], "never leaves %q: %v", text, seen)
			}
			assert.Equal(t, len(some) > 1, len(seen) > 1, "%v", seen)
		}
		write("abcdef", 0)
		leaves("abcdef")
		store.fails = true
		write("XY", 2)
		assert.Equal(t, "abXYef", get(t, fsys, "f"), "it is in the file")
		leaves("abcdef", "abXdef", "abXYef")
		write("", 0) // opening and closing alone bring nothing there either
		leaves("abcdef", "abXdef", "abXYef")
		write("Z", 2)
		leaves("abcdef", "abXYef", "abZYef")
		store.fails = false
		write("Q", 0)
		leaves("QbZYef")

		store.fails = true
		write("R", 0)
		store.fails = false
		assert.NoError(t, iofile.Delete(fsys, "f"))
		put(t, fsys, "f", "new")
		leaves("new")
	})
	t.Run("CONS-SYNC-01 refused", func(t *testing.T) {
		_, err := iofile.NewMem().Crash(1)
		refused(t, err, iofile.ErrUnsupportedOperation, "CONS-SYNC-01")
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Crashes))
		assert.NoError(t, fsys.Close())
		_, err = fsys.Crash(1)
		assert.ErrorIs(t, err, iofile.ErrFile)
		_, err = (*iofile.FS)(nil).Crash(1)
		assert.ErrorIs(t, err, iofile.ErrArg)
	})
}

// A heldStore does not bring anything to the storage device as long as it fails,
// and counts the files given back to it.
type heldStore struct {
	iofile.Store
	fails  bool  // Sync
	end    error // of Close
	closed atomic.Int64
}

func (s *heldStore) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	b, err := s.Store.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &heldFile{b, s}, nil
}

type heldFile struct {
	iofile.Backing
	store *heldStore
}

func (f *heldFile) Sync() error {
	if f.store.fails {
		return errWild
	}
	return f.Backing.Sync()
}

func (f *heldFile) Close() error {
	f.store.closed.Add(1)
	return errors.Join(f.Backing.Close(), f.store.end)
}
