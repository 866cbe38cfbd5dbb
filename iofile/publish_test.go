package iofile_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A countingStore records the writes that the files of a store get.
type countingStore struct {
	iofile.Store
	mu     sched.Mutex
	writes [][2]int64 // offset and length
}

type countedFile struct {
	iofile.Backing
	store *countingStore
}

func (s *countingStore) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	b, err := s.Store.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &countedFile{b, s}, nil
}

func (f *countedFile) WriteAt(p []byte, off int64) (int, error) {
	f.store.mu.Lock()
	f.store.writes = append(f.store.writes, [2]int64{off, int64(len(p))})
	f.store.mu.Unlock()
	return f.Backing.WriteAt(p, off)
}

const (
	dealtRanks, dealtBlock, dealtBlocks, dealtSteps = 16, 480, 64, 2
	dealtStep                                       = dealtRanks * dealtBlock * dealtBlocks // bytes of all ranks in one step
)

// dealBlocks writes a file in which each of 16 ranks has every 16th block, in collective
// steps, and returns the write requests that were planned. Ranks from idle on write nothing.
func dealBlocks(fsys *iofile.FS, idle int, opts ...iofile.OpenOption) (planned [][2]int64, err error) {
	ft := types.Resized(types.Contiguous(dealtBlock, types.Byte), 0, dealtRanks*dealtBlock)
	var mu sched.Mutex
	err = world.Run(context.Background(), dealtRanks, func(_ context.Context, c *comm.Comm) error {
		var calls iofile.Callbacks
		if c.Rank() == 0 {
			calls.Plan = func(p *strategy.Plan) {
				mu.Lock()
				defer mu.Unlock()
				for _, r := range p.Requests {
					if r.Write {
						planned = append(planned, [2]int64{r.Off, r.Len})
					}
				}
			}
		}
		f, err := iofile.Open(c, fsys, "dealt", create, append(slices.Clone(opts), iofile.WithCallbacks(calls))...)
		if err != nil {
			return err
		}
		if err = f.SetView(iofile.View{Disp: int64(c.Rank()) * dealtBlock, Etype: types.Byte, Filetype: ft}); err != nil {
			return err
		}
		buf := slices.Repeat([]byte{byte('a' + c.Rank())}, dealtBlock*dealtBlocks)
		if c.Rank() >= idle {
			buf = nil
		}
		for step := range dealtSteps {
			if _, err = f.WriteAtAll(types.Of(buf), iofile.Offset(step*dealtBlock*dealtBlocks)); err != nil {
				return err
			}
		}
		return f.Close()
	})
	return planned, err
}

func byOffset(list [][2]int64) [][2]int64 {
	slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	return list
}

// countedDir is a directory whose writes are counted.
func countedDir(t *testing.T, opts ...iofile.Option) (*countingStore, *iofile.FS) {
	dir, err := iofile.NewDirStore(t.TempDir())
	require.NoError(t, err)
	s := &countingStore{Store: dir}
	fsys := iofile.NewFS(s, opts...)
	t.Cleanup(func() { assert.NoError(t, fsys.Close()) })
	return s, fsys
}

// dealtByte returns the byte at an offset of a file of dealBlocks.
func dealtByte(off int) byte { return byte('a' + off/dealtBlock%dealtRanks) }

// If this fails, a directory gets other requests than the report counts, or a request for
// every small piece of every rank.
func TestPublishedRequests(t *testing.T) {
	two := strategy.TwoPhase{Nodes: 4, Buffer: 64 << 10}
	check := func(t *testing.T, fsys *iofile.FS, idle int) {
		data, err := fsys.ReadFile("dealt")
		require.NoError(t, err)
		for off, b := range data {
			if off/dealtBlock%dealtRanks < idle && b != dealtByte(off) {
				t.Fatalf("byte %d is %q", off, b)
			}
		}
	}
	for name, opts := range map[string][]iofile.Option{
		"without options":          nil,
		"under commit":             {iofile.WithModel(consistency.Commit)},
		"under session":            {iofile.WithModel(consistency.Session)},
		"if crashes are simulated": {iofile.WithTracking(iofile.Crashes)},
	} {
		t.Run("CONS-SYNC-01 without a strategy neighbours of all ranks are one request, "+name, func(t *testing.T) {
			s, fsys := countedDir(t, opts...)
			_, err := dealBlocks(fsys, dealtRanks)
			require.NoError(t, err)
			assert.Equal(t, [][2]int64{{0, dealtSteps * dealtStep}}, s.writes)
			check(t, fsys, dealtRanks)
		})
	}
	for _, how := range []struct {
		name string
		s    strategy.Strategy
		opts []iofile.Option
	}{
		{"two phases", two, nil},
		{"two phases under POSIX", two, []iofile.Option{iofile.WithModel(consistency.POSIX)}},
		{"two phases under commit", two, []iofile.Option{iofile.WithModel(consistency.Commit)}},
		{"two phases under session", two, []iofile.Option{iofile.WithModel(consistency.Session)}},
		{"two phases if crashes are simulated", two, []iofile.Option{iofile.WithTracking(iofile.Crashes)}},
	} {
		t.Run("CONS-LAY-01 the requests of "+how.name+" are those of the plan", func(t *testing.T) {
			s, fsys := countedDir(t, how.opts...)
			planned, err := dealBlocks(fsys, dealtRanks, iofile.WithStrategy(how.s))
			require.NoError(t, err)
			assert.Len(t, planned, dealtSteps*2*4, "4 aggregators with domains of 120 KiB, and rounds of 64 KiB")
			assert.Equal(t, byOffset(planned), byOffset(s.writes))
			check(t, fsys, dealtRanks)
		})
	}
	t.Run("CONS-LAY-01 a request for each run, if the strategy is that", func(t *testing.T) {
		s, fsys := countedDir(t)
		_, err := dealBlocks(fsys, dealtRanks, iofile.WithStrategy(strategy.Direct{}))
		require.NoError(t, err)
		assert.Len(t, s.writes, dealtSteps*dealtRanks*dealtBlocks)
		check(t, fsys, dealtRanks)
	})
	for _, opts := range [][]iofile.OpenOption{nil, {iofile.WithStrategy(two)}, {iofile.WithStrategy(strategy.Sieve{})}} {
		t.Run(fmt.Sprintf("CONS-SYNC-01 nothing is written that no rank wrote, as others may use the store, %d options", len(opts)), func(t *testing.T) {
			const idle = 11
			s, fsys := countedDir(t)
			_, err := dealBlocks(fsys, dealtRanks)
			require.NoError(t, err)
			s.writes = nil
			_, err = dealBlocks(fsys, idle, opts...)
			require.NoError(t, err)
			sum := int64(0)
			for _, w := range s.writes {
				sum += w[1]
				for off := w[0]; off < w[0]+w[1]; off += dealtBlock {
					assert.Less(t, off/dealtBlock%dealtRanks, int64(idle))
				}
			}
			assert.EqualValues(t, dealtSteps*idle*dealtBlock*dealtBlocks, sum)
			if opts == nil {
				assert.Len(t, s.writes, dealtSteps*dealtBlocks)
			}
			check(t, fsys, dealtRanks)
		})
	}
	t.Run("CONS-ATOM-01 what was published before atomic mode is in the store", func(t *testing.T) {
		s, fsys := countedDir(t)
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if _, err = f.WriteAt(types.Of([]byte("abcd")), iofile.Offset(4*c.Rank())); err != nil {
				return err
			}
			if err = f.SetAtomicity(true); err != nil {
				return err
			}
			assert.Equal(t, [][2]int64{{0, 8}}, s.writes)
			if err = c.Barrier(); err != nil {
				return err
			}
			if c.Rank() == 0 {
				if _, err = f.WriteAt(types.Of([]byte("XY")), 1); err != nil {
					return err
				}
				assert.Equal(t, [2]int64{1, 2}, s.writes[len(s.writes)-1], "an atomic write is in the store at once")
			}
			return f.Close()
		})
		require.NoError(t, err)
		data, err := fsys.ReadFile("f")
		require.NoError(t, err)
		assert.Equal(t, "aXYdabcd", string(data))
	})
}

// dealtDir names the directory for the program that TestPublishTrace looks at, and dealtHow
// its strategy.
const dealtDir, dealtHow = "COMMWORLD_DEALT_DIR", "COMMWORLD_DEALT_HOW"

// If this fails, the operating system gets other requests than the plan's.
func TestPublishTrace(t *testing.T) {
	two := strategy.TwoPhase{Nodes: 4, Buffer: 64 << 10}
	if dir := os.Getenv(dealtDir); dir != "" {
		var made []iofile.Option
		var opts []iofile.OpenOption
		idle := dealtRanks
		switch os.Getenv(dealtHow) {
		case "two phases":
			opts = append(opts, iofile.WithStrategy(two))
		case "holes":
			opts, idle = append(opts, iofile.WithStrategy(two)), 11
		case "holes, crashes":
			made = append(made, iofile.WithTracking(iofile.Crashes), iofile.WithModel(consistency.Session))
			opts, idle = append(opts, iofile.WithStrategy(two)), 11
		case "sieve":
			opts, idle = append(opts, iofile.WithStrategy(strategy.Sieve{WriteBuffer: 10000})), 1
		case "session":
			made = append(made, iofile.WithModel(consistency.Session))
		case "crashes":
			made = append(made, iofile.WithTracking(iofile.Crashes))
		}
		fsys, err := iofile.NewDir(dir, made...)
		require.NoError(t, err)
		planned, err := dealBlocks(fsys, idle, opts...)
		require.NoError(t, err)
		for _, p := range byOffset(planned) {
			fmt.Printf("PLANNED %d %d\n", p[0], p[1])
		}
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT TESTED: strace is not installed, so the calls of the operating system were not looked at")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	idle := map[string]int{"holes": 11, "holes, crashes": 11, "sieve": 1}
	for _, how := range []string{"", "two phases", "session", "crashes", "holes", "holes, crashes", "sieve"} {
		dir := t.TempDir()
		old := bytes.Repeat([]byte("."), dealtStep+1) // a file that becomes longer
		require.NoError(t, os.WriteFile(filepath.Join(dir, "dealt"), old, 0o600))
		log := filepath.Join(t.TempDir(), "log")
		run := exec.Command(strace, "-f", "-s", "0", "-e", "trace=pwrite64,pwritev,pwritev2", "-o", log, self, "-test.run=^TestPublishTrace$")
		run.Env = append(os.Environ(), dealtDir+"="+dir, dealtHow+"="+how)
		out, err := run.CombinedOutput()
		text, _ := os.ReadFile(log)
		if err != nil && !strings.Contains(string(out), "PLANNED") {
			t.Skipf("NOT TESTED: strace may not trace here: %v\n%s", err, out)
		}
		require.NoError(t, err, "%s", out)
		var seen, planned [][2]int64
		number := func(s string) int64 {
			n, err := strconv.ParseInt(s, 10, 64)
			require.NoError(t, err)
			return n
		}
		for _, m := range regexp.MustCompile(`pwrite\w*\(\d+, .*, (\d+), (\d+)`).FindAllStringSubmatch(string(text), -1) {
			seen = append(seen, [2]int64{number(m[2]), number(m[1])})
		}
		for _, m := range regexp.MustCompile(`PLANNED (\d+) (\d+)`).FindAllStringSubmatch(string(out), -1) {
			planned = append(planned, [2]int64{number(m[1]), number(m[2])})
		}
		data, err := os.ReadFile(filepath.Join(dir, "dealt"))
		require.NoError(t, err)
		ranks := cmp.Or(idle[how], dealtRanks)
		assert.Len(t, data, dealtSteps*dealtStep-(dealtRanks-ranks)*dealtBlock, how)
		for off, b := range data {
			want := dealtByte(off)
			if off/dealtBlock%dealtRanks >= ranks {
				want = 0
				if off < len(old) {
					want = old[off]
				}
			}
			if b != want {
				t.Fatalf("%s: byte %d is %q, not %q", how, off, b, want)
			}
		}
		if how == "two phases" || ranks < dealtRanks {
			assert.Equal(t, planned, byOffset(seen), "CONS-LAY-01: the plan's requests, %s", how)
		} else {
			assert.Equal(t, [][2]int64{{0, dealtSteps * dealtStep}}, seen, "CONS-SYNC-01: one request, %s", how)
		}
	}
}
