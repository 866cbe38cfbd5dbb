package course

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/world"
)

// A judge collects findings about the runs of a submission.
type judge struct {
	task  *task
	found []Finding
	shown int  // findings of the present run, including repeated ones
	broke bool // the present run has a race, or a world of it failed

	outcomes map[string]bool // of the runs of the present case
}

// look judges one run.
func (j *judge) look(r *ran) {
	j.shown, j.broke = 0, false
	open := j.worlds(r)
	j.process(r, open)
	if r.result.Ended != nil || open > 0 {
		return // files and output are not complete
	}
	if j.shown > 0 && len(r.worlds()) < j.task.worlds {
		return // what the later worlds had to do is missing because of the first one's findings
	}
	if j.began(r) {
		j.files(r)
		j.output(r)
		if j.task.outcome != nil {
			j.outcomes[j.task.outcome(r)] = true
		}
		if j.task.inspect != nil {
			j.task.inspect(r, func(kind, fix, text string, args ...any) {
				j.add(r, Finding{Kind: kind, Text: fmt.Sprintf(text, args...), Fix: fix})
			})
		}
		if j.task.reads != nil {
			j.readers(r)
		}
		if j.task.unordered != "" && j.shown == 0 && !r.has(j.task.unordered) {
			j.add(r, Finding{
				Kind: KindRequests, Text: "the program orders the accesses of the ranks, so that they take turns",
				Fix: "let the ranks access the file at the same time, without messages, barriers or other calls between their accesses",
			})
		}
	}
}

// differ adds a finding if the outcome was the same in all runs of the case, of which r is
// the last.
func (j *judge) differ(r *ran) {
	if j.task.outcome == nil || r.Ranks == 1 || len(j.outcomes) != 1 || len(j.found) > 0 {
		return
	}
	for outcome := range j.outcomes {
		j.add(r, Finding{
			Kind: KindRequests, Text: fmt.Sprintf("in all %d orders of the ranks %s: the program orders the ranks, or does not write what belongs to each", len(j.task.orders()), outcome),
			Fix: "let each rank access the file when it comes to it, and none wait for another; let each write its own data",
		})
	}
}

// add adds a finding, unless the list has a similar one.
func (j *judge) add(r *ran, f Finding) {
	if f.Kind == KindRequests && j.broke {
		return // which bytes a rank reads or writes follows from the failure or the race
	}
	j.shown++
	j.broke = j.broke || slices.Contains(breaking, f.Kind)
	f.With = fmt.Sprintf("%v, %s", r.Case, orderText(r.order))
	if f.Ranks == nil {
		f.Ranks = []int{}
	}
	if f.Lines == nil {
		f.Lines = []string{}
	}
	if f.Kind == kindRace && j.task.whole {
		f.Fix = ""
		for _, part := range []string{"views", "cause", "missing"} {
			f.Text, _, _ = strings.Cut(f.Text, "\n  "+part+" ")
		}
	}
	if hint := j.task.hint(&f); hint != "" && !strings.Contains(f.Fix, hint) {
		f.Fix = strings.TrimSpace(hint + "\n" + f.Fix)
	}
	for i := range j.found {
		g := &j.found[i]
		if g.Kind == f.Kind && g.Rule == f.Rule && slices.Equal(g.Lines, f.Lines) {
			return
		}
	}
	j.found = append(j.found, f)
}

func orderText(order string) string {
	switch order {
	case "forward":
		return "ranks in rising order"
	case "backward":
		return "ranks in falling order"
	}
	return "ranks in a random order (" + order + ")"
}

// worlds adds the findings of the worlds, and returns how many worlds did not return.
func (j *judge) worlds(r *ran) (open int) {
	for _, rec := range r.result.Records {
		switch rec.Event {
		case "begin":
			open++
		case "end":
			open--
			for i := range rec.Findings {
				j.add(r, ofWorld(&rec.Findings[i]))
			}
		}
	}
	return open
}

// ofWorld converts a finding of a world.
func ofWorld(f *world.Finding) Finding {
	g := Finding{Kind: string(f.Kind), Rule: f.Rule, Ranks: f.Ranks, Text: f.Text, Fix: f.Fix}
	if f.Kind == world.KindRace { // the text ends with the fix
		g.Text, _, _ = strings.Cut(f.Text, "\n  fix ")
	}
	for _, at := range f.Places {
		if at.Line > 0 {
			g.Lines = append(g.Lines, fmt.Sprintf("%s:%d", path.Base(at.File), at.Line))
		}
	}
	return g
}

// process adds a finding if the process did not end well.
func (j *judge) process(r *ran, open int) {
	res := r.result
	add := func(kind, fix, text string, args ...any) {
		j.add(r, Finding{Kind: kind, Text: fmt.Sprintf(text, args...), Fix: fix})
	}
	if res.Forged != nil {
		add(KindReport, "leave the file of the report alone", "the program wrote to the report of its run: %v", res.Forged)
	}
	switch {
	case errors.Is(res.Ended, child.ErrTimeout):
		add(KindTimeout, "look for a loop without an end, or a wait for something that never comes", "the program ran too long and was ended")
	case errors.Is(res.Ended, child.ErrMemory):
		add(KindMemory, "allocate less, or look for a loop without an end", "the program took too much memory and was ended")
	case errors.Is(res.Ended, child.ErrProcesses):
		add(KindMemory, "start no other processes", "the program started too many processes and was ended")
	case res.Ended != nil:
		add(KindExit, "", "the program was ended: %v", res.Ended)
	case open > 0:
		add(KindExit, "return an error from the ranks; os.Exit and log.Fatal end the process before the files are complete",
			"the program ended with exit status %d while its ranks were running%s", res.Exit, lastLines(res.Errors))
	case res.Exit != 0 && j.shown == 0:
		add(KindExit, "", "the program ended with exit status %d%s", res.Exit, lastLines(res.Errors))
	}
}

// lastLines returns the last lines of a program's output about its end.
func lastLines(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return ":\n" + strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// began reports whether a world ran with the required number of ranks.
func (j *judge) began(r *ran) bool {
	ranks := []int{}
	for _, w := range r.worlds() {
		ranks = append(ranks, w.Ranks)
	}
	switch {
	case len(ranks) == 0:
		j.add(r, Finding{Kind: KindWorld, Text: "the program starts no world: no rank did anything", Fix: "call world.Run with the number of ranks of the flag -ranks"})
	case !slices.Contains(ranks, r.Ranks):
		j.add(r, Finding{Kind: KindWorld, Text: fmt.Sprintf("the program ran with %v ranks when it was asked for %d", ranks[0], r.Ranks), Fix: "give the flag -ranks to world.Run"})
	default:
		return true
	}
	return false
}

// files compares the files with those that the task requires.
func (j *judge) files(r *ran) {
	if j.task.files == nil {
		return
	}
	want := j.task.files(r.Case)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		f := r.file(name)
		switch {
		case f == nil:
			j.add(r, Finding{Kind: KindBytes, Text: fmt.Sprintf("no rank opened a file %q", name), Fix: "open it under this name by iofile.Open"})
		case f.Error != "":
			j.add(r, Finding{Kind: KindBytes, Text: fmt.Sprintf("the file %q cannot be read at the end: %s", name, f.Error)})
		case !bytes.Equal(f.Bytes, want[name]):
			g := r.differs(f, want[name])
			g.Fix = j.explain(r, string(f.Bytes), string(want[name]))
			j.add(r, g)
		case r.traffic(name).Writes.Bytes == 0 && len(want[name]) > 0:
			j.add(r, Finding{Kind: KindRequests, Text: fmt.Sprintf("no rank wrote to %q through MPI-IO", name), Fix: "let the ranks write it by the methods of iofile.File"})
		default:
			j.writers(r, f)
		}
	}
}

// writers checks which ranks wrote a file that has the right bytes.
func (j *judge) writers(r *ran, f *world.CareFile) {
	if len(f.Writes) == mostWrites {
		return // the record is cut
	}
	by, wrote := make([]int, len(f.Bytes)), map[int]bool{}
	for at := range by {
		by[at] = noRank
	}
	for _, w := range f.Writes {
		wrote[w.Rank] = true
		for at := w.Lo; at < min(w.Hi, int64(len(by))); at++ {
			by[at] = w.Rank
		}
	}
	for at, rank := range by {
		want := anyRank
		if j.task.owner != nil {
			want = j.task.owner(r.Case, f.Name, at)
		}
		switch {
		case want == noRank && rank == noRank:
		case want == noRank:
			j.add(r, Finding{
				Kind: KindRequests, Ranks: []int{rank}, Text: fmt.Sprintf("byte %d of %q was there before, and rank %d wrote it again", at, f.Name, rank),
				Fix: "write only the bytes that are new: let the view leave out the others",
			})
			return
		case rank == noRank:
			j.add(r, Finding{Kind: KindRequests, Text: fmt.Sprintf("no rank wrote byte %d of %q through MPI-IO in the run", at, f.Name), Fix: "let the ranks write it by the methods of iofile.File"})
			return
		case want >= 0 && rank != want:
			j.add(r, Finding{
				Kind: KindRequests, Ranks: []int{rank}, Text: fmt.Sprintf("byte %d of %q is part of the data of rank %d, and rank %d wrote it", at, f.Name, want, rank),
				Fix: "let each rank write its own data",
			})
			return
		}
	}
	for _, w := range f.Writes {
		how, fix := "", ""
		switch {
		case j.task.rep != nil && j.task.rep(w.Hi-1) != "" && (w.Rep != j.task.rep(w.Hi-1) || strings.Contains(w.Type, "byte")):
			how = fmt.Sprintf("in the representation %q with etype %s: the library did not convert them to the standard's form", w.Rep, w.Type)
			fix = "choose the representation that the standard defines to the byte, and give the view the etype of the data"
		case j.task.collective && !strings.Contains(w.Op, "All") && !strings.Contains(w.Op, "Ordered"):
			how, fix = "which is not a collective call", "let all ranks make one collective call, such as WriteAtAll; a rank without data passes none"
		case j.task.nonblocking && !strings.HasPrefix(w.Op, "I") && !strings.Contains(w.Op, "Begin") && !strings.Contains(w.Op, "End"):
			how, fix = "which returns when the access is complete", "start the write by IWriteAt, compute, then wait for the request"
		default:
			continue
		}
		line := fmt.Sprintf("%s:%d", path.Base(w.Place.File), w.Place.Line)
		j.add(r, Finding{
			Kind: KindRequests, Ranks: []int{w.Rank}, Lines: []string{line}, Fix: fix,
			Text: fmt.Sprintf("rank %d wrote bytes %d to %d of %q by %s (%s), %s", w.Rank, w.Lo, w.Hi-1, f.Name, w.Op, line, how),
		})
		return
	}
	for rank := range r.Ranks {
		if got := r.gatheredBy(rank, f.Name); j.task.gathered != nil && got < int64(j.task.gathered(r.Case, rank)) {
			j.add(r, Finding{
				Kind: KindRequests, Ranks: []int{rank}, Fix: "pass the memory as it is, and describe the data in it by the datatype of the call",
				Text: fmt.Sprintf("rank %d wrote to %q from memory without gaps, where its data lie apart: the program copied them, or wrote them piece by piece", rank, f.Name),
			})
			return
		}
		if j.task.everyone && !wrote[rank] && len(wrote) < min(r.Ranks, r.N) {
			j.add(r, Finding{Kind: KindRequests, Ranks: []int{rank}, Text: fmt.Sprintf("rank %d wrote nothing to %q", rank, f.Name), Fix: "let each rank write its own data"})
			return
		}
	}
}

// readers checks that each rank read its own part of the file.
func (j *judge) readers(r *ran) {
	for rank := range max(r.Ranks, r.readers()) {
		for _, name := range r.names() {
			if need, got := j.task.reads(r.Case, rank, name), r.readBy(rank, name); got < int64(need) {
				j.add(r, Finding{
					Kind: KindRequests, Ranks: []int{rank}, Text: fmt.Sprintf("rank %d read %d bytes of %q; its numbers take %d", rank, got, name, need),
					Fix: "read each rank's part of the file on that rank",
				})
				return
			}
		}
	}
}

// mostWrites is the number of ranges of bytes in the record of a file if it is cut.
const mostWrites = 4096

// fromFile judges a run whose reads were altered: what the program prints and writes has to
// follow from what it read.
func (j *judge) fromFile(r *ran) {
	if r.result.Ended != nil {
		return // it may wait for the numbers that it wrote
	}
	wrong := func(text string, args ...any) {
		j.add(r, Finding{Kind: KindRequests, Text: fmt.Sprintf(text, args...), Fix: "use the numbers that are read, and compute none that should come from the file"})
	}
	if j.task.output != nil {
		got := ""
		for line := range strings.Lines(j.task.output(r.Case)) {
			if !strings.Contains("\n"+r.result.Output, "\n"+strings.TrimSpace(line)+"\n") {
				got = line
			}
		}
		if got != "" {
			wrong("with other numbers in the file, the program does not print them: it should print %q", strings.TrimSpace(got))
			return
		}
	}
	if j.task.files != nil {
		for name, want := range j.task.files(r.Case) {
			if f := r.file(name); f == nil || f.Error == "" && !bytes.Equal(f.Bytes, want) {
				wrong("with other bytes in the file that is read, the program writes the same to %q", name)
			}
		}
	}
}

// differs describes the first difference of a file: its place, the likely cause, and the
// writer.
func (r *ran) differs(f *world.CareFile, want []byte) Finding {
	got, at := f.Bytes, 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	g := Finding{Kind: KindBytes}
	if at == 0 && len(got) == 0 {
		g.Text = fmt.Sprintf("the file %q is empty and should have %d bytes", f.Name, len(want))
	} else if at == min(len(got), len(want)) {
		g.Text = fmt.Sprintf("the file %q has %d bytes and should have %d; the first %d are right", f.Name, len(got), len(want), at)
	} else {
		from := at / 8 * 8
		g.Text = fmt.Sprintf("the file %q differs from byte %d on:\nbytes %d to %d are  %s\nand should be %s  %s", f.Name, at, from, from+15,
			window(got, from), strings.Repeat(" ", len(fmt.Sprint(from, from+15))-1), window(want, from))
		if text := resembles(got, want, at); text != "" {
			g.Text += "\n" + text
		}
	}
	for _, w := range f.Writes {
		if w.Lo <= int64(at) && int64(at) < w.Hi {
			g.Ranks = []int{w.Rank}
			g.Lines = []string{fmt.Sprintf("%s:%d", path.Base(w.Place.File), w.Place.Line)}
			g.Text += fmt.Sprintf("\nbyte %d was written by rank %d in %s (%s)", at, w.Rank, w.Op, g.Lines[0])
			for _, c := range r.copies() {
				if c.Place.File == w.Place.File && c.Place.Line == w.Place.Line {
					g.Text += "\n" + c.String()
				}
			}
		}
	}
	return g
}

// resembles returns the likely cause of wrong bytes, empty if none is recognized: got
// differs from want first at byte at.
func resembles(got, want []byte, at int) string {
	const unwritten = 0xa5 // marks bytes without a value
	n := 0
	for at+n < len(got) && got[at+n] == unwritten {
		n++
	}
	switch {
	case n >= 2:
		return fmt.Sprintf("%d bytes from byte %d on are a5: no rank has written them", n, at)
	case swapped(got, want, at):
		return "these are the right numbers, with the bytes of each in the other order"
	}
	for _, from := range []int{at / 8 * 8, at} {
		if i := foundIn(got, want, from); i >= 0 {
			return fmt.Sprintf("the data at byte %d belong at byte %d", from, i)
		}
		if i := foundIn(want, got, from); i >= 0 {
			return fmt.Sprintf("the data for byte %d are at byte %d", from, i)
		}
	}
	return ""
}

// foundIn returns the index in b of the bytes of a from a place on. It is negative if b does
// not have them exactly once, or if they have too few different values for a conclusion.
func foundIn(a, b []byte, from int) int {
	const few, values = 12, 3
	if from+few > len(a) {
		return -1
	}
	part := a[from : from+few]
	sorted := slices.Sorted(slices.Values(part))
	i := bytes.Index(b, part)
	if len(slices.Compact(sorted)) < values || i != bytes.LastIndex(b, part) {
		return -1
	}
	return i
}

// swapped reports whether got equals want from byte at on, except that the bytes of each
// number of 8, 4 or 2 bytes are reversed.
func swapped(got, want []byte, at int) bool {
	for _, size := range []int{8, 4, 2} {
		from := at / size * size
		end := min(len(got), len(want), from+2*size)
		same := end-from == 2*size
		for i := from; same && i < end; i++ {
			same = got[i] == want[i/size*size+size-1-i%size]
		}
		if same {
			return true
		}
	}
	return false
}

// window returns up to 16 bytes in hexadecimal, and also as text if they are letters.
func window(b []byte, from int) string {
	b = b[from:min(len(b), from+16)]
	text := fmt.Sprintf("% x", b)
	if bytes.IndexFunc(b, func(c rune) bool { return (c < ' ' && c != '\n') || c > '~' }) < 0 {
		text += fmt.Sprintf("  %q", b)
	}
	return text
}

// explain returns what the task says about a wrong line, or wrong bytes.
func (j *judge) explain(r *ran, got, want string) string {
	if j.task.explain == nil {
		return ""
	}
	return j.task.explain(r, got, want)
}

// output compares the required lines with the printed lines that begin with the same words.
func (j *judge) output(r *ran) {
	if j.task.output == nil {
		return
	}
	want := strings.Split(strings.TrimSpace(j.task.output(r.Case)), "\n")
	words := map[string]bool{}
	for _, line := range want {
		words[word(line)] = true
	}
	var got []string
	for line := range strings.Lines(r.result.Output) {
		if line = strings.TrimSpace(line); words[word(line)] {
			got = append(got, line)
		}
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			j.add(r, Finding{Kind: KindOutput, Text: fmt.Sprintf("the program prints a line too many: %q", got[i])})
		case i >= len(got):
			j.add(r, Finding{Kind: KindOutput, Text: fmt.Sprintf("the program does not print the line %q", want[i])})
		case got[i] != want[i]:
			j.add(r, Finding{Kind: KindOutput, Text: fmt.Sprintf("the program prints  %q\nand should print    %q", got[i], want[i]), Fix: j.explain(r, got[i]+"\n", want[i]+"\n")})
		default:
			continue
		}
		return
	}
}

// word returns the first word of a line.
func word(line string) string {
	fields := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == ':' || c == '=' })
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// ruleWritten is the rule about bytes that no rank wrote, a cause of wrong bytes.
const ruleWritten = "IO-SIZE-06"

// breaking are kinds of findings after which accesses are missing, or read other bytes.
var breaking = []string{string(world.KindDeadlock), string(world.KindPanic), string(world.KindMismatch), string(world.KindError), string(world.KindRace)}
