package world

import (
	"errors"
	"fmt"
)

// Nodes makes ranks see nodes with the given number of ranks each, in order: the first node
// has ranks 0 to ranksPerNode-1. Then [comm.Comm.ProcessorName] names the node,
// [comm.Comm.SplitType] by comm.Shared splits by nodes, and files have one aggregator on
// each node unless hints give another number: cb_config_list "*:2" means two on each node.
// Aggregators are the first rank of each node, then the second, if the ranks of the file
// fill the nodes in order; else the first ranks. It changes no byte. [On] sets the nodes of
// its machine. Error of [Run]: ErrArg for less than 1, together with On with another
// number, and together with an [Engine], which has its own nodes.
func Nodes(ranksPerNode int) Option {
	return func(o *options) error {
		if ranksPerNode < 1 {
			return fmt.Errorf("Nodes of %d ranks: at least 1", ranksPerNode)
		}
		return o.nodes(ranksPerNode)
	}
}

// nodes sets how many ranks each node has.
func (o *options) nodes(n int) error {
	if was := o.cluster.RanksPerNode; was != 0 && was != n {
		return fmt.Errorf("nodes of %d ranks and of %d: On has the nodes of its machine; leave Nodes out", was, n)
	}
	o.cluster.RanksPerNode = n
	return nil
}

// nodesAlone returns an error for nodes together with an engine.
func (o *options) nodesAlone() error {
	if o.cluster.RanksPerNode > 0 && o.engine != "" {
		return errors.New("Nodes needs ranks of this process; leave Engine out")
	}
	return nil
}
