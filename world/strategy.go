package world

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/iofile/strategy"
)

// StrategyVariable is the environment variable that gives the strategy of files in worlds
// without [Strategy]: COMMWORLD_STRATEGY=romio. Its values are the names of
// [strategy.Named].
const StrategyVariable = "COMMWORLD_STRATEGY"

// Strategy makes the ranks' files move their bytes as s plans, and counts the requests,
// unless the program opens a file with iofile.WithStrategy. [strategy.ROMIO] is MPICH's. On
// an [Engine] the strategy becomes hints of the library.
func Strategy(s strategy.Strategy) Option {
	return func(o *options) error {
		if s == nil {
			return fmt.Errorf("Strategy: the strategy is nil; there are strategy.Direct, Sieve, List and TwoPhase")
		}
		if err := s.Check(); err != nil {
			return fmt.Errorf("Strategy: %w", err)
		}
		o.strategy = s
		return nil
	}
}

// chooseStrategy uses the strategy of the environment if no option gave one, and that of
// ROMIO on a machine.
func (o *options) chooseStrategy() error {
	name := os.Getenv(StrategyVariable)
	switch {
	case o.strategy != nil:
		return nil
	case name == "":
		if o.outputs != nil {
			if r, ok := o.outputs.calls.(*recorder); ok && r.clock != nil {
				o.strategy = strategy.ROMIO
			}
		}
		return nil
	}
	s, ok := strategy.Named(name)
	if !ok {
		return fmt.Errorf("%s is %q; there are %s", StrategyVariable, name, strings.Join(strategy.Names, ", "))
	}
	o.strategy = s
	return nil
}

// strategic returns body with the strategy, the nodes and the matching policy of the world
// kept for its rank.
func (o *options) strategic(body func(context.Context, *comm.Comm) error) func(context.Context, *comm.Comm) error {
	matched := o.env != nil && o.env.matched
	if o.strategy == nil && o.cluster.RanksPerNode == 0 && !matched {
		return body
	}
	s, m := o.strategy, o.cluster
	return func(ctx context.Context, c *comm.Comm) error {
		if s != nil {
			port.Keep(c, commport.StrategyKey{}, s)
		}
		if matched {
			port.Keep(c, commport.MatchKey{}, o.env.match)
		}
		if m.RanksPerNode > 0 {
			port.Keep(c, commport.ClusterKey{}, &m)
		}
		return body(ctx, c)
	}
}
