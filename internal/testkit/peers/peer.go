package peers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/types"
)

// A Peer is a running rank of a library. It is for one goroutine.
type Peer struct {
	lib        *Library
	version    string
	cmd        *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
	complaints *bytes.Buffer // its standard error; read after its end
	dead       error
}

// A Refusal is an error that the library itself returned.
type Refusal struct {
	Library string
	Class   int // the library's number of the class
}

// Error names the library and the class.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: error class %d", r.Library, r.Class) }

// Library returns the library of which p is a rank.
func (p *Peer) Library() *Library { return p.lib }

// Version returns the library's description of itself.
//
// MPI_Get_library_version
func (p *Peer) Version() string { return p.version }

// Close ends the rank and waits for its end.
func (p *Peer) Close() error {
	if p.dead != nil {
		return nil
	}
	p.dead = fmt.Errorf("%s: closed", p.lib.Name)
	_ = p.in.Close()
	return p.cmd.Wait()
}

// ask sends one line and returns the line that answers it. When the rank has died, this and
// all later questions return its last words.
func (p *Peer) ask(words ...string) (string, error) {
	if p.dead != nil {
		return "", p.dead
	}
	_, err := io.WriteString(p.in, strings.Join(words, " ")+"\n")
	if err != nil {
		return "", p.died(words, err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", p.died(words, err)
	}
	line = strings.TrimSpace(line)
	if _, class, ok := strings.Cut(line, "error "); ok {
		n, _ := strconv.Atoi(class)
		return "", &Refusal{p.lib.Name, n}
	}
	return line, nil
}

func (p *Peer) died(words []string, err error) error {
	_ = p.in.Close()
	if end := p.cmd.Wait(); end != nil {
		err = end
	}
	question := strings.Join(words, " ")
	p.dead = fmt.Errorf("%s died of %.200q: %w\n%s", p.lib.Name, question, err, p.complaints)
	return p.dead
}

// Build makes t the subject of the other questions.
func (p *Peer) Build(t *types.Type) error {
	recipe, err := Recipe(t)
	if err != nil {
		return err
	}
	return p.BuildRecipe(recipe)
}

// BuildRecipe does the same as Build, for a type that this module would refuse.
func (p *Peer) BuildRecipe(recipe string) error {
	if len(recipe) > most {
		return p.load(recipe)
	}
	_, err := p.ask("build", recipe)
	return err
}

// most is the longest line that is sent through mpirun: MPICH's mpirun gives up the rank if
// a longer one is not read fast enough.
const most = 4096

func (p *Peer) load(recipe string) error {
	f, err := os.CreateTemp("", "commworld-recipe")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintln(f, "build", recipe)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, err = p.ask("load", f.Name())
	return err
}

// An Answer is a library's answer about some copies of a datatype.
type Answer struct {
	Size, LB, Extent, TrueLB, TrueExtent int64

	// Packed is the number of packed bytes of all copies, Bytes their [Hash],
	// and Memory the hash of a window of zeros into which they were unpacked.
	// All are 0 if Outside: a copy would have left the window.
	Packed  int64
	Bytes   uint64
	Memory  uint64
	Outside bool
}

// Describe asks for the bounds of the type and for count copies of it that are
// packed from, and unpacked to, a window of memory that reaches from byte lo to
// byte hi around the buffer's origin and is filled by [Pattern].
func (p *Peer) Describe(count, lo, hi int64) (Answer, error) {
	var a Answer
	line, err := p.ask("describe", decimal(count), decimal(lo), decimal(hi))
	if err != nil {
		return a, err
	}
	if head, ok := strings.CutSuffix(line, " outside"); ok {
		a.Outside = true
		line = head + " 0 0 0"
	}
	_, err = fmt.Sscanf(line, "%d %d %d %d %d %d %x %x",
		&a.Size, &a.LB, &a.Extent, &a.TrueLB, &a.TrueExtent, &a.Packed, &a.Bytes, &a.Memory)
	if err != nil {
		return a, fmt.Errorf("%s answered %q: %w", p.lib.Name, line, err)
	}
	return a, nil
}

// Window gives the peer memory for count copies in bytes lo to hi around the
// buffer's origin.
func (p *Peer) Window(count, lo, hi int64) error {
	_, err := p.ask("window", decimal(count), decimal(lo), decimal(hi))
	return err
}

// Pack returns the time of n calls that pack the window, after one call that is not counted.
func (p *Peer) Pack(n int64) (time.Duration, error) { return p.measure("pack", n) }

// Unpack does the same as Pack in the other direction.
func (p *Peer) Unpack(n int64) (time.Duration, error) { return p.measure("unpack", n) }

func (p *Peer) measure(verb string, n int64) (time.Duration, error) {
	line, err := p.ask(verb, decimal(n))
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseFloat(line, 64)
	return time.Duration(seconds * float64(time.Second)), err
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
