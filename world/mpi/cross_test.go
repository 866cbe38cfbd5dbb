package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/mpi"
)

// A shared holds a value that the ranks of one process share, and that each process of a
// job makes for itself.
type shared[T any] struct {
	mu   sync.Mutex
	made map[string]T
}

func (s *shared[T]) get(name string, mk func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.made[name]
	if !ok {
		x = mk()
		if s.made == nil {
			s.made = map[string]T{}
		}
		s.made[name] = x
	}
	return x
}

// scriptVariable lists the rank scripts of a play.
const scriptVariable = "COMMWORLD_TEST_SCRIPTS"

const scriptFolder = "../../consistency/testdata/"

// determinedScripts returns scripts that have one outcome under all schedules, without a
// race, an error or a deadlock: a library must reach it, too. The others are returned
// with the reason.
func determinedScripts(t *testing.T) (names []string, left map[string]string) {
	var list []string
	for _, pattern := range []string{"litmus/*.mpio", "twins/*-clean.mpio"} {
		found, err := filepath.Glob(scriptFolder + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no scripts %s in %s: %v", pattern, scriptFolder, err)
		}
		list = append(list, found...)
	}
	left = map[string]string{}
	for _, path := range list {
		name := strings.TrimPrefix(filepath.ToSlash(path), scriptFolder)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		why := deviates(name, string(text))
		if why == "" {
			r, err := script.Explore(t.Context(), s, script.Options{MaxSchedules: 300})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case len(r.Races) > 0:
				why = "races"
			case r.Deadlock != nil:
				why = "deadlock"
			case len(r.Failures) > 0 || r.Err != nil:
				why = "ends in an error"
			case len(r.Outcomes) != 1:
				why = fmt.Sprintf("%d outcomes, as the schedule has it", len(r.Outcomes))
			case s.Ranks > scriptRanks:
				why = fmt.Sprintf("%d ranks", s.Ranks)
			}
		}
		if why != "" {
			left[name] = why
		} else {
			names = append(names, name)
		}
	}
	return names, left
}

// scriptRanks is the number of ranks of the job that scripts run in.
const scriptRanks = 4

// deviates describes how the library is known to deviate from the standard with a script;
// "" if it does not.
func deviates(name, text string) string {
	if name == "twins/read-only-reader-clean.mpio" {
		return "a sync of a file opened to read is an error of the libraries (DIV-05)"
	}
	if !strings.HasPrefix(mpi.Library(), "Open MPI") {
		return ""
	}
	if name == "twins/pointer-past-end-clean.mpio" {
		return "Open MPI's pointer is elsewhere after a read that the end of file cuts (DIV-04)"
	}
	if strings.Contains(text, "preallocate") {
		return "Open MPI's preallocate changes bytes that are there"
	}
	if atomicMode.MatchString(text) {
		return "Open MPI refuses or hangs in a change of the atomic mode now and then"
	}
	return ""
}

var atomicMode = regexp.MustCompile(`(?m)^[^#]*\batomic \w+ (on|off)`)

type started struct {
	body    func(context.Context, *comm.Comm) error
	account func(int) string
	files   func() (map[string][]byte, error)
	ranks   int
	err     error
}

var bodies shared[*started]

// scripts runs rank scripts one after the other, each on the first ranks.
func scripts(ctx context.Context, c *comm.Comm) error {
	for name := range strings.FieldsSeq(os.Getenv(scriptVariable)) {
		// Rank 0 creates the files; no rank opens one before that.
		if c.Rank() > 0 {
			if err := c.Barrier(); err != nil {
				return err
			}
		}
		b := bodies.get(name, func() *started {
			text, err := os.ReadFile(filepath.Join(scriptFolder, name))
			if err != nil {
				return &started{err: err}
			}
			s, err := script.Parse(string(text))
			if err != nil {
				return &started{err: err}
			}
			// A directory, because ranks that open a file by themselves share it.
			dir := filepath.Join(where, filepath.Base(name)+".files")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return &started{err: err}
			}
			b := &started{ranks: s.Ranks}
			fsys, err := iofile.NewDir(dir)
			if err != nil {
				return &started{err: err}
			}
			b.body, b.account, b.files, b.err = script.Body(s, fsys)
			return b
		})
		err := c.Barrier()
		if c.Rank() == 0 {
			err = errors.Join(err, c.Barrier())
		}
		if err = errors.Join(b.err, err); err != nil {
			return err
		}
		color := 0
		if c.Rank() >= b.ranks {
			color = comm.Undefined
		}
		part, err := c.Split(color, 0)
		if err == nil && part != nil {
			if err = b.body(ctx, part); err == nil {
				err = part.Barrier()
			}
			if err == nil {
				err = record(c, "%s\n%s", name, b.account(part.Rank()))
			}
			if err == nil && part.Rank() == 0 {
				found, e := b.files()
				err = errors.Join(e, record(c, "%x", found))
			}
			err = errors.Join(err, part.Free())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// TestScripts runs every rank script that has one outcome in one process and on
// the library: results and files are the same.
func TestScripts(t *testing.T) {
	names, left := determinedScripts(t)
	if len(names) < 80 {
		t.Errorf("only %d scripts have one outcome, and %d are left out", len(names), len(left))
	}
	t.Logf("%d scripts; left out:", len(names))
	for _, name := range slices.Sorted(maps.Keys(left)) {
		t.Logf("  %s: %s", name, left[name])
	}
	t.Setenv(scriptVariable, strings.Join(names, " "))
	plays["scripts"].compare(t, "scripts")
}

// The programs that are drawn. They leave out operations with which a library is known to
// deviate from the standard, which tools/judge tests: reads that the end of file cuts,
// after which Open MPI's pointers are wrong (DIV-04) and MPICH's nonblocking collective
// reads count bytes that do not exist; and changes of the atomic mode, in which Open MPI
// sometimes hangs. Open MPI's preallocate overwrites existing bytes of the file.
const (
	drawn      = 40
	drawnRanks = 3
)

// programVariable lists the numbers of the programs of a play.
const programVariable = "COMMWORLD_TEST_PROGRAMS"

func draw(number int) *gen.Program {
	return gen.Programs(gen.Limits{
		Ranks: drawnRanks, Ops: 6, Exact: true,
		Use: gen.Collectives | gen.OrderedAccesses | gen.SharedPointers | gen.NonblockingAccesses | gen.SplitAccesses |
			gen.Sizes | gen.IndividualPointers | gen.Reopening,
	}).Example(number)
}

// TestPrograms draws programs until there are enough without a race, and runs them in one
// process and on the library.
func TestPrograms(t *testing.T) {
	var numbers []string
	openMPI := strings.HasPrefix(mpi.Library(), "Open MPI")
	for i := 0; len(numbers) < drawn; i++ {
		p, l := draw(i), proptest.OfFS(iofile.NewMem(iofile.WithModel(consistency.Weakest.WithPoison(0))))
		var cut atomic.Bool
		err := world.Run(t.Context(), drawnRanks, func(_ context.Context, c *comm.Comm) error {
			account, err := proptest.Rank(l, c, p)
			if strings.Contains(account.String(), "cut") {
				cut.Store(true)
			}
			return err
		})
		var races consistency.Races
		switch {
		case err == nil && (cut.Load() || openMPI && slices.ContainsFunc(p.Ops, func(o gen.Op) bool { return o.Do == gen.Preallocate })):
		case err == nil:
			numbers = append(numbers, strconv.Itoa(i))
		case !errors.As(err, &races):
			t.Fatal(err)
		}
	}
	t.Logf("programs %v", numbers)
	t.Setenv(programVariable, strings.Join(numbers, " "))
	plays["programs"].compare(t, "programs")
}

var layers shared[proptest.Layer]

// programs runs random programs that do not race. Each process draws them for itself; all
// draw the same ones, because the generator is a function of the number.
func programs(_ context.Context, c *comm.Comm) error {
	for number := range strings.FieldsSeq(os.Getenv(programVariable)) {
		i, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		p := draw(i)
		l := layers.get(number, func() proptest.Layer {
			return proptest.OfFS(iofile.NewMem(iofile.WithModel(consistency.Weakest.WithPoison(0))))
		})
		seen, err := proptest.Rank(l, c, p)
		if err == nil {
			err = c.Barrier()
		}
		if err != nil {
			return fmt.Errorf("program %d: %w", i, err)
		}
		data, err := l.(proptest.Storage).Stored("f")
		if err := errors.Join(err, record(c, "program %d\n%v\n%sfile %x", i, p, seen, data), c.Barrier()); err != nil {
			return err
		}
	}
	return nil
}
