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
	tests := flags.String("tests", "", "arguments of go test, instead of the package's own tests in short form")
	limit := flags.Duration("limit", 2*time.Minute, "bound of one run of the tests")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() != 1 || *n < 1 {
		return 0, errors.New("usage: mutants [-n N] [-seed S] [-tests \"ARGUMENTS\"] ./PACKAGE")
	}
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	pkg := filepath.Clean(flags.Arg(0))
	all, err := candidates(root, pkg)
	if err != nil {
		return 0, err
	}
	run := []string{"-short", "./" + pkg}
	if *tests != "" {
		run = strings.Fields(*tests)
	}
	if v, out, err := try(ctx, root, all[0].file, all[0].unchanged, *limit, run...); err != nil || v != survived {
		return 0, errors.Join(err, fmt.Errorf("the tests fail without a mutant:\n%s", out))
	}
	rng := rand.New(rand.NewPCG(*seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("%s: %d of %d possible mutants, seed %d\n", pkg, min(*n, len(all)), len(all), *seed)
	count := map[verdict]int{}
	for _, c := range all {
		if count[noticed]+count[survived] == *n {
			break
		}
		v, _, err := try(ctx, root, c.file, c.source(), *limit, run...)
		if err != nil {
			return count[survived], err
		}
		count[v]++
		if v == survived {
			fmt.Printf("survived  %s\n", c)
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
