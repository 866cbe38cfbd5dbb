//go:build mpich || openmpi

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

// playHere has the ranks of this process play.
func playHere(g *proptest.Group, from, until int) (found []failing) {
	for k := from; k < until; k++ {
		if err := proptest.Reference(proptest.Ours(nil), g.Programs.Example(k)); err != nil {
			found = append(found, failing{k, err})
		}
	}
	return found
}

// list is numbers as the environment has them.
func list(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// deed is what a library did with a program otherwise than the definition.
func (f failing) deed() string {
	text, _, _ := strings.Cut(f.err.Error(), "\n")
	return text
}

// plays plays the programs of a group, each that is known to come to no end in a job
// of its own, and tells what the library did with those that part.
func (j *judge) plays(g *proptest.Group, known map[int]string) (map[int]string, error) {
	var stuck []int
	for k, deed := range known {
		if strings.TrimPrefix(deed, often) == hangs {
			stuck = append(stuck, k)
		}
	}
	slices.Sort(stuck)
	found, err := j.once(g, 0, programsEach, stuck)
	if err != nil {
		return nil, err
	}
	patient := *j
	patient.patience /= 4
	for _, k := range stuck {
		more, err := patient.once(g, k, k+1, nil)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	deeds := map[int]string{}
	for _, f := range found {
		fmt.Fprintf(j.loud, "\n%s: program %d: %v\n", g.Name, f.program, f.err)
		deeds[f.program] = f.deed()
	}
	return deeds, nil
}

func (j *judge) once(g *proptest.Group, from, until int, skip []int) ([]failing, error) {
	if j.engine == "" {
		return playHere(g, from, until), nil
	}
	return j.play(g, from, until, skip)
}

// settled plays a program that does not do what is known twice more: Open MPI loses
// data, or sticks, now and then. What comes three times in a row is new; else it is
// what is known.
func (j *judge) settled(g *proptest.Group, k int, deed, known string) (string, error) {
	if j.engine == "" {
		return deed, nil
	}
	if usual, ok := strings.CutPrefix(known, often); ok && (deed == "" || deed == usual) {
		return known, nil
	}
	for range 2 {
		found, err := j.play(g, k, k+1, nil)
		if err != nil {
			return "", err
		}
		now := ""
		if len(found) > 0 {
			now = found[0].deed()
		}
		if now != deed {
			return known, nil
		}
	}
	return deed, nil
}

// opinion is the verdict on what a library did with a program, where known is what
// it was seen to do; either is empty if that was right.
func opinion(deed, known string) (verdict string, fresh bool) {
	switch {
	case deed == known && strings.HasPrefix(known, often):
		return "parts now and then, as known", false
	case deed == known:
		return "parts, as known", false
	case deed == "":
		return "NEW: known for " + known, true
	case known == "":
		return "NEW", true
	}
	return "NEW: known for " + known, true
}

// programs prints, for each property, which programs part from the definition, what
// the library did and what it should have done.
func (j *judge) programs() (fresh int, err error) {
	all, err := groups()
	if err != nil {
		return 0, err
	}
	tab := tabwriter.NewWriter(j.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "\nproperty\tprogram\tthe library\tthe definition\tverdict")
	asked, parts := 0, 0
	for i := range all {
		g := &all[i]
		if g.Programs == nil || !j.asked(g.Name) {
			continue
		}
		asked++
		known := knownPrograms[j.name()][g.Name]
		deeds, err := j.plays(g, known)
		if err != nil {
			return 0, err
		}
		rows := 0
		for k := range programsEach {
			deed := deeds[k]
			if deed != known[k] {
				if deed, err = j.settled(g, k, deed, known[k]); err != nil {
					return 0, err
				}
			}
			if deed == "" && known[k] == "" {
				continue
			}
			verdict, isNew := opinion(deed, known[k])
			if isNew {
				fresh++
			}
			if deed != "" {
				parts++
			}
			did, should := split(deed)
			fmt.Fprintf(tab, "%s\t%d\t%s\t%s\t%s\n", g.Name, k, did, should, verdict)
			rows++
		}
		if rows == 0 {
			fmt.Fprintf(tab, "%s\tall\tas the definition\t\tas the standard\n", g.Name)
		}
	}
	if asked == 0 {
		return 0, nil
	}
	_ = tab.Flush()
	_, err = fmt.Fprintf(j.w, "\n%d properties, %d random programs of %d ranks each, %d part from the definition, %d are new\n", asked, programsEach, programRanks, parts, fresh)
	return fresh, err
}

// split takes what a library did apart from what it should have done.
func split(deed string) (did, should string) {
	did, should, found := strings.Cut(strings.TrimPrefix(deed, often), ", want ")
	switch {
	case found:
	case deed == "":
		did, should = "as the definition", ""
	case did == hangs || did == crashes:
		should = "an answer"
	default:
		should = "the bytes that were written"
	}
	return did, should
}
