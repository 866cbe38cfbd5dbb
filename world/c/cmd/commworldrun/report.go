package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/mpinames"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/c"
)

// Kinds of findings besides those of package world.
const (
	kindPosix world.Kind = "posix" // a call of POSIX or stdio on a file that MPI has open
	kindDied  world.Kind = "died"  // the process of the ranks ended without a report
)

// prepare checks the flags about findings.
func (cmd *command) prepare() error {
	switch {
	case !slices.Contains(findings.Formats, cmd.format):
		return fmt.Errorf("--format %.40s: use %s", cmd.format, strings.Join(findings.Formats, ", "))
	case cmd.json && cmd.format != "text" && cmd.format != "json":
		return fmt.Errorf("--json contradicts --format=%s", cmd.format)
	case cmd.json:
		cmd.format = "json"
	}
	cmd.report = findings.New("commworldrun", filepath.ToSlash(cmd.program))
	cmd.text = os.Stderr
	switch {
	case cmd.format != "text":
		cmd.text = io.Discard
	case cmd.out != "-":
		f, err := os.Create(cmd.out)
		if err != nil {
			return err
		}
		cmd.text, cmd.file = f, f
	}
	colours, err := cmd.colours(cmp.Or(cmd.file, os.Stderr))
	if colours && err == nil {
		cmd.text = painter{cmd.text}
	}
	return err
}

// close writes the findings for programs, if they are asked for.
func (cmd *command) close(code int, err error) error {
	if cmd.format == "text" {
		if cmd.file != nil {
			return cmd.file.Close()
		}
		return nil
	}
	if err == nil && cmd.report.Error != "" {
		err = errors.New(cmd.report.Error)
	}
	if err != nil {
		err = errors.New(cmd.in(err.Error()))
	}
	cmd.report.End(code, err)
	out := os.Stderr
	if cmd.out != "-" {
		if out, err = os.Create(cmd.out); err != nil {
			return err
		}
		defer out.Close()
	}
	return findings.Write(out, cmd.format, &cmd.report, &cmd.report)
}

// add adds findings to the report for programs.
func (cmd *command) add(all ...findings.Finding) {
	dir, _ := os.Getwd()
	cmd.report.Add(dir, all...)
}

// forgiven returns an error of a run without the races that a model forgives.
func forgiven(err error, m consistency.Model) error {
	switch e := err.(type) {
	case consistency.Races:
		left := slices.DeleteFunc(slices.Clone(e), m.Forgives)
		if len(left) == 0 {
			return nil
		}
		return left
	case *world.RunError:
		own := *e
		own.Cause, own.Ranks = forgiven(e.Cause, m), nil
		for _, r := range e.Ranks {
			if left := forgiven(r.Err, m); left != nil {
				own.Ranks = append(own.Ranks, &world.RankError{Rank: r.Rank, Err: left})
			}
		}
		if own.Cause == nil && len(own.Ranks) == 0 {
			return nil
		}
		return &own
	case interface{ Unwrap() []error }:
		var all []error
		same := true
		for _, one := range e.Unwrap() {
			left := forgiven(one, m)
			all = append(all, left)
			same = same && (left != nil) == (one != nil) && (left == nil || left.Error() == one.Error())
		}
		if !same {
			return errors.Join(all...)
		}
	}
	return err
}

// found returns what a run has shown in the shape of all commands.
func (cmd *command) found(e *ending) (all []*found) {
	add := func(f world.Finding, function string) {
		f.Text, f.Fix = cmd.in(f.Text), inLanguage(f.Fix, mpinames.OfText(f.Text, cmd.language()))
		var at []string
		for _, p := range f.Places {
			at = append(at, p.Chain())
		}
		key := fmt.Sprint(f.Kind, f.Class, f.Rule, function, at)
		all = append(all, &found{Finding: findings.Finding{Finding: f, With: []int{cmd.ranks}}, key: key})
	}
	for _, f := range e.failed {
		if f.Dropped {
			dropped := world.Finding{Kind: world.KindIgnored, Ranks: f.Ranks, Places: []world.Place{f.Place}, Text: f.Error(), Fix: c.Advice(e.failed)}
			if cause, ok := errors.AsType[*errclass.Error](f.Err); ok {
				dropped.Rule, dropped.Class = cause.Rule, cause.Class.Name()
			}
			add(dropped, f.Function)
		}
	}
	for _, p := range e.posix {
		if p.Wrong {
			add(world.Finding{Kind: kindPosix, Ranks: p.Ranks, Places: []world.Place{p.Place, p.At}, Text: p.Error(), Fix: c.PosixAdvice}, p.Function)
		}
	}
	for _, f := range world.Findings(e.err) {
		add(f, "")
	}
	return all
}
