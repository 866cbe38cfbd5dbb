package proptest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A Setting is one way to configure a layer: sizes of its caches, hints, a format.
type Setting struct {
	Name string
	Make Maker
}

// SameUnderSettings runs each program under two settings of a layer, drawn one after the other,
// and compares all that ranks find, and the file. Each run is also judged as [Reference] does.
// settings is a list, rapid.SampledFrom(list), or a generator that draws numbers. Programs have
// no conflicts, so their results do not depend on the schedule. Bytes that no rank wrote are
// compared, too: they may be anything, but the same under all settings.
func SameUnderSettings(t *testing.T, settings *rapid.Generator[Setting], opts ...Option) {
	t.Helper()
	s := settingsOf(opts)
	has, _, err := probe(settings.Example(0).Make)
	if err != nil {
		t.Fatal(err)
	}
	use := gen.NoConflict | gen.Collectives | gen.Reopening | gen.Shapes | gen.AnyValues | gen.Irregular
	if !has[Collectives] {
		use &^= gen.Collectives
	}
	g := Group{Name: "settings", Rules: "CONS-SYNC-01 the same under all settings", asked: new(tally), times: 4}
	programs := gen.Programs(gen.Limits{Ranks: s.ranks, Many: s.many, Ops: s.ops, Exact: s.exact, Use: use})
	var pair [2]Setting // of the last program drawn
	g.draw = rapid.Custom(func(t *rapid.T) *gen.Program {
		pair = [2]Setting{settings.Draw(t, "one"), settings.Draw(t, "other")}
		return programs.Draw(t, "program")
	})
	g.check = func(p *gen.Program) error { return Same(p, pair[0], pair[1]) }
	checkGroups(t, []Group{g}, testLine())
}

// Same runs a program without conflicts under two settings and compares the results, which are
// also judged as [Reference] does.
func Same(p *gen.Program, one, other Setting) error {
	var of [2]string
	for i, s := range []Setting{one, other} {
		text, err := results(s.Make, p)
		if err != nil {
			return explain(p, fmt.Errorf("under the setting %s: %w", s.Name, err))
		}
		of[i] = text
	}
	if of[0] != of[1] {
		return explain(p, fmt.Errorf("the results differ\nunder the setting %s\n%sunder the setting %s\n%s", one.Name, of[0], other.Name, of[1]))
	}
	return nil
}

// results runs and judges a program, and returns what the ranks found, as text.
func results(mk Maker, p *gen.Program) (string, error) {
	l, err := mk()
	if err != nil {
		return "", fmt.Errorf("no layer: %w", err)
	}
	accounts, err := accountsOf(l, p)
	if err == nil {
		err = judgeAccounts(l, p, accounts)
	}
	text := ""
	for r, a := range accounts {
		text += fmt.Sprintf("rank %d\n%v", r, a)
	}
	if s, ok := l.(Storage); ok && err == nil {
		var stored []byte
		stored, err = s.Stored(fileName)
		text += fmt.Sprintf("stored: %d bytes, %x\n", len(stored), stored[:min(len(stored), 64)])
	}
	return text, errors.Join(err, closeLayer(l))
}

// accountsOf runs a program on a layer.
func accountsOf(l Layer, p *gen.Program) ([]*Account, error) {
	accounts := make([]*Account, p.Ranks)
	w := newWatchdog(p)
	err := w.over(timeLimit(), func(ctx context.Context) error {
		return world.Run(ctx, p.Ranks, func(_ context.Context, c *comm.Comm) error {
			w.enter(c.Rank(), -1)
			a, err := Rank(l, c, p)
			accounts[c.Rank()] = a
			return err
		}, manner{}.options(p)...)
	})
	return accounts, err
}
