package world

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
)

// tryFixes sets the Fix of the races in the outcomes. An exploring run does not record
// enough to try fixes, so tryFixes replays the outcome's witness, records that run and tries
// fixes on it. Each race is replayed once, in the first outcome that has it. After the end
// of ctx the races keep the advice of the exploring run.
func (x *explorer) tryFixes(ctx context.Context, o options, setup Setup) error {
	o.explorer = nil
	fixes := map[string]string{}
	for _, found := range x.found.Outcomes {
		races := racesIn(found.Err)
		if !known(fixes, races) {
			if err := replayFixes(ctx, o, setup, found.Witness, fixes); err != nil || ctx.Err() != nil {
				return err
			}
		}
		for _, r := range races {
			if fix := fixes[identity(r)]; fix != "" {
				r.Fix = fix
			}
		}
	}
	return nil
}

// known reports whether all races have an entry in fixes.
func known(fixes map[string]string, races []*consistency.RaceError) bool {
	for _, r := range races {
		if _, ok := fixes[identity(r)]; !ok {
			return false
		}
	}
	return true
}

// replayFixes repeats the run of witness and adds the Fix of each of its races.
func replayFixes(ctx context.Context, o options, setup Setup, witness string, fixes map[string]string) (err error) {
	if o.order, err = sched.ParseSchedule(witness); err != nil {
		return err
	}
	body, _, err := prepare(setup)
	if err != nil || body == nil {
		return err
	}
	_, ended := run(ctx, o, body)
	if ctx.Err() != nil {
		return nil // the run was stopped
	}
	for _, r := range racesIn(ended) {
		fixes[identity(r)] = r.Fix
	}
	return nil
}

// racesIn returns the races in err, which may join and wrap errors.
func racesIn(err error) []*consistency.RaceError {
	var races consistency.Races
	if errors.As(err, &races) {
		return races
	}
	var race *consistency.RaceError
	if errors.As(err, &race) {
		return []*consistency.RaceError{race}
	}
	return nil
}

// identity returns a text that identifies a race: it is the same in two runs of a program.
func identity(r *consistency.RaceError) string {
	return fmt.Sprint(r.File, r.Lo, r.Hi, r.Rule, r.Missing, &r.A, r.A.Write, &r.B, r.B.Write)
}
