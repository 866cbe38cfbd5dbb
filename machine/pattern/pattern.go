package pattern

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// A Pattern is one benchmark or application.
type Pattern struct {
	Name    string
	Summary string // one line
	Source  string // where its parameters come from

	// flags declares the parameters, and returns a function that builds the workload from
	// them.
	flags func(fs *flag.FlagSet) func(w *Workload) error
}

// All are the patterns, sorted by name.
var All = []*Pattern{
	&bench, &btio, &blocks, &collPerf, &csr, &e3sm, &flash, &hacc, &hpio, &ior, &life, &logAppend, &madbench, &noncontig, &s3d, &tile,
}

// Find returns the pattern with that name. Error: ErrArg, with the names of all patterns.
func Find(name string) (*Pattern, error) {
	for _, p := range All {
		if p.Name == name {
			return p, nil
		}
	}
	names := make([]string, len(All))
	for i, p := range All {
		names[i] = p.Name
	}
	return nil, fault("no pattern %q; there are %s%s", brief.String(name), strings.Join(names, ", "), brief.Meant(name, names))
}

// Usage returns the list of parameters with their defaults.
func (p *Pattern) Usage() string {
	var b strings.Builder
	fs := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	p.flags(fs)
	fs.VisitAll(func(f *flag.Flag) {
		kind, text := flag.UnquoteUsage(f)
		name := "-" + f.Name
		if len(f.Name) > 1 {
			name = "--" + f.Name
		}
		if kind != "" {
			name += " " + strings.ToUpper(kind)
		}
		fmt.Fprintf(&b, "  %-22s %s", name, text)
		if f.DefValue != "false" && f.DefValue != "" {
			fmt.Fprintf(&b, " (default %s)", f.DefValue)
		}
		b.WriteByte('\n')
	})
	return b.String()
}

// Parse makes the workload of a line for so many ranks: the name of a pattern and its
// parameters. Sizes are bytes or have a unit, k, m, g or t, of 1,024. Errors: ErrArg for
// an unknown pattern or parameter and for an invalid value.
func Parse(line string, ranks int) (*Workload, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, fault("no pattern; see the list of patterns")
	}
	p, err := Find(words[0])
	if err != nil {
		return nil, err
	}
	if ranks < 1 || ranks > maxRanks {
		return nil, fault("%d ranks; a pattern takes 1 to %d", ranks, maxRanks)
	}
	fs := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	build := p.flags(fs)
	switch err := fs.Parse(words[1:]); {
	case errors.Is(err, flag.ErrHelp):
		return nil, fault("pattern %s takes\n%s", p.Name, p.Usage())
	case err != nil:
		return nil, fault("pattern %s: %v", p.Name, err)
	case fs.NArg() > 0:
		return nil, fault("pattern %s: unknown parameter %q; the parameters are\n%s", p.Name, brief.String(fs.Arg(0)), p.Usage())
	}
	w := &Workload{Name: strings.Join(words, " "), Ranks: ranks, Pattern: p}
	if err := build(w); err != nil {
		return nil, err
	}
	return w, nil
}

// maxRanks is the largest number of ranks of a pattern.
const maxRanks = 1 << 24

func fault(format string, args ...any) error {
	return &errclass.Error{Pkg: "pattern", Rank: errclass.NoRank, Class: errclass.Arg, Err: brief.Errorf(format, args...)}
}

// A size is a parameter in bytes.
type size int64

// sizeFlag declares a size; usage has its unit in backquotes.
func sizeFlag(fs *flag.FlagSet, name string, usual int64, usage string) *int64 {
	n := usual
	fs.Var((*size)(&n), name, usage)
	return &n
}

// String returns the size with its unit.
func (s *size) String() string {
	if s == nil {
		return ""
	}
	n := int64(*s)
	for _, u := range []struct {
		name string
		of   int64
	}{{"t", 1 << 40}, {"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}} {
		if n >= u.of && n%u.of == 0 {
			return strconv.FormatInt(n/u.of, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// Set reads a size.
func (s *size) Set(text string) error {
	n, err := ParseSize(text)
	if err == nil {
		*s = size(n)
	}
	return err
}

// ParseSize reads a number of bytes, which may have a unit, k, m, g or t, of 1,024.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(strings.ToLower(text), "kmgtib")
	unit := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(text)[len(digits):], "b"), "i")
	n, err := strconv.ParseInt(digits, 10, 64)
	power := slices.Index([]string{"", "k", "m", "g", "t"}, unit)
	switch {
	case err != nil || power < 0 || n < 0:
		return 0, fmt.Errorf("invalid size %q; use 512, 64k or 1m", brief.String(text))
	case n > math.MaxInt64>>(10*power+1):
		return 0, fmt.Errorf("%q is too large", brief.String(text))
	}
	return n << (10 * power), nil
}

// positive returns an error if a parameter is below 1, or too large for a product of
// several.
func positive(name string, n int64) error {
	if n < 1 || n > 1<<40 {
		return fault("%s is %d; it needs 1 to %d", name, n, int64(1)<<40)
	}
	return nil
}
