package course

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/teach/exercise"
	"github.com/commworld/commworld/world"
)

// What marking finds is the same for programs and for scripts; see package exercise.
type (
	Verdict = exercise.Verdict
	Finding = exercise.Finding
	Marking = exercise.Marking
)

// Verdicts.
const (
	Right    = exercise.Right
	Wrong    = exercise.Wrong
	Unmarked = exercise.Unmarked
)

// Kinds of findings besides those of package world; package exercise describes them.
const (
	KindBuild      = exercise.KindBuild
	KindWorld      = exercise.KindWorld
	KindBytes      = exercise.KindBytes
	KindOutput     = exercise.KindOutput
	KindRequests   = exercise.KindRequests
	KindTimeout    = exercise.KindTimeout
	KindMemory     = exercise.KindMemory
	KindExit       = exercise.KindExit
	KindOutcome    = exercise.KindOutcome
	KindSource     = exercise.KindSource
	KindReport     = exercise.KindReport
	KindUnanswered = exercise.KindUnanswered
	KindReason     = exercise.KindReason
)

// Limits are bounds of one run of a submission. Zero values mean the defaults.
type Limits struct {
	Time   time.Duration // 5 seconds
	Memory int64         // bytes, 1 GiB
	Build  time.Duration // for building it, 2 minutes

	// Clone is the folder of the clone of this module that submissions are built with. If it
	// is empty, Mark looks for the clone that this program was built in, then for one above
	// the current folder.
	Clone string

	// Temp is the folder for the temporary files of a marking, which are deleted when it is
	// over. If it is empty, they are in that of the system.
	Temp string
}

func (l Limits) orDefault() Limits {
	l.Time = cmp.Or(l.Time, 5*time.Second)
	l.Memory = cmp.Or(l.Memory, 1<<30)
	l.Build = cmp.Or(l.Build, 2*time.Minute)
	return l
}

// keptOutput bounds the output of a submission that Mark reads.
const keptOutput = 64 << 10

// Mark marks the submission in dir: a rank script if dir is one, or contains one and no Go
// file, else a Go program. A program is built with the marker's clone of this module, and
// its go.mod is ignored. An error means that dir cannot be read or that there is no go
// command.
func (l *Lesson) Mark(ctx context.Context, dir string, limits Limits) (*Marking, error) {
	name, err := submittedScript(dir)
	if err != nil {
		return nil, err
	}
	if name != "" {
		return l.markScript(ctx, name)
	}
	tmp, err := os.MkdirTemp(limits.Temp, "commworld-mark-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	prog, said, err := l.build(ctx, dir, tmp, limits)
	if m, refused := l.refused(err); refused {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	if prog == "" {
		return l.unmarked("The program cannot be built.", said), nil
	}
	m, err := l.markProgram(ctx, prog, nil, tmp, limits)
	if err == nil {
		l.judgeSource(m, dir)
	}
	return m, err
}

// Unmarked returns the marking of a submission for which Mark returned an error.
func (l *Lesson) Unmarked(err error) *Marking {
	return l.unmarked("The submission cannot be marked.", err.Error())
}

// unmarked returns the marking of a submission that cannot be marked.
func (l *Lesson) unmarked(summary, text string) *Marking {
	m := l.marking()
	m.Verdict, m.Summary = Unmarked, summary
	m.Findings = append(m.Findings, Finding{Kind: KindBuild, Ranks: []int{}, Lines: []string{}, Text: text})
	return m
}

// mostSource bounds the size of a file of a submission.
const mostSource = 1 << 20

// submittedScript returns the script that dir is or contains; empty if the submission is a
// Go program.
func submittedScript(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		if strings.HasSuffix(dir, ".mpio") {
			return dir, readable(dir)
		}
		return "", fmt.Errorf("%s: give the folder of a Go program, or a script FILE.mpio", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var scripts []string
	programs := 0
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
		case strings.HasSuffix(name, ".go"):
			programs++
			err = errors.Join(err, readable(name))
		case strings.HasSuffix(name, ".mpio"):
			scripts = append(scripts, name)
		}
	}
	switch {
	case err != nil || programs > 0:
		return "", err
	case len(scripts) == 1:
		return scripts[0], readable(scripts[0])
	case len(scripts) > 1:
		return "", fmt.Errorf("%s has %d scripts: give the one to mark", dir, len(scripts))
	}
	return "", fmt.Errorf("%s has no Go file and no script: nothing to mark", dir)
}

// readable returns an error unless name is a regular file of text: opening a pipe would block.
func readable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case info.Size() > mostSource:
		return fmt.Errorf("%s has %d bytes; %d are enough for an exercise", name, info.Size(), mostSource)
	}
	return nil
}

func (l *Lesson) marking() *Marking {
	return &Marking{Lesson: l.Name, Findings: []Finding{}}
}

// orders returns the schedules under which each case runs.
func (t *task) orders() []string {
	list := []string{"forward", "backward"}
	for seed := range cmp.Or(t.seeds, 2) {
		list = append(list, fmt.Sprint("random:", seed+1))
	}
	return list
}

// markProgram runs a program, whose arguments begin with first, in all cases of the task. It
// stops after the first case with findings.
func (l *Lesson) markProgram(ctx context.Context, prog string, first []string, tmp string, limits Limits) (*Marking, error) {
	if l.task == nil {
		return nil, fmt.Errorf("lesson %s has no exercise", l.Name)
	}
	m, j, orders := l.marking(), &judge{task: l.task}, l.task.orders()
	for _, c := range l.task.cases {
		j.outcomes = map[string]bool{}
		for _, order := range orders {
			r, err := l.run(ctx, c, prog, first, order, filepath.Join(tmp, fmt.Sprint("report-", m.Runs)), limits.orDefault())
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			m.Runs++
			j.look(r)
			if r.result.Ended != nil {
				break
			}
			if order == orders[len(orders)-1] {
				j.differ(r)
			}
		}
		if len(j.found) > 0 {
			break
		}
	}
	if l.task.altered != nil && len(j.found) == 0 {
		r, err := l.run(ctx, l.task.altered(), prog, first, "forward", filepath.Join(tmp, "report-altered"), limits.orDefault())
		if err != nil {
			return nil, err
		}
		m.Runs++
		j.fromFile(r)
	}
	m.Findings = append(m.Findings, j.found...)
	m.Conclude()
	return m, nil
}

// A ran is one run of a submission.
type ran struct {
	Case
	order  string
	result *child.Result
}

// run runs the program once.
func (l *Lesson) run(ctx context.Context, c Case, prog string, first []string, order, report string, limits Limits) (*ran, error) {
	words := []string{"full", "overrule", "order=" + order, fmt.Sprint("timeout=", limits.Time*4/5)}
	for _, rule := range l.task.allow {
		words = append(words, "allow="+rule)
	}
	if c.altered != "" {
		words = append(words, "alter="+c.altered)
	}
	cmd := &child.Command{
		Path: prog, Args: slices.Concat(first, c.args()), Care: strings.Join(words, ","), Report: report,
		Timeout: limits.Time, Memory: limits.Memory, Keep: keptOutput, Apart: true, Sealed: true,
	}
	result, err := cmd.Run(ctx)
	if err != nil {
		return nil, err
	}
	_ = errors.Join(os.Remove(report)) // a program that starts no world writes none
	return &ran{c, order, result}, nil
}

// A Case is the arguments and settings of a run of a submission.
type Case struct {
	Ranks int
	N     int      // for the flag -n; 0: the exercise has no such flag
	More  []string // further arguments

	altered string // reads of files that match this pattern return altered bytes
}

func (c Case) args() []string {
	args := []string{fmt.Sprint("-ranks=", c.Ranks)}
	if c.N > 0 {
		args = append(args, fmt.Sprint("-n=", c.N))
	}
	return append(args, c.More...)
}

// String returns the arguments as a user would type them.
func (c Case) String() string {
	return strings.ReplaceAll(strings.Join(c.args(), " "), "=", " ")
}

// worlds returns the records of the worlds that ended, in order.
func (r *ran) worlds() (all []*world.CareRecord) {
	if r.result == nil {
		return nil
	}
	for i := range r.result.Records {
		if rec := &r.result.Records[i]; rec.Event == "end" {
			all = append(all, rec)
		}
	}
	return all
}

// copies returns the lines that access files through several copies of a type.
func (r *ran) copies() (all []world.CareCopies) {
	for _, w := range r.worlds() {
		all = append(all, w.Copies...)
	}
	return all
}

// file returns a file at the end of the last world that opened it.
func (r *ran) file(name string) *world.CareFile {
	all := r.worlds()
	for _, w := range slices.Backward(all) {
		for i := range w.Files {
			if w.Files[i].Name == name {
				return &w.Files[i]
			}
		}
	}
	return nil
}

// names returns the names of the files that ranks opened, in order.
func (r *ran) names() []string {
	all := map[string]bool{}
	for _, w := range r.worlds() {
		for i := range w.Files {
			all[w.Files[i].Name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// traffic adds up the accesses of all worlds to the files of a name, or to all files if name
// is empty.
func (r *ran) traffic(name string) (sum world.FileReport) {
	for _, w := range r.worlds() {
		if w.Report == nil {
			continue
		}
		for _, f := range w.Report.Files {
			if name == "" || f.Name == name {
				sum.Opens += f.Opens
				sum.Syncs += f.Syncs
				sum.Reads.Add(f.Reads)
				sum.Writes.Add(f.Writes)
				sum.Requests.Add(f.Requests)
			}
		}
	}
	return sum
}

// readBy returns how many bytes of a file a rank read in all worlds.
func (r *ran) readBy(rank int, name string) (bytes int64) {
	for _, w := range r.worlds() {
		for i := range w.Files {
			if f := &w.Files[i]; f.Name == name && rank < len(f.Reads) {
				bytes += f.Reads[rank].Bytes
			}
		}
	}
	return bytes
}

// gatheredBy returns how many bytes of a file a rank wrote from memory with gaps, in all worlds.
func (r *ran) gatheredBy(rank int, name string) (bytes int64) {
	for _, w := range r.worlds() {
		for i := range w.Files {
			if f := &w.Files[i]; f.Name == name && rank < len(f.Gathered) {
				bytes += f.Gathered[rank].Bytes
			}
		}
	}
	return bytes
}

// has reports whether there is a lint of a rule.
func (r *ran) has(rule string) bool {
	for _, w := range r.worlds() {
		if w.Report != nil && slices.ContainsFunc(w.Report.Lints, func(l world.Lint) bool { return l.Rule == rule }) {
			return true
		}
	}
	return false
}

// messages adds up the bytes that ranks sent to each other or passed to collective calls.
func (r *ran) messages() (bytes int64) {
	for _, w := range r.worlds() {
		if w.Report == nil {
			continue
		}
		bytes += w.Report.Total().Bytes
		for _, c := range w.Report.Collectives {
			bytes += c.Bytes
		}
	}
	return bytes
}
