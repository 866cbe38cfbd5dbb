// Measure runs the C programs of the suite with MPICH and Open MPI and writes the results
// to teach/suite/libraries.tsv. It needs both libraries and takes some 20 minutes.
//
//	go run ./teach/suite/measure [-runs 3] [-limit 5s] [NAME ...]
//
// Each bad program is run several times, until a run fails, each clean one once:
//
//	nothing  it ended well, and values and files were those that are meant
//	wrong    a value or a file was another; or none of those that are allowed
//	error    a call failed, with the class of MPI or the text of the library
//	hang     it did not end within the time limit
//	crash    it died of a signal
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/teach/suite"
)

func main() {
	runs := flag.Int("runs", 3, "runs of a bad program at most")
	limit := flag.Duration("limit", 5*time.Second, "time limit of a run")
	from := flag.String("from", "", "begin with this pair, and write no file")
	flag.Parse()
	begin = *from
	if err := measure(*runs, *limit, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(2)
	}
}

// begin is the name of the first pair to run.
var begin string

// An answer is the result of one program with one library.
type answer struct{ shows, text string }

func measure(runs int, limit time.Duration, names []string) error {
	all := len(names) == 0 && begin == ""
	if len(names) == 0 {
		names = slices.DeleteFunc(suite.Names(), func(n string) bool { return n < begin })
	}
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "program\tkind")
	for _, lib := range peers.All() {
		fmt.Fprintf(&b, "\t%s", lib.Name)
	}
	b.WriteString("\n")
	for _, name := range names {
		label, ok := suite.LabelOf(name)
		if !ok {
			return fmt.Errorf("there is no pair %s", name)
		}
		for _, half := range []string{suite.Bad, suite.Clean} {
			line := name + "/" + half + "\t" + string(label.Kind)
			for _, lib := range peers.All() {
				n := 1
				if half == suite.Bad {
					n = runs
				}
				a, err := show(lib, name, half, label.Ranks, n, limit)
				if err != nil {
					return err
				}
				line += "\t" + a.shows
				if a.text != "" {
					fmt.Fprintf(os.Stderr, "%s %s: %s\n", lib.Name, name+"/"+half, a.text)
				}
			}
			fmt.Println(line)
			b.WriteString(line + "\n")
		}
	}
	if !all {
		return nil
	}
	return os.WriteFile("teach/suite/libraries.tsv", []byte(b.String()), 0o644)
}

// show compiles a program and runs it until a run shows an error.
func show(lib *peers.Library, name, half string, ranks, runs int, limit time.Duration) (answer, error) {
	source, err := suite.Program(name, half, suite.C)
	if err != nil {
		return answer{}, err
	}
	p, err := lib.CompileStrictly([]byte(source))
	if err != nil {
		return answer{}, fmt.Errorf("%s/%s: %w", name, half, err)
	}
	defer p.Close()
	for range runs {
		a, err := once(p, ranks, limit)
		if err != nil || a.shows != "nothing" {
			return a, err
		}
	}
	return answer{shows: "nothing"}, nil
}

// once runs a program in a new directory.
func once(p *peers.Program, ranks int, limit time.Duration) (answer, error) {
	dir, err := os.MkdirTemp("", "commworld-suite")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	_, _, err = p.Run(ctx, ranks, dir)
	text := ""
	if err != nil {
		text, _, _ = strings.Cut(tail(err.Error()), "\n")
	}
	code := exitCode(err)
	switch {
	case err == nil:
		return answer{shows: "nothing"}, nil
	case ctx.Err() != nil:
		return answer{"hang", ""}, nil
	case code == 1:
		return answer{"wrong", text}, nil
	case code == 2:
		return answer{"error", text}, nil
	case code > 0:
		return answer{"crash", fmt.Sprintf("status %d: %s", code, text)}, nil
	}
	return answer{}, err
}

// tail returns the output of a program without the text that the error already has.
func tail(text string) string {
	_, said, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(said)
}

func exitCode(err error) int {
	var status interface{ ExitCode() int }
	if errors.As(err, &status) {
		return status.ExitCode()
	}
	return -1
}
