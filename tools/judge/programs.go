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

// The second part: random programs of the conformance suite, run by the ranks of a job, and
// judged here by the definition of MPI-IO. It uses the properties of the suite that only run
// a program once and judge the results of the ranks. The others need a layer in this
// process: stored bytes while files are open, crashes, files that fail, and all orders of
// atomic accesses.
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
	return proptest.Groups(proptest.Ours(nil), proptest.Exactly(programRanks, programOps), proptest.Without(proptest.Far))
}

// folder returns the directory for the files of a program and the accounts of its ranks.
func folder(dir string, program int) string { return filepath.Join(dir, strconv.Itoa(program)) }

func account(dir string, program, rank int) string {
	return filepath.Join(folder(dir, program), fmt.Sprintf("rank%d", rank))
}

// playRank runs one rank's part of the programs of a group, from one on.
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

// verdict judges a program that all ranks have played. It returns false if they have not.
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

// A failing is a program whose result differs from the definition.
type failing struct {
	program int
	err     error
}

// play lets a job play programs of a group, except those in skip. After a program that
// ends the job it starts a new one.
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

// playHere plays in the ranks of this process.
func playHere(g *proptest.Group, from, until int) (found []failing) {
	for k := from; k < until; k++ {
		if err := proptest.Reference(proptest.Ours(nil), g.Programs.Example(k)); err != nil {
			found = append(found, failing{k, err})
		}
	}
	return found
}

// list writes numbers in the format of the environment variable.
func list(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// result describes the difference between a library and the definition.
func (f failing) result() string {
	text, _, _ := strings.Cut(f.err.Error(), "\n")
	return text
}

// plays plays the programs of a group, those that are known not to end in a job of their
// own, and returns the differences.
func (j *judge) plays(g *proptest.Group, known map[int]string) (map[int]string, error) {
	var stuck []int
	for k, result := range known {
		if strings.TrimPrefix(result, often) == hangs {
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
	results := map[int]string{}
	for _, f := range found {
		fmt.Fprintf(j.loud, "\n%s: program %d: %v\n", g.Name, f.program, f.err)
		results[f.program] = f.result()
	}
	return results, nil
}

func (j *judge) once(g *proptest.Group, from, until int, skip []int) ([]failing, error) {
	if j.engine == "" {
		return playHere(g, from, until), nil
	}
	return j.play(g, from, until, skip)
}

// confirmed plays a program with an unknown result twice more, because Open MPI sometimes
// loses data or hangs. If all three results are equal, it is new; otherwise the known
// result is returned.
func (j *judge) confirmed(g *proptest.Group, k int, result, known string) (string, error) {
	if j.engine == "" {
		return result, nil
	}
	if usual, ok := strings.CutPrefix(known, often); ok && (result == "" || result == usual) {
		return known, nil
	}
	for range 2 {
		found, err := j.play(g, k, k+1, nil)
		if err != nil {
			return "", err
		}
		now := ""
		if len(found) > 0 {
			now = found[0].result()
		}
		if now != result {
			return known, nil
		}
	}
	return result, nil
}

// opinion compares the result of a program with the known one; a correct result is empty.
func opinion(result, known string) (verdict string, fresh bool) {
	switch {
	case result == known && strings.HasPrefix(known, often):
		return "parts now and then, as known", false
	case result == known:
		return "parts, as known", false
	case result == "":
		return "NEW: known for " + known, true
	case known == "":
		return "NEW", true
	}
	return "NEW: known for " + known, true
}

// programs prints, for each property, which programs differ from the definition, what the
// library did and what it should have done.
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
		results, err := j.plays(g, known)
		if err != nil {
			return 0, err
		}
		rows := 0
		for k := range programsEach {
			result := results[k]
			if result != known[k] {
				if result, err = j.confirmed(g, k, result, known[k]); err != nil {
					return 0, err
				}
			}
			if result == "" && known[k] == "" {
				continue
			}
			verdict, isNew := opinion(result, known[k])
			if isNew {
				fresh++
			}
			if result != "" {
				parts++
			}
			did, should := split(result)
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

// split separates what a library did from what it should have done.
func split(result string) (did, should string) {
	did, should, found := strings.Cut(strings.TrimPrefix(result, often), ", want ")
	switch {
	case found:
	case result == "":
		did, should = "as the definition", ""
	case did == hangs || did == crashes:
		should = "an answer"
	default:
		should = "the bytes that were written"
	}
	return did, should
}
