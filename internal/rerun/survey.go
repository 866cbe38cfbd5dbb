package rerun

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/internal/recording"
)

// A match is the message that a receive from any source, or of any tag, has received.
type match struct{ source, tag int32 }

// unknown is the match of a receive whose end is not in the recording.
var unknown = match{-1, -1}

// A survey is what one reading of a rank's calls shows.
type survey struct {
	matches []match // of nonblocking receives from any source, in the order of their starts
	calls   int64
	inCall  bool // the recording ends within a call
	aborts  bool // this call is MPI_Abort
	end     recording.End
	notes   []string
	without map[string]int // calls of functions that a world does not have
	files   map[string]int64
	order   []string // the files, in the order of their first opens
}

// unsupported are functions that order ranks or move data as a world does not.
var unsupported = []string{"Win_", "Comm_spawn", "Comm_accept", "Comm_connect", "Comm_join", "Comm_get_parent", "Session_", "Grequest_", "Register_datarep"}

// surveyOf reads all calls of a rank. Errors: *recording.Error, that of ctx.
func surveyOf(ctx context.Context, t *recording.Trace, rank int) (*survey, error) {
	r, err := t.Rank(rank)
	if err != nil {
		return nil, err
	}
	s := &survey{without: map[string]int{}, files: map[string]int64{}}
	open := map[int64]int{}        // the match of a request
	persistent := map[int64]bool{} // requests that receive from any source whenever they start
	for {
		call, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		const often = 1 << 16
		if s.calls++; s.calls%often == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !call.Returned {
			s.inCall, s.aborts = true, call.Name == "Abort"
			continue
		}
		if err := s.call(r, call, open, persistent); err != nil {
			return nil, err
		}
	}
	s.end, s.notes = r.End(), r.Notes()
	return s, nil
}

func (s *survey) call(r *recording.Reader, call *recording.Call, open map[int64]int, persistent map[int64]bool) error {
	start := func(id int64) {
		open[id] = len(s.matches)
		s.matches = append(s.matches, unknown)
	}
	name := strings.TrimSuffix(call.Name, "_c")
	switch {
	case name == "File_open":
		return s.opened(r, call)
	case name == "Start":
		if persistent[call.Args[0]] {
			start(call.Args[0])
		}
		return nil
	case name == "Startall":
		list, err := r.List(call.Args[0])
		for _, id := range list {
			if persistent[id] {
				start(id)
			}
		}
		return err
	case strings.HasPrefix(name, "Wait"):
		return s.completed(r, call, open)
	case slices.ContainsFunc(unsupported, func(p string) bool { return strings.HasPrefix(name, p) }):
		s.without[name]++
		return nil
	}
	if id := len(call.Fields) - 2; isWild(call) {
		switch call.Fields[id] {
		case 'Q':
			start(call.Args[id])
		case 'P':
			persistent[call.Args[id]] = true
		}
	} else if id >= 0 && call.Fields[id] == 'P' {
		delete(persistent, call.Args[id])
	}
	return nil
}

// isWild reports whether a call starts a receive whose match is open.
func isWild(call *recording.Call) bool {
	n := len(call.Fields)
	if n < 2 || call.Fields[n-2] != 'Q' && call.Fields[n-2] != 'P' || !strings.Contains(call.Name, "recv") {
		return false
	}
	i := strings.LastIndex(call.Fields, "rk")
	return i >= 0 && (call.Args[i] == anySource || call.Args[i+1] == anyTag)
}

// completed notes the matches of the requests that a call has completed.
func (s *survey) completed(r *recording.Reader, call *recording.Call, open map[int64]int) error {
	list, err := r.List(call.Args[len(call.Args)-2])
	if err != nil {
		return err
	}
	for ; len(list) >= 3; list = list[3:] {
		if i, ok := open[list[0]]; ok {
			s.matches[i] = match{int32(list[1]), int32(list[2])}
			delete(open, list[0])
		}
	}
	return nil
}

// opened notes the size that a file had before the rank first opened it.
func (s *survey) opened(r *recording.Reader, call *recording.Call) error {
	name, err := r.Text(call.Args[1])
	if _, again := s.files[name]; !again && err == nil {
		s.files[name] = call.Args[4]
		s.order = append(s.order, name)
	}
	return err
}

// surveys reads the calls of all ranks, several at a time.
func surveys(ctx context.Context, t *recording.Trace) ([]*survey, error) {
	all, errs := make([]*survey, t.Ranks), make([]error, t.Ranks)
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for rank := range next {
				all[rank], errs[rank] = surveyOf(ctx, t, rank)
			}
		})
	}
	for rank := range t.Ranks {
		next <- rank
	}
	close(next)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// existing returns the files that were there before the job, with their sizes: no rank that
// opened one was the first to make it.
func existing(all []*survey) (names []string, sizes map[string]int64) {
	sizes = map[string]int64{}
	for _, s := range all {
		for _, name := range s.order {
			size, ok := sizes[name]
			if !ok {
				names = append(names, name)
				size = s.files[name]
			}
			sizes[name] = min(size, s.files[name])
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return sizes[name] < 0 }), sizes
}
