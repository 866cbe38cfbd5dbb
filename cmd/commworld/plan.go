package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

// planCommand is the command line of plan.
type planCommand struct {
	Ranks    int      `placeholder:"N" help:"Number of ranks; with --list, at least those of the list."`
	List     string   `placeholder:"FILE" help:"Lines rank,offset,length, in place of a view: the bytes of the file that each rank accesses; - is standard input."`
	Disp     string   `default:"0" placeholder:"EXPR" help:"Byte of the file where the view begins, ${default}."`
	Etype    string   `default:"byte" placeholder:"T" help:"Elementary type, the unit of offsets and counts, ${default}."`
	Filetype string   `placeholder:"T" help:"Type that is tiled over the file; without it, the etype."`
	Offset   string   `default:"0" placeholder:"EXPR" help:"Etype of the view where the access begins, ${default}."`
	Count    string   `placeholder:"EXPR" help:"Etypes that a rank moves; without it, those of one filetype."`
	Read     bool     `help:"Read; without it, write."`
	Alone    bool     `name:"independent" help:"Independent calls; without it, one collective call."`
	Strategy string   `default:"romio" enum:"romio,direct,sieve,list,twophase,lustre,cray" placeholder:"NAME" help:"romio (as hints say), direct, sieve, list, twophase, or romio with the driver lustre or cray; ${default}."`
	PerNode  int      `name:"ranks-per-node" placeholder:"N" help:"Ranks of a node: one of them is an aggregator unless cb_config_list says otherwise; without it, each rank has its own if cb_nodes is given, else all have one."`
	Hint     []string `placeholder:"KEY=VALUE" sep:"none" help:"Hint, such as cb_nodes=8; may be repeated."`
	Show     int      `default:"8" placeholder:"N" help:"Requests to list, ${default}."`
	JSON     bool     `name:"json" help:"Print one JSON object, with all requests."`

	shared map[string]*types.Type // by text, the types that are the same on all ranks; nil: they depend on the rank
}

// Help returns the text of --help between the summary and the flags.
func (*planCommand) Help() string {
	return `In EXPR and in every integer of a T, r is the rank and n the number
of ranks, as in commworld view.

  commworld plan --ranks 4 --etype double --filetype "vector(256, 64, 256, double)" --disp "r*512"
  commworld plan --ranks 1024 --etype double --filetype "subarray([1024,1024],[32,1024],[r*32%1024,0],c,double)" --strategy twophase --hint cb_nodes=64

  commworld plan --ranks 640 --ranks-per-node 32 --filetype "resized(contiguous(10000,byte),0,n*10000)" --disp "r*10000" --count 10000000 --strategy cray --hint striping_factor=160 --hint striping_unit=1048576

The requests equal those of MPICH for the same access and hints, except for small
reads at the end of a file when a write is sieved. Open MPI's own implementation
(OMPIO) differs: it does not sieve. lustre and cray need striping_factor (1) and
striping_unit (1048576), the stripes of the file.

--json prints {"strategy","ranks","rounds","counts":{"reads","writes","read_bytes",
"write_bytes","sent","useful","rounds","locks"},"requests":[{"rank","round",
"write","off","len","runs","lock"}, ...]}.`
}

// A plannedRequest is one request in JSON.
type plannedRequest struct {
	Rank  int   `json:"rank"`
	Round int   `json:"round"`
	Write bool  `json:"write"`
	Off   int64 `json:"off"`
	Len   int64 `json:"len"`
	Runs  int   `json:"runs"`
	Lock  bool  `json:"lock"`
}

// planned is the output of the command plan.
type planned struct {
	Strategy    string           `json:"strategy"`
	Ranks       int              `json:"ranks"`
	Rounds      int              `json:"rounds"`
	Aggregators int              `json:"aggregators"`
	Counts      map[string]int64 `json:"counts"`
	Requests    []plannedRequest `json:"requests"`
}

func (c *planCommand) run(ctx context.Context, stdout, _ io.Writer) (int, error) {
	o, err := costOptions(c.Strategy, c.Hint)
	if err != nil {
		return 0, err
	}
	if err := o.Strategy.Check(); err != nil {
		return 0, err
	}
	if c.Ranks > maxPlanRanks || c.Ranks < 1 && !(c.List != "" && c.Ranks == 0) {
		return 0, fmt.Errorf("%d ranks; a plan takes 1 to %d", c.Ranks, maxPlanRanks)
	}
	if c.PerNode < 0 {
		return 0, fmt.Errorf("--ranks-per-node %d; it needs 1 or more", c.PerNode)
	}
	parts, err := c.parts(ctx)
	if err != nil {
		return 0, err
	}
	c.Ranks = len(parts)
	chosen := o.Strategy.With(c.placed(o))
	p := &planned{Strategy: chosen.String(), Ranks: c.Ranks}
	n, err := p.add(ctx, chosen, !c.Read, !c.Alone, parts)
	if err != nil {
		return 0, err
	}
	p.Counts = map[string]int64{
		"reads": n.Reads, "writes": n.Writes, "read_bytes": n.ReadBytes, "write_bytes": n.WriteBytes,
		"sent": n.Sent, "useful": n.Useful, "rounds": n.Rounds, "locks": n.Locks,
	}
	if c.JSON {
		return 0, json.NewEncoder(stdout).Encode(p)
	}
	how := "each rank by itself"
	if p.Rounds > 0 {
		how = fmt.Sprintf("through %s", plain.Count(p.Aggregators, "aggregator"))
	}
	fmt.Fprintf(stdout, "access of %s, %s, %s\n%v", plain.Count(c.Ranks, "rank"), how, chosen, n)
	c.list(p, stdout)
	return 0, nil
}

// placed returns the hints for ranks on nodes.
func (c *planCommand) placed(o machine.Options) strategy.Hints {
	h := o.Hints
	if c.PerNode == 0 {
		return h.On(o.Strategy, c.Ranks, 0, 0)
	}
	h.PerNode = int64(c.PerNode)
	return h.On(o.Strategy, c.Ranks, (c.Ranks-1)/c.PerNode+1, c.PerNode)
}

// list prints the first requests of a plan.
func (c *planCommand) list(p *planned, stdout io.Writer) {
	for i, r := range p.Requests {
		if i == c.Show {
			fmt.Fprintf(stdout, "and %d requests more; --show N lists N\n", len(p.Requests)-i)
			break
		}
		what := "reads"
		if r.Write {
			what = "writes"
		}
		fmt.Fprintf(stdout, "rank %d %s bytes %d to %d", r.Rank, what, r.Off, r.Off+r.Len-1)
		if r.Runs > 1 {
			fmt.Fprintf(stdout, ", %d runs", r.Runs)
		}
		if p.Rounds > 0 {
			fmt.Fprintf(stdout, ", round %d", r.Round)
		}
		if r.Lock {
			fmt.Fprint(stdout, ", under a lock")
		}
		fmt.Fprintln(stdout)
	}
}

// maxPlanRanks is the greatest number of ranks of a plan.
const maxPlanRanks = 1 << 22

// parts returns the parts of all ranks.
func (c *planCommand) parts(ctx context.Context) (parts []strategy.Part, err error) {
	if c.List != "" {
		if c.Filetype != "" || c.Count != "" {
			return nil, errors.New("--list has the bytes of each rank; leave --filetype and --count out")
		}
		return readList(c.List, c.Ranks)
	}
	parts = make([]strategy.Part, c.Ranks)
	for r := range parts {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if parts[r], err = c.part(r); err != nil {
			return nil, fmt.Errorf("rank %d: %w", r, err)
		}
		if err := strategy.CheckPart(&parts[r], r); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// parse returns the type that text describes for a rank. All ranks share a type that does not
// depend on the rank: a million types take most of the memory of a plan.
func (c *planCommand) parse(text string, vars map[string]int64) (*types.Type, error) {
	t, known := c.shared[text]
	if !known {
		if c.shared == nil {
			c.shared = map[string]*types.Type{}
		}
		t, _ = types.ParseWith(text, map[string]int64{"n": vars["n"]})
		c.shared[text] = t
	}
	if t != nil {
		return t, nil
	}
	return types.ParseWith(text, vars)
}

// part returns the part of the access that one rank makes.
func (c *planCommand) part(rank int) (part strategy.Part, err error) {
	vars := map[string]int64{"r": int64(rank), "n": int64(c.Ranks)}
	filetype := c.Filetype
	if filetype == "" {
		filetype = c.Etype
	}
	var etype, tiled *types.Type
	if etype, err = c.parse(c.Etype, vars); err != nil {
		return part, err
	}
	if tiled, err = c.parse(filetype, vars); err != nil {
		return part, err
	}
	l, err := tiled.Layout(types.Host)
	if err != nil {
		return part, err
	}
	size := etype.Size(types.Host)
	if size == 0 || l.Size%size != 0 {
		return part, fmt.Errorf("a filetype of %d bytes of data is not a whole number of etypes of %d bytes", l.Size, size)
	}
	count := l.Size / size
	if c.Count != "" {
		if count, err = types.EvalWith(c.Count, vars); err != nil {
			return part, err
		}
	}
	offset, err := types.EvalWith(c.Offset, vars)
	if err != nil {
		return part, err
	}
	disp, err := types.EvalWith(c.Disp, vars)
	switch {
	case err != nil:
		return part, err
	case disp < 0 || offset < 0 || count < 0 || offset > 1<<60/size || count > 1<<60/size:
		return part, fmt.Errorf("displacement %d, offset %d and count %d: each needs 0 or more, and less than 2^60 bytes", disp, offset, count)
	}
	return strategy.Part{At: types.Tiling{L: l, Disp: disp}, From: offset * size, N: count * size}, nil
}

// add plans the access and adds its requests.
func (p *planned) add(ctx context.Context, s strategy.Strategy, write, together bool, parts []strategy.Part) (n strategy.Counts, err error) {
	if together {
		o, err := strategy.NewOutline(s, write, parts)
		if err != nil {
			return n, err
		}
		if o != nil {
			p.Rounds, p.Aggregators = o.Rounds, len(o.Carriers)
			for i := range o.Carriers {
				for k := range o.Carriers[i].Windows {
					p.list(o.Carriers[i].Windows[k].Requests(o.Carriers[i].Rank, write))
				}
			}
			return o.Counts(), nil
		}
	}
	for rank := range parts {
		if err := context.Cause(ctx); err != nil {
			return n, err
		}
		one, err := strategy.Lay(s, write, false, parts[rank:rank+1])
		if err != nil {
			return n, err
		}
		for i := range one.Requests {
			one.Requests[i].Rank = rank
		}
		p.list(one.Requests)
		n.Add(one.Counts())
	}
	n.Rounds = 0
	return n, nil
}

func (p *planned) list(requests []strategy.Request) {
	for _, r := range requests {
		p.Requests = append(p.Requests, plannedRequest{r.Rank, r.Round, r.Write, r.Off, r.Len, r.Runs, r.Lock})
	}
}
