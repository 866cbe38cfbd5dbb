package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	lived, err := random(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if lived > 0 {
		os.Exit(1)
	}
}

// random tries random mutants of a package and returns how many survived.
func random(ctx context.Context, args []string) (lived int, err error) {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	n := flags.Int("n", 10, "how many mutants")
	seed := flags.Uint64("seed", 1, "which mutants")
	with := flags.String("with", "", "packages whose tests are run, too, separated by commas")
	only := flags.String("only", "", "FILE:LINE of the mutants to try, separated by commas")
	run := flags.String("run", "^(Test|Example|Fuzz)", "which tests are run, a regular expression")
	checks := flags.Int("checks", 0, "draws of each test with package rapid; 0: its default")
	slowest := flags.Duration("slowest", time.Hour, "tests that need more processor time are left out")
	limit := flags.Duration("limit", 2*time.Minute, "bound of one run of the tests")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() != 1 || *n < 1 {
		return 0, errors.New("usage: mutants [-n N] [-seed S] [-with ./PACKAGE,...] [-only FILE:LINE,...] [-run REGEXP] [-slowest D] [-checks N] ./PACKAGE")
	}
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	pkg := filepath.Clean(flags.Arg(0))
	p, err := candidates(root, pkg)
	if err != nil {
		return 0, err
	}
	tests := []string{"./" + pkg}
	if *with != "" {
		tests = append(tests, strings.Split(*with, ",")...)
	}
	s, err := newSchema(ctx, root, p)
	if err != nil {
		return 0, err
	}
	rng := rand.New(rand.NewPCG(*seed, 0))
	rng.Shuffle(len(p.all), func(i, j int) { p.all[i], p.all[j] = p.all[j], p.all[i] })
	chosen := p.all[:min(*n, len(p.all))]
	fmt.Printf("%s: %d of %d possible mutants, seed %d\n", pkg, len(chosen), len(p.all), *seed)
	if *only != "" {
		lines := strings.Split(*only, ",")
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(c candidate) bool {
			return !slices.Contains(lines, fmt.Sprintf("%s:%d", filepath.Base(c.file), c.line))
		})
		fmt.Printf("%d of them are tried\n", len(chosen))
	}
	if err := s.build(ctx, chosen); err != nil {
		return 0, err
	}
	defer os.RemoveAll(s.work)
	all, err := newSuite(ctx, s, suiteOptions{*limit, *slowest, *run, *checks}, tests)
	if err != nil {
		return 0, err
	}
	count := map[verdict]int{}
	for id, c := range chosen {
		v, how := survived, ""
		if s.left[id] { // on its own
			v, _, err = try(ctx, root, c.file, c.source(), *limit, append([]string{"-short"}, tests...)...)
		} else {
			var reach int
			v, reach, err = all.mutant(ctx, id)
			how = fmt.Sprintf("  (%d tests reach it)", reach)
		}
		if err != nil {
			return count[survived], err
		}
		count[v]++
		if v == survived {
			fmt.Printf("survived  %s%s\n", c, how)
		}
	}
	fmt.Printf("%d noticed, %d survived, %d did not compile\n", count[noticed], count[survived], count[invalid])
	return count[survived], nil
}

// moduleRoot returns the folder of the module that the program runs in.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", errors.New("there is no module here")
	}
	return filepath.Dir(file), nil
}
