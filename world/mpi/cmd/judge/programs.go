package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// The second part: random programs of the conformance suite, played by the ranks
// of a job, and judged here by the definition of MPI-IO. A property of the suite
// is taken if all that it does is run a program once and look at what the ranks
// saw. The others are those of a layer that this process has in its hands: what is
// stored while files are open, crashes, files that fail, and all orders of atomic
// accesses.
const (
	programRanks = 2
	programOps   = 8
	programsEach = 12
)

// Environment of the ranks that play programs.
const (
	groupVariable = "COMMWORLD_JUDGE_GROUP"
	fromVariable  = "COMMWORLD_JUDGE_FROM"
	untilVariable = "COMMWORLD_JUDGE_UNTIL"
	skipVariable  = "COMMWORLD_JUDGE_SKIP"
)

func groups() ([]proptest.Group, error) {
	return proptest.Groups(proptest.Ours(nil), proptest.Exactly(programRanks, programOps))
}

// folder is where the files of a program and what its ranks saw are.
func folder(dir string, program int) string { return filepath.Join(dir, strconv.Itoa(program)) }

func account(dir string, program, rank int) string {
	return filepath.Join(folder(dir, program), fmt.Sprintf("rank%d", rank))
}

// playRank is one rank's part of the programs of a group, from one on.
func playRank(group, dir string) error {
	all, err := groups()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(g proptest.Group) bool { return g.Name == group })
	first, err := strconv.Atoi(os.Getenv(fromVariable))
	if i < 0 || err != nil {
		return errors.Join(fmt.Errorf("no programs %q", group), err)
	}
	until, err := strconv.Atoi(os.Getenv(untilVariable))
	if err != nil {
		return err
	}
	skip := strings.Fields(os.Getenv(skipVariable))
	return world.Run(context.Background(), programRanks, func(_ context.Context, c *comm.Comm) error {
		for k := first; k < until; k++ {
			if slices.Contains(skip, strconv.Itoa(k)) {
				continue
			}
			if err := playOne(c, all[i].Programs.Example(k), dir, k); err != nil {
				return err
			}
		}
		return nil
	}, world.Engine("mpi"), world.Unchecked())
}

func playOne(c *comm.Comm, p *gen.Program, dir string, k int) error {
	files, err := iofile.NewDir(folder(dir, k))
	if err != nil {
		return err
	}
	defer files.Close()
	saw, err := proptest.Rank(proptest.OfFS(files), c, p)
	if err != nil {
		return err
	}
	text, err := json.Marshal(saw)
	if err == nil {
		err = os.WriteFile(account(dir, k, c.Rank()), text, 0o644)
	}
	return errors.Join(err, c.Barrier())
}

// verdict judges a program that all ranks have played. It is false of one that
// they have not.
func verdict(p *gen.Program, dir string, k int) (played bool, wrong, err error) {
	var ranks []*proptest.Account
	for r := range programRanks {
		text, err := os.ReadFile(account(dir, k, r))
		if errors.Is(err, os.ErrNotExist) {
			return false, nil, nil
		}
		a := new(proptest.Account)
		if err == nil {
			err = json.Unmarshal(text, a)
		}
		if err != nil {
			return false, nil, err
		}
		ranks = append(ranks, a)
	}
	stored, err := os.ReadFile(filepath.Join(folder(dir, k), "f"))
	if err != nil {
		return false, nil, err
	}
	return true, proptest.Judge(p, ranks, stored), nil
}

// A failing is a program that came to something else than the definition.
type failing struct {
	program int
	err     error
}

// play has programs of a group played, but those that are left out, in a new job
// after each that ends one.
func (j *judge) play(g *proptest.Group, from, until int, skip []int) (found []failing, err error) {
	dir, err := os.MkdirTemp("", "commworld-judge")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for k := from; k < until; k++ {
		if err := os.Mkdir(folder(dir, k), 0o755); err != nil {
			return nil, err
		}
	}
	for k := from; k < until; {
		_, complaints, ended, err := j.job(programRanks, j.patience, groupVariable+"="+g.Name, fromVariable+"="+strconv.Itoa(k), dirVariable+"="+dir, untilVariable+"="+strconv.Itoa(until), skipVariable+"="+list(skip))
		if err != nil {
			return nil, err
		}
		for ; k < until; k++ {
			if slices.Contains(skip, k) {
				continue
			}
			p := g.Programs.Example(k)
			played, wrong, err := verdict(p, dir, k)
			if err != nil {
				return nil, err
			}
			if !played {
				break
			}
			if wrong != nil {
				found = append(found, failing{k, wrong})
			}
		}
		if k < until {
			found = append(found, failing{k, fmt.Errorf("%s\n%s\nprogram: %v", ended, complaints, g.Programs.Example(k))})
			k++
		}
	}
	return found, nil
}

// here has the ranks of this process play.
func playHere(g *proptest.Group) (found []failing) {
	for k := range programsEach {
		if err := proptest.Reference(proptest.Ours(nil), g.Programs.Example(k)); err != nil {
			found = append(found, failing{k, err})
		}
	}
	return found
}

// list is numbers as the environment and the table have them.
func list(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// again plays a program twice more that has parted and is not known to: Open MPI
// loses data, or sticks, now and then, in other programs every time. What comes
// three times in a row is new.
func (j *judge) again(g *proptest.Group, k int) (always bool, err error) {
	for range 2 {
		if j.engine == "" {
			break
		}
		found, err := j.play(g, k, k+1, nil)
		if err != nil || len(found) == 0 {
			return false, err
		}
	}
	return true, nil
}

// programs prints, for each property, which programs part from the definition.
func (j *judge) programs() (fresh int, err error) {
	all, err := groups()
	if err != nil {
		return 0, err
	}
	tab := tabwriter.NewWriter(j.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "\nproperty\tprograms that part\tnever end\tverdict")
	asked := 0
	for i := range all {
		g := &all[i]
		if g.Programs == nil || !j.asked(g.Name) {
			continue
		}
		asked++
		known, unknown := knownPrograms[j.name()][g.Name], []int{}
		var found []failing
		if j.engine == "" {
			found = playHere(g)
		} else if found, err = j.play(g, 0, programsEach, known.stuck); err != nil {
			return 0, err
		}
		for _, f := range found {
			fmt.Fprintf(j.loud, "\n%s: program %d: %v\n", g.Name, f.program, f.err)
			if slices.Contains(known.parts, f.program) {
				continue
			}
			always, err := j.again(g, f.program)
			if err != nil {
				return 0, err
			}
			if always {
				unknown = append(unknown, f.program)
			}
		}
		verdict := "as the standard"
		switch {
		case len(unknown) > 0:
			verdict, fresh = "NEW: "+list(unknown), fresh+1
		case len(known.parts)+len(known.stuck) > 0:
			verdict = "parts, as known"
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", g.Name, list(known.parts), list(known.stuck), verdict)
	}
	if asked == 0 {
		return 0, nil
	}
	_ = tab.Flush()
	_, err = fmt.Fprintf(j.w, "\n%d properties, %d random programs of %d ranks each, %d part in new ones\n", asked, programsEach, programRanks, fresh)
	return fresh, err
}
