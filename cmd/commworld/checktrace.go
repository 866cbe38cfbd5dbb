package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/rerun"
	"github.com/commworld/commworld/internal/show/outputs"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/world"
)

// checkTrace judges a recording of commworldrec.
func (c *checkCommand) checkTrace(ctx context.Context, all *checked) error {
	switch {
	case len(c.Args) > 0:
		return errors.New("a recording takes no arguments")
	case len(c.Ranks) > 0:
		return errors.New("--ranks: a recording has the number of ranks of its job")
	case c.Match != "" || c.Markers != "":
		return errors.New("--match and --markers are for programs and scripts, not for recordings")
	}
	model, err := modelOf(cmp.Or(c.Forgive, "weakest"))
	if err != nil {
		return err
	}
	all.doing("reading the recording")
	t, err := recording.Open(c.Target)
	if err != nil {
		return err
	}
	res, err := rerun.Run(ctx, t, rerun.Options{Forgive: model, Done: func(calls, of int64) {
		all.doing("call %d of %d", calls, of)
	}})
	if ctx.Err() != nil {
		return nil // interrupted
	}
	if err != nil {
		return err
	}
	r := &checkRun{CheckRun: outputs.CheckRun{Ranks: []int{t.Ranks}, Asked: t.Ranks, Worlds: 1}}
	r.Notes = append(r.Notes, plain.Count(res.Calls, "call")+", recorded with "+strings.TrimSpace(t.Library))
	all.Runs = append(all.Runs, r)
	all.Notes = append(all.Notes, res.Notes...)
	res.Findings = dropRules(res.Findings, c.Allow)
	all.add(t.Ranks, res.Findings)
	return nil
}

// dropRules leaves out findings of allowed rules.
func dropRules(found []world.Finding, rules []string) (left []world.Finding) {
	for _, f := range found {
		allowed := false
		for _, rule := range rules {
			allowed = allowed || f.Rule == rule
		}
		if !allowed {
			left = append(left, f)
		}
	}
	return left
}
