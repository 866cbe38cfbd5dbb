package course

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/script"
)

// A Quiz is a litmus test, or a mistake of consistency.Twins, without the text that gives
// its answer away.
type Quiz struct {
	Name  string
	Given *script.Script // without comments and expectations
	clean *script.Script // nil: there is no corrected program
}

// NewQuiz returns the quiz about a litmus test or about a mistake, such as "lit-07" or
// "barrier-only".
func NewQuiz(name string) (*Quiz, error) {
	name = strings.ToLower(strings.TrimSuffix(name, ".mpio"))
	twin := strings.TrimSuffix(strings.TrimSuffix(name, "-racy"), "-clean")
	given, err := bare(consistency.Twins(), twin+"-racy.mpio")
	if errors.Is(err, fs.ErrNotExist) {
		if given, err = bare(consistency.Litmus(), name+".mpio"); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no test %s to make a quiz of%s", name, brief.Meant(name, quizzes()))
		}
		return &Quiz{Name: name, Given: given}, err
	}
	if err != nil {
		return nil, err
	}
	clean, err := bare(consistency.Twins(), twin+"-clean.mpio")
	return &Quiz{Name: twin, Given: given, clean: clean}, err
}

// quizzes returns the names of all tests.
func quizzes() (names []string) {
	for _, from := range []fs.FS{consistency.Twins(), consistency.Litmus()} {
		files, _ := fs.Glob(from, "*.mpio") // the pattern is good
		for _, f := range files {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(f, ".mpio"), "-racy"))
		}
	}
	return names
}

// bare reads a script and removes its expectations. Line numbers are those of its canonical
// form.
func bare(from fs.FS, name string) (*script.Script, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	text, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	s, err := script.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return script.Parse(statements(s))
}

// statements returns a script in its canonical form, without expectations and comments.
func statements(s *script.Script) string {
	c := *s
	c.Expect = nil
	return c.String()
}

// Text returns the script, followed by the questions as comments. An error means that the
// corrected program could not be run.
func (q *Quiz) Text(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString(strings.TrimRight(statements(q.Given), "\n"))
	fmt.Fprintf(&b, `

# Answer the questions by lines at the end of this file. Then:
#   commworld litmus --quiz %s --mark FILE
#
# 1. Is there a data race? One line: race, or norace. If you know the
#    missing call, name it: race writer-sync, race order or race reader-sync.
# 2. How may it end, if a read sees each write wholly or not at all? One line,
#      allow OUTCOME | OUTCOME ...
#    with the values of %s
#    in each, such as: 0:n = 7, file f = 07 00*3
#    Instead, if no rank can go on: deadlock. If a call fails: error CLASS at RANK:LINE.
`, q.Name, strings.Join(asked(q.Given), ", "))
	if q.clean != nil {
		wanted, _, err := q.wanted(ctx)
		if err != nil {
			return "", err
		}
		b.WriteString("#\n# Or repair it, in place of answers: change statements so that there is no race and\n# it ends only as\n")
		for _, w := range wanted {
			fmt.Fprintf(&b, "#   %s\n", w)
		}
	}
	return b.String(), nil
}

// asked lists the results that make up an outcome: the data that ranks read from files, and
// the files.
func asked(s *script.Script) []string {
	var all []string
	files := []string{}
	for _, f := range s.Files {
		files = append(files, "file "+f.Name)
	}
	for _, b := range s.Blocks {
		for _, st := range b.Stmts {
			if st.Routine == "open" && !slices.Contains(files, "file "+st.File) {
				files = append(files, "file "+st.File)
			}
			if !readsFile(st) {
				continue
			}
			for _, r := range b.Ranks {
				if name := fmt.Sprintf("%d:%s", r, st.Into); !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
	}
	return append(all, files...)
}

// kept lists the results that a repaired script also has: those of the corrected program.
func (q *Quiz) kept() []string {
	all := asked(q.Given)
	if q.clean == nil {
		return all
	}
	of := asked(q.clean)
	return slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(of, name) })
}

// readsFile reports whether a statement gives data, or a number, that comes from a file.
func readsFile(s *script.Stmt) bool {
	return s.Into != "" && s.Handle != "" && s.Routine != "type_extent"
}

// ends lists the different ends of the runs of a report, with only the results that the quiz
// asks for.
func ends(rep *script.Report, asked []string) []string {
	var all []string
	for i := range rep.Outcomes {
		if end := endOf(rep.Outcomes[i].Ending, asked); !slices.Contains(all, end) {
			all = append(all, end)
		}
	}
	return all
}

func endOf(e *script.Ending, asked []string) string {
	e = &script.Ending{Results: slices.Clone(e.Results), Files: e.Files}
	for r, results := range e.Results {
		kept := map[string]script.Result{}
		for name, res := range results {
			if slices.Contains(asked, fmt.Sprintf("%d:%s", r, name)) {
				kept[name] = res
			}
		}
		e.Results[r] = kept
	}
	return e.AsAllowed()
}

// wanted lists the possible ends of a repaired script, and returns the number of schedules
// that this took. They are those of the corrected program or, if there is none, of the given
// one.
func (q *Quiz) wanted(ctx context.Context) (all []string, schedules int, err error) {
	s := q.clean
	if s == nil {
		s = q.Given
	}
	rep, err := explored(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	return ends(rep, q.kept()), rep.Schedules, nil
}

// Limits of the exploration of a script; tests wait longer.
const mostSchedules = 20_000

var mostTime = 10 * time.Second

var errTooMuch = errors.New("too many schedules for the time of marking")

// explored runs a script under every schedule, within the bounds of marking.
func explored(ctx context.Context, s *script.Script) (*script.Report, error) {
	ctx, stop := context.WithTimeoutCause(ctx, mostTime, errTooMuch)
	defer stop()
	rep, err := script.Explore(ctx, s, script.Options{MaxSchedules: mostSchedules})
	if err != nil {
		return nil, err
	}
	if !rep.Complete && rep.Stopped != nil {
		return nil, fmt.Errorf("the script could not be run under every schedule: %w", rep.Stopped)
	}
	return rep, nil
}

// Mark marks an answer: the text of a script, either the given one with answers as
// expectations, or another one that repairs it. Findings do not give the answer away. An
// error means that the corrected program could not be run.
func (q *Quiz) Mark(ctx context.Context, text string) (*Marking, error) {
	m := &Marking{Lesson: q.Name, Findings: []Finding{}}
	s, err := script.Parse(text)
	if err != nil {
		m.Refuse(KindBuild, "The script cannot be read.", err.Error())
		return m, nil
	}
	mark := q.repair
	if statements(s) == statements(q.Given) {
		if len(s.Expect) == 0 {
			m.Refuse(KindUnanswered, "There is no answer.", "the script is as it was given, and no line answers a question")
			return m, nil
		}
		mark = q.answers
	}
	rep, err := explored(ctx, s)
	if err != nil {
		m.Refuse(KindTimeout, "The script cannot be marked.", err.Error())
		return m, nil
	}
	m.Runs = rep.Schedules
	if err := mark(ctx, m, rep); err != nil {
		return nil, err
	}
	m.Conclude()
	return m, nil
}

// answers marks the expectations that a student gave to the unchanged script.
func (q *Quiz) answers(_ context.Context, m *Marking, rep *script.Report) error {
	of := map[script.ExpectKind][]int{}
	kindAt := map[int]script.ExpectKind{}
	for _, e := range rep.Script.Expect {
		of[e.Kind], kindAt[e.Line] = append(of[e.Kind], e.Line), e.Kind
	}
	if len(of[script.Race])+len(of[script.NoRace]) == 0 {
		m.Find(KindUnanswered, nil, "question 1 has no answer: add race or norace")
	}
	wrong := map[int]bool{}
	for _, u := range rep.Unmet {
		if kind := kindAt[u.Line]; u.Line == 0 || kind == script.Allow || wrong[u.Line] {
			continue
		} else if kind == script.Race || kind == script.NoRace {
			m.Find(kindRace, []int{u.Line}, "question 1: this is not so")
		} else {
			m.Find(KindOutcome, []int{u.Line}, "question 2: this is not so")
		}
		wrong[u.Line] = true
	}
	switch {
	case len(of[script.Allow])+len(of[script.Deadlock])+len(of[script.Error]) == 0:
		m.Find(KindUnanswered, nil, "question 2 has no answer: add an allow line")
	case rep.Deadlock != nil && len(of[script.Deadlock]) == 0:
		m.Find(KindOutcome, nil, "question 2: does each rank come to its end?")
	case slices.ContainsFunc(rep.Failures, func(f *script.Failure) bool { return !rep.Expected(f) }):
		m.Find(KindOutcome, nil, "question 2: does each call succeed?")
	case rep.Deadlock == nil && len(of[script.Allow]) == 0 && len(rep.Failures) == 0:
		m.Find(KindUnanswered, nil, "question 2 has no answer: add an allow line")
	default:
		q.outcomes(m, rep)
	}
	return nil
}

// outcomes marks the list of outcomes: it must have each outcome of the script, and no
// others.
func (q *Quiz) outcomes(m *Marking, rep *script.Report) {
	allow := slices.DeleteFunc(slices.Clone(rep.Script.Expect), func(e script.Expectation) bool { return e.Kind != script.Allow })
	if len(allow) == 0 {
		return
	}
	found := map[string]bool{}
	for _, e := range allow {
		for _, row := range e.Outcomes {
			if problem := q.row(rep, row, found); problem != "" {
				m.Find(KindOutcome, []int{e.Line}, "question 2: %s", problem)
			}
		}
	}
	if n := len(ends(rep, asked(q.Given))) - len(found); n > 0 {
		m.Find(KindOutcome, []int{allow[0].Line}, "question 2: it can end in ways that the list does not have; %d more", n)
	}
}

// row adds to found the end of the script that a row of the list describes, or returns the
// row's error.
func (q *Quiz) row(rep *script.Report, row script.Outcome, found map[string]bool) string {
	fits, lacks := false, []string{}
	for i := range rep.Outcomes {
		end := rep.Outcomes[i].Ending
		if !end.Fits(row) {
			continue
		}
		missing := q.lacking(row, end)
		if len(missing) == 0 {
			fits, found[endOf(end, asked(q.Given))] = true, true
		}
		lacks = append(lacks, missing...)
	}
	switch {
	case fits:
		return ""
	case len(lacks) > 0:
		slices.Sort(lacks)
		return fmt.Sprintf("%v says nothing about %s", row, strings.Join(slices.Compact(lacks), ", "))
	default:
		return fmt.Sprintf("it cannot end so: %v", row)
	}
}

// lacking lists the results that the quiz asks for and that a row does not give.
func (q *Quiz) lacking(o script.Outcome, end *script.Ending) []string {
	return slices.DeleteFunc(asked(q.Given), func(name string) bool {
		file, isFile := strings.CutPrefix(name, "file ")
		_, there := end.Files[file]
		if !isFile {
			there = slices.ContainsFunc(end.List(), func(v script.Var) bool { return strings.Replace(v.Name, ".", ":", 1) == name })
		}
		return !there || slices.ContainsFunc(o, func(e script.Equation) bool {
			return e.File != "" && name == "file "+e.File || e.File == "" && name == fmt.Sprintf("%d:%s", e.Rank, e.Name)
		})
	})
}

// repair marks a changed script by its runs.
func (q *Quiz) repair(ctx context.Context, m *Marking, rep *script.Report) error {
	given, err := explored(ctx, q.Given)
	if err != nil {
		return err
	}
	m.Runs += given.Schedules
	if len(given.Races) == 0 && q.clean == nil {
		m.Find(KindOutcome, nil, "there is no race to repair in the script as it was given: answer the questions, and leave its statements")
		return nil
	}
	s := rep.Script
	if s.Ranks != q.Given.Ranks || filesOf(s) != filesOf(q.Given) {
		m.Find(KindWorld, nil, "a repaired script has the ranks and the files that the given one begins with")
		return nil
	}
	reads := asked(s)
	for _, name := range q.kept() {
		if !strings.HasPrefix(name, "file ") && !slices.Contains(reads, name) {
			m.Find(KindRequests, nil, "no statement reads %s from a file any more", name)
		}
	}
	for _, r := range rep.Races {
		m.Find(kindRace, []int{r.A.Place.Line, r.B.Place.Line}, "these two statements race, of rank %d and rank %d", r.A.Rank, r.B.Rank)
	}
	for _, f := range rep.Failures {
		m.Find(kindError, []int{f.Stmt.Line}, "%s", f.Err.Error())
	}
	if rep.Deadlock != nil {
		m.Find(kindDeadlock, nil, "%s", rep.Deadlock.Error())
	}
	if len(m.Findings) > 0 {
		return nil
	}
	wanted, n, err := q.wanted(ctx)
	if err != nil {
		return err
	}
	m.Runs += n
	for _, end := range ends(rep, q.kept()) {
		if !slices.Contains(wanted, end) {
			m.Find(KindOutcome, nil, "it ends as %s, and is to end as %s", end, strings.Join(wanted, " | "))
		}
	}
	return nil
}

// filesOf returns the initial files of a script.
func filesOf(s *script.Script) string {
	return statements(&script.Script{Ranks: s.Ranks, Files: s.Files})
}
