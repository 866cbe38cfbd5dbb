package peers

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed c/trace.c
var traceSource []byte

// A Traced is an access: one call in which every rank moves bytes of its own view.
type Traced struct {
	Write, All bool
	Hints      [][2]string
	Parts      []TracedPart // of each rank
}

// A TracedPart is the view of a rank, blocks of bytes (offset, length) that
// repeat every Extent bytes from Disp on, and the N bytes that it moves, from
// byte From of the view on.
type TracedPart struct {
	Disp, Extent int64
	Blocks       [][2]int64
	From, N      int64
}

// A Call is a system call on the file of an access.
type Call struct {
	Write    bool
	Off, Len int64
}

// Calls are the system calls of one rank in one access.
type Calls struct {
	Requests []Call
	Locks    int
}

// CanTrace returns nil if system calls can be traced here, else an error to print.
func CanTrace() error {
	out, err := exec.Command("strace", "-qq", "-e", "trace=none", "true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("SKIPPED: strace does not work here (apt-get install strace): %w %.200s", err, bytes.TrimSpace(out))
	}
	return nil
}

// Trace lets ranks of the library make the accesses, each on a file of its own
// of size bytes, and returns the system calls of every access and rank.
func (l *Library) Trace(ranks int, size int64, list []Traced) ([][]Calls, error) {
	dir, err := os.MkdirTemp("", "commworld-trace")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "trace")
	if err := l.compile(traceSource, program); err != nil {
		return nil, err
	}
	if err := writeList(dir, size, list); err != nil {
		return nil, err
	}
	line := append(l.mpirun[:len(l.mpirun)-1:len(l.mpirun)-1], strconv.Itoa(ranks), program, filepath.Join(dir, "list"))
	// Each process has its own file of calls, so that their lines do not mix.
	line = append([]string{"-ff", "-qq", "-y", "-s", "0", "-e", "trace=pread64,pwrite64,fcntl", "-o", filepath.Join(dir, "calls")}, line...)
	cmd := exec.Command("strace", line...)
	cmd.Env = append(os.Environ(), l.env...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s under strace: %w\n%s", l.Name, err, complaints.Bytes())
	}
	return readCalls(dir, string(out), ranks, len(list))
}

// writeList makes the files and the list that the program reads: for each access a path,
// whether it writes, whether it is collective, and the hints; then for each rank
// displacement, extent, blocks, offset and length.
func writeList(dir string, size int64, list []Traced) error {
	var b strings.Builder
	flag := map[bool]int{true: 1}
	for i, a := range list {
		path := filepath.Join(dir, "f"+strconv.Itoa(i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		if err := os.Truncate(path, size); err != nil {
			return err
		}
		fmt.Fprintln(&b, path, flag[a.Write], flag[a.All], len(a.Hints))
		for _, h := range a.Hints {
			fmt.Fprintln(&b, h[0], h[1])
		}
		for _, p := range a.Parts {
			fmt.Fprint(&b, p.Disp, " ", p.Extent, " ", len(p.Blocks))
			for _, x := range p.Blocks {
				fmt.Fprint(&b, " ", x[0], " ", x[1])
			}
			fmt.Fprintln(&b, "", p.From, p.N)
		}
	}
	return os.WriteFile(filepath.Join(dir, "list"), []byte(b.String()), 0o600)
}

var (
	moving  = regexp.MustCompile(`^(pread64|pwrite64)\(\d+<(.*)>, ""(?:\.\.\.)?, (\d+), (\d+)\) = `)
	locking = regexp.MustCompile(`^fcntl\(\d+<(.*)>, F_SETLKW?(?:64)?, \{l_type=F_WRLCK`)
)

// readCalls reads the calls of all ranks, whose process ids they printed.
func readCalls(dir, pids string, ranks, accesses int) ([][]Calls, error) {
	all := make([][]Calls, accesses)
	for i := range all {
		all[i] = make([]Calls, ranks)
	}
	of := func(path string) int {
		i, err := strconv.Atoi(strings.TrimPrefix(path, filepath.Join(dir, "f")))
		if err != nil || i >= accesses {
			return -1
		}
		return i
	}
	for range ranks {
		line, rest, _ := strings.Cut(pids, "\n")
		pids = rest
		var rank, pid int
		if _, err := fmt.Sscan(line, &rank, &pid); err != nil || rank >= ranks {
			return nil, fmt.Errorf("a rank said %q", line)
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls."+strconv.Itoa(pid)))
		if err != nil {
			return nil, err
		}
		for s := bufio.NewScanner(bytes.NewReader(calls)); s.Scan(); {
			if m := moving.FindStringSubmatch(s.Text()); m != nil && of(m[2]) >= 0 {
				n, _ := strconv.ParseInt(m[3], 10, 64)
				off, _ := strconv.ParseInt(m[4], 10, 64)
				c := &all[of(m[2])][rank]
				c.Requests = append(c.Requests, Call{m[1] == "pwrite64", off, n})
			} else if m := locking.FindStringSubmatch(s.Text()); m != nil && of(m[1]) >= 0 {
				all[of(m[1])][rank].Locks++
			}
		}
	}
	return all, nil
}
