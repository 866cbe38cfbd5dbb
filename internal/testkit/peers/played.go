package peers

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed c/player.c
var playerSource string

// A Played is the result of a program over one file.
type Played struct {
	Lines []string // lines of each rank
	File  []byte   // afterwards

	// Failed is the library's error, or the reason why the run died, if it did not reach its
	// end; Lines then has the output until then.
	Failed string
}

// Play lets so many ranks of the library perform programs, each over a file of
// its own that does not exist. A program has a text for each rank; its lines are
//
//	access OP WRITES AT ALL FORM LATE OFF N   one of the accesses, in etypes; AT is 0 for explicit
//	                                     offsets, 1 and 2 for the pointers; FORM is 0 blocking,
//	                                     1 nonblocking, 2 split; writes have marks as data
//	complete OP                          of an access that is LATE, 64 of which may be under way
//	view DISP ITEM REP                   ITEM is the size of the etype's items in memory;
//	type RECIPE                          twice after a view: its etype, its filetype
//	seek OP OFF WHENCE                   0 set, 1 current, 2 end
//	seek_shared OFF, set_size N, preallocate N, atomic 0|1, sync, barrier, close, open
//	size OP                              asks for the size
//
// and what a rank prints
//
//	access OP BYTES POSITION SHARED HEX.   bytes of memory moved, pointers or -1, the bytes read
//	pos OP POSITION                        after a seek
//	size OP BYTES
//
// A rank that ends, or is stuck, ends that program; the other programs still run.
func (l *Library) Play(ctx context.Context, ranks int, programs [][]string) ([]Played, error) {
	dir, err := os.MkdirTemp("", "commworld-player")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	player := filepath.Join(dir, "player")
	if err := l.compile([]byte(datatypeSource+playerSource), player); err != nil {
		return nil, err
	}
	p := &play{l, dir, player, ranks, programs, make([]Played, len(programs))}
	for from := 0; from < len(programs); {
		next, err := p.run(ctx, from)
		if err != nil {
			return nil, err
		}
		from = next
	}
	return p.out, nil
}

type play struct {
	lib      *Library
	dir      string
	player   string
	ranks    int
	programs [][]string
	out      []Played
}

func (p *play) path(i int) string { return filepath.Join(p.dir, "f"+strconv.Itoa(i)) }

// batch is how many programs one start performs at most, so that a run that
// does not end is noticed.
const batch = 25

// run performs programs from one on until one fails, and returns the next.
func (p *play) run(ctx context.Context, from int) (int, error) {
	upto := min(from+batch, len(p.programs))
	for r := range p.ranks {
		var b strings.Builder
		for i := from; i < upto; i++ {
			fmt.Fprintf(&b, "program %d %s\n%sclose\n", i, p.path(i), p.programs[i][r])
		}
		if err := os.WriteFile(p.name("script", r), []byte(b.String()), 0o600); err != nil {
			return 0, err
		}
		_ = os.Remove(p.name("lines", r))
	}
	failure := p.perform(ctx)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	last, died, err := p.read(from)
	if err != nil || failure == nil && last != upto-1 {
		return 0, errors.Join(err, failure, fmt.Errorf("%s: program %d of %d is the last that was begun", p.lib.Name, last, upto-1))
	}
	if failure != nil {
		if died == "" {
			died = failure.Error()
		}
		p.out[last].Failed = died
	}
	for i := from; i <= last; i++ {
		if p.out[i].File, err = os.ReadFile(p.path(i)); err != nil && p.out[i].Failed == "" {
			return 0, err
		}
		_ = os.Remove(p.path(i))
	}
	return last + 1, nil
}

func (p *play) name(what string, rank int) string {
	return filepath.Join(p.dir, what+"."+strconv.Itoa(rank))
}

// perform runs the player as long as its ranks make progress.
func (p *play) perform(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	defer func() { <-over }()
	go func() {
		defer close(over)
		p.watch(ctx, cancel)
	}()
	_, _, err := p.lib.launch(ctx, nil, p.player, p.ranks, filepath.Join(p.dir, "script"), filepath.Join(p.dir, "lines"))
	if err != nil && errors.Is(context.Cause(ctx), errStuck) {
		err = errStuck
	}
	cancel(nil)
	return err
}

// patience is the time within which some rank must begin a program. It is a limit for
// processes that sleep when they are stuck; other failures are reported long before.
const patience = 40 * time.Second

var errStuck = fmt.Errorf("no rank went on for %v", patience)

// watch ends a run that makes no progress.
func (p *play) watch(ctx context.Context, end context.CancelCauseFunc) {
	tick := time.NewTicker(patience / 20)
	defer tick.Stop()
	size, since := int64(-1), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			var all int64
			for r := range p.ranks {
				if st, err := os.Stat(p.name("lines", r)); err == nil {
					all += st.Size()
				}
			}
			if all != size {
				size, since = all, now
			} else if now.Sub(since) > patience {
				end(errStuck)
				return
			}
		}
	}
}

// read parses the output of the ranks. It returns the last program that all of them began,
// or the program in which one of them failed, with the error.
func (p *play) read(from int) (last int, died string, err error) {
	last = len(p.programs)
	for r := range p.ranks {
		text, err := os.ReadFile(p.name("lines", r))
		if errors.Is(err, os.ErrNotExist) {
			return from, "it did not begin", nil
		}
		if err != nil {
			return 0, "", err
		}
		at := from - 1
		for line := range bytes.Lines(text) {
			s := strings.TrimSuffix(string(line), "\n")
			if n, ok := strings.CutPrefix(s, "program "); ok {
				if at, err = strconv.Atoi(n); err != nil {
					return 0, "", err
				}
				if p.out[at].Lines == nil {
					p.out[at].Lines = make([]string, p.ranks)
				}
				continue
			}
			if strings.HasPrefix(s, "failed ") && died == "" {
				died = fmt.Sprintf("rank %d %s", r, s)
			}
			p.out[at].Lines[r] += s + "\n"
		}
		last = min(last, at)
	}
	return max(last, from), died, nil
}
