// Command commworldrec records a program that runs with an MPI library, for commworld check:
//
//	commworldrec build --mpicc mpicc -o libcommworldrec.so
//	mpirun -n 512 commworldrec --lib libcommworldrec.so -o trace ./prog arguments
//	commworld check trace
//
// The first command makes the recorder for the library at hand. The second runs the program with
// it; trace becomes a folder with a file for each rank. When the program ends, rank 0 writes the
// lines of the program into it, so that it can be judged elsewhere; for a job that was ended,
// commworldrec lines does this on the machine of the run. See docs/traces.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/show/version"
	"github.com/commworld/commworld/world/c/internal/recorder"
)

const usage = `commworldrec records a program that runs with an MPI library, for commworld check:

  commworldrec build --mpicc mpicc -o libcommworldrec.so
  mpirun -n 512 commworldrec --lib libcommworldrec.so -o trace ./prog arguments
  commworld check trace

  build    make the recorder, with the compiler of the library that the program uses
  lines    write the lines of the program into the recording of a job that was ended: commworldrec
           lines trace, on the machine of the run; -q prints nothing
  calls    print the calls of each rank, or of RANK: commworldrec calls trace [RANK]
  --lib    the recorder, which build makes
  -o       the folder of the recording
`

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	var err error
	switch args[0] {
	case "-h", "-help", "--help", "help":
		fmt.Print(usage)
	case "--version", "version":
		fmt.Println(version.Of("commworldrec"))
	case "build":
		err = build(args[1:])
	case "lines":
		err = lines(args[1:])
	case "calls":
		err = calls(args[1:])
	default:
		err = record(args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "commworldrec:", err)
		os.Exit(2)
	}
}

// flags returns a set of flags that returns errors.
func flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

func build(args []string) error {
	fs := flags("build")
	mpicc := fs.String("mpicc", "mpicc", "")
	out := fs.String("o", "libcommworldrec.so", "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("build takes no argument %q", fs.Arg(0))
	}
	return recorder.Build(*mpicc, *out)
}

// record replaces this process by the program.
func record(args []string) error {
	fs := flags("commworldrec")
	library := fs.String("lib", "", "")
	dir := fs.String("o", "", "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return errors.New("which program? commworldrec --help")
	}
	program, err := exec.LookPath(fs.Arg(0))
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return err
	}
	if *library == "" {
		return errors.New("which recorder? give --lib LIB; commworldrec build makes one")
	}
	if err := recorder.Fits(*library, program); err != nil {
		return err
	}
	if err := preload(*library, *dir); err != nil {
		return err
	}
	if self, err := os.Executable(); err == nil {
		_ = os.Setenv("COMMWORLD_RECORD_LINES", self)
	}
	return syscall.Exec(program, fs.Args(), os.Environ())
}

// preload sets the environment of a program that is recorded.
func preload(library, dir string) error {
	if dir == "" {
		return errors.New("which folder gets the recording? give -o TRACE")
	}
	library, err := filepath.Abs(library)
	if err != nil {
		return err
	}
	if _, err := os.Stat(library); err != nil {
		return fmt.Errorf("%w; make it with commworldrec build", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	all := library
	if others := os.Getenv("LD_PRELOAD"); others != "" {
		all += ":" + others
	}
	return errors.Join(os.Setenv("LD_PRELOAD", all), os.Setenv("COMMWORLD_RECORD", dir))
}

func lines(args []string) error {
	fs := flags("lines")
	quiet := fs.Bool("q", false, "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return errors.New("which recording? commworldrec lines TRACE")
	}
	dir := fs.Arg(0)
	t, err := recording.Open(dir)
	if err != nil {
		return err
	}
	found, all, err := t.WriteLines()
	if err == nil && !*quiet {
		fmt.Printf("%s: %d of %d addresses have a line\n", dir, found, all)
	}
	return err
}

// calls prints the calls of a recording.
func calls(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return errors.New("which recording? commworldrec calls TRACE [RANK]")
	}
	t, err := recording.Open(args[0])
	if err != nil {
		return err
	}
	first, last := 0, t.Ranks-1
	if len(args) == 2 {
		if first, err = strconv.Atoi(args[1]); err != nil || first < 0 || first > last {
			return fmt.Errorf("rank %s of %d", args[1], t.Ranks)
		}
		last = first
	}
	for rank := first; rank <= last; rank++ {
		if err := printCalls(t, rank); err != nil {
			return err
		}
	}
	return nil
}

func printCalls(t *recording.Trace, rank int) error {
	r, err := t.Rank(rank)
	if err != nil {
		return err
	}
	for {
		call, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n := len(call.Args)
		if !call.Returned {
			n = call.Inputs
		}
		var fields []string
		for i, x := range call.Args[:n] {
			fields = append(fields, field(r, call.Fields[i], x))
		}
		end := ""
		if !call.Returned {
			end = " did not return"
		}
		fmt.Printf("%d: %s(%s)%s at %v\n", rank, call.Name, strings.Join(fields, " "), end, t.Place(r, call.Site))
	}
}

// field returns a field of a call as text.
func field(r *recording.Reader, letter byte, x int64) string {
	text := fmt.Sprintf("%c%d", letter, x)
	if x == recording.None {
		return text
	}
	var value any
	var err error
	switch letter {
	case 's', 'i':
		value, err = r.Text(x)
		value = fmt.Sprintf("%q", value)
	case 't':
		value, err = r.Type(x)
	case 'T':
		value, err = r.Types(x)
	case 'l', 'g':
		value, err = r.List(x)
	default:
		return text
	}
	if err != nil {
		return text + "?"
	}
	return fmt.Sprint(value)
}
