package gen

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
)

// Parse reads the text that [Program.String] writes, so a program that a report shows can
// become a regression test. Indentation and empty lines do not matter. The error names the
// line.
func Parse(text string) (*Program, error) {
	r := &reader{types: map[string]*types.Type{}, p: &Program{}}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", n+1, line, err)
		}
	}
	if r.p.Ranks == 0 {
		return nil, fmt.Errorf("the program does not begin with a line such as %q", "ranks 2, schedule random:0")
	}
	if k := r.p.shortViews(); k >= 0 {
		return nil, fmt.Errorf("operation %d, %v: the first rank has no view", k, &r.p.Ops[k])
	}
	if k := r.p.illegal(); k >= 0 {
		return nil, fmt.Errorf("operation %d, %v, is illegal here", k, &r.p.Ops[k])
	}
	return r.p, nil
}

// MustParse is Parse for texts that are known to be right. It panics on an error.
func MustParse(text string) *Program {
	p, err := Parse(text)
	if err != nil {
		panic(fmt.Sprintf("gen.MustParse: %v", err))
	}
	return p
}

// A reader reads a program line by line.
type reader struct {
	p     *Program
	types map[string]*types.Type // by text: equal views have identical types
}

func (r *reader) line(line string) error {
	switch {
	case r.p.Ranks == 0:
		return r.header(line)
	case strings.HasPrefix(line, "fault: "):
		rules, err := faults.Parse(strings.TrimPrefix(line, "fault: "))
		r.p.Faults = append(r.p.Faults, rules...)
		return err
	case strings.HasPrefix(line, "power cut: "):
		return r.p.readCut(strings.TrimPrefix(line, "power cut: "))
	case strings.HasPrefix(line, "variable "):
		return r.variable(strings.TrimPrefix(line, "variable "))
	case strings.HasPrefix(line, "rank ") && len(r.p.Ops) > 0:
		return r.view(&r.p.Ops[len(r.p.Ops)-1], line)
	}
	o, err := r.op(line)
	if err == nil {
		r.p.Ops = append(r.p.Ops, o)
	}
	return err
}

// header reads the first line.
func (r *reader) header(line string) (err error) {
	p := r.p
	for i, part := range strings.Split(line, ", ") {
		word, value, _ := strings.Cut(part, " ")
		key, hint, isHint := strings.Cut(part, "=")
		second := slices.Index(seconds[:], ", "+part)
		switch {
		case (word == "ranks") != (i == 0):
			return fmt.Errorf("want %q first", "ranks N")
		case word == "ranks":
			if p.Ranks, err = strconv.Atoi(value); err == nil && p.Ranks < 1 {
				err = fmt.Errorf("a program has at least one rank")
			}
		case word == "schedule":
			p.Schedule = value
			if seed, ok := strings.CutPrefix(value, "random:"); ok {
				p.Schedule = ""
				p.Seed, err = strconv.ParseUint(seed, 10, 64)
			}
		case word == "seed":
			p.Seed, err = strconv.ParseUint(value, 10, 64)
		case word == "far":
			p.Far, err = strconv.ParseInt(value, 10, 64)
		case word == "reach":
			p.Reach, err = strconv.ParseInt(value, 10, 64)
		case part == conflictFree:
			p.ConflictFree = true
		case word == "values":
			p.Values, err = valuesOf(value)
		case second > 0:
			p.Second = Second(second)
		case isHint:
			p.setHint(key, hint)
		default:
			err = fmt.Errorf("%q is not a part of a first line", part)
		}
		if err != nil {
			p.Ranks = 0
			return err
		}
	}
	return nil
}

func (p *Program) setHint(key, value string) {
	if p.Hints == nil {
		p.Hints = map[string]string{}
	}
	p.Hints[key] = value
}

// conflictFree is the part of the first line for programs without conflicts.
const conflictFree = "no conflicts"

// header returns the first line.
func (p *Program) header() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d, schedule %s", p.Ranks, p.Order())
	if p.Schedule != "" && p.Seed != 0 {
		fmt.Fprintf(&b, ", seed %d", p.Seed)
	}
	if p.Far != 0 {
		fmt.Fprintf(&b, ", far %d", p.Far)
	}
	if p.Reach != 0 {
		fmt.Fprintf(&b, ", reach %d", p.Reach)
	}
	if p.ConflictFree {
		b.WriteString(", " + conflictFree)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Hints)) {
		fmt.Fprintf(&b, ", %s=%s", key, p.Hints[key])
	}
	if p.Values != Marks {
		fmt.Fprintf(&b, ", values %v", p.Values)
	}
	return b.String() + seconds[p.Second]
}

// op reads a line with an operation, with or without its number.
func (r *reader) op(line string) (o Op, err error) {
	words := strings.Fields(line)
	if len(words) > 0 && isNumber(words[0]) {
		line = strings.TrimSpace(strings.TrimPrefix(line, words[0]))
	}
	who, call, ok := strings.Cut(line, ":")
	if !ok {
		return o, fmt.Errorf("want %q or %q and a call", "all:", "RANK:")
	}
	o.All = who == "all"
	if !o.All {
		if o.Rank, err = strconv.Atoi(who); err != nil || o.Rank < 0 || o.Rank >= r.p.Ranks {
			return o, fmt.Errorf("%q is not a rank of %d", who, r.p.Ranks)
		}
	}
	call = strings.TrimSpace(call)
	if rest, ok := strings.CutSuffix(call, ", second handle"); ok {
		o.Second, call = true, rest
	}
	if rest, ok := strings.CutSuffix(call, ", completed later"); ok {
		o.Late, call = true, rest
	}
	return o, r.call(&o, call)
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// call reads what an operation does.
func (r *reader) call(o *Op, call string) (err error) {
	name, rest, _ := strings.Cut(call, " ")
	if a, ok := routines[name]; ok && a.All == o.All && len(r.p.Vars) == 0 {
		return o.readAccess(a, rest)
	}
	if do, ok := storeCallOf(name); ok {
		return o.readStore(do, rest)
	}
	if x, ok := slabCalls[name]; ok && x.All == o.All && len(r.p.Vars) > 0 {
		return r.slab(o, x.Do, rest)
	}
	switch name {
	case "sync", "sync_all":
		return o.readSync(name, strings.TrimPrefix(call, name))
	case "view":
		o.Do = SetView
		if rest == "" {
			return nil // the lines of the ranks follow
		}
		return r.view(o, "rank 0 "+rest)
	case "seek":
		return o.readSeek(rest)
	case "seek_shared":
		o.Do = SeekShared
		o.Off, err = strconv.ParseInt(strings.TrimSuffix(rest, " set"), 10, 64)
	case "set_size", "preallocate":
		if o.Do = SetSize; name == "preallocate" {
			o.Do = Preallocate
		}
		o.Size, err = strconv.ParseInt(rest, 10, 64)
	case "atomic":
		o.Do = Atomic
		o.On, err = strconv.ParseBool(rest)
	case "complete":
		o.Do = Finish
		_, err = fmt.Sscanf(call, "complete number %d of those under way", &o.Which)
	case "own":
		return o.readOwn(rest)
	case "reopen":
		o.Do = Reopen
	default:
		return fmt.Errorf("there is no call %q for these ranks", name)
	}
	return err
}

// routines has the accesses by name; those of all ranks have names of their own.
var routines = func() map[string]Access {
	all := map[string]Access{}
	for _, write := range []bool{false, true} {
		for _, at := range []Pointer{Explicit, Individual, Shared} {
			for _, together := range []bool{false, true} {
				for _, form := range []Form{Blocking, Nonblocking, Split} {
					a := Access{Write: write, At: at, All: together, Form: form}
					all[a.String()] = a
				}
			}
		}
	}
	return all
}()

// readAccess reads "at OFF[+STEP*rank] n N[+MORE on odd ranks]", without the offset if a
// pointer has it.
func (o *Op) readAccess(a Access, rest string) error {
	if o.Do = Read; a.Write {
		o.Do = Write
	}
	o.At, o.Form = a.At, a.Form
	if at, ok := strings.CutPrefix(rest, "at "); ok {
		off, n, _ := strings.Cut(at, " ")
		if err := o.readOffs(off); err != nil {
			return err
		}
		rest = n
	}
	n, ok := strings.CutPrefix(rest, "n ")
	if !ok {
		return fmt.Errorf("%q: want the number of etypes, %q", rest, "n N")
	}
	var err error
	if strings.Contains(n, "|") {
		return o.readEach(n, func(p *Part) *int64 { return &p.N })
	}
	o.N, o.More, err = sum(n, " on odd ranks")
	if err == nil && (o.N < 0 || o.N+o.More < 0) {
		err = fmt.Errorf("a negative count")
	}
	return err
}

// readOffs reads the offsets of all ranks.
func (o *Op) readOffs(text string) (err error) {
	if strings.Contains(text, "|") {
		return o.readEach(text, func(p *Part) *int64 { return &p.Off })
	}
	o.Off, o.Step, err = sum(text, "*rank")
	return err
}

// readEach reads a number of each rank.
func (o *Op) readEach(text string, of func(*Part) *int64) (err error) {
	list := strings.Split(strings.TrimSuffix(text, "|"), "|")
	if o.Each == nil {
		o.Each = make([]Part, len(list))
	}
	if len(list) != len(o.Each) {
		return fmt.Errorf("%d offsets and %d counts", len(o.Each), len(list))
	}
	for r, n := range list {
		to := of(&o.Each[r])
		if *to, err = strconv.ParseInt(n, 10, 64); err != nil {
			return err
		}
	}
	return nil
}

// sum reads a number, or one and another with a sign and a suffix.
func sum(text, suffix string) (a, b int64, err error) {
	if at := strings.LastIndexAny(text, "+-"); at > 0 {
		if b, err = strconv.ParseInt(strings.TrimSuffix(text[at:], suffix), 10, 64); err != nil {
			return 0, 0, err
		}
		text = text[:at]
	}
	a, err = strconv.ParseInt(text, 10, 64)
	return a, b, err
}

func (o *Op) readSync(name, rest string) error {
	o.Do, o.One = Sync, name == "sync_all"
	if at := strings.Index(rest, again[:len(" and again ")]); at >= 0 {
		if _, err := fmt.Sscanf(rest[at:], again, &o.Times); err != nil {
			return err
		}
		rest = rest[:at]
	}
	for i := range overs {
		for k := range lacks {
			if rest == overs[i]+lacks[k] {
				o.Over, o.Lacks = Over(i), Lack(k)
				return nil
			}
		}
	}
	return fmt.Errorf("unknown kind of sync %q", rest)
}

var whences = map[string]iofile.Whence{"set": iofile.SeekSet, "cur": iofile.SeekCur, "end": iofile.SeekEnd}

func (o *Op) readSeek(rest string) (err error) {
	o.Do = Seek
	off, whence, _ := strings.Cut(rest, " ")
	var ok bool
	if o.Whence, ok = whences[whence]; !ok {
		return fmt.Errorf("%q is not set, cur or end", whence)
	}
	return o.readOffs(off)
}

// view reads "rank R DISP ETYPE FILETYPE REP": the view of a rank, and of those after it up
// to the next line.
func (r *reader) view(o *Op, line string) error {
	line, second := strings.CutSuffix(line, ", second handle")
	o.Second = o.Second || second
	words := strings.Fields(line)
	if o.Do != SetView || len(words) < 6 {
		return fmt.Errorf("want a view: %q", "rank R DISP ETYPE FILETYPE REP")
	}
	rank, err := strconv.Atoi(words[1])
	if err != nil || rank < 0 || rank >= r.p.Ranks || rank > 0 && len(o.Views) == 0 {
		return fmt.Errorf("%q is not a rank that may come here", words[1])
	}
	v := iofile.View{Rep: words[len(words)-1]}
	if v.Disp, err = strconv.ParseInt(words[2], 10, 64); err != nil {
		return err
	}
	both := words[3 : len(words)-1]
	for i := 1; i < len(both); i++ {
		v.Etype, err = r.typ(strings.Join(both[:i], " "))
		if err == nil {
			v.Filetype, err = r.typ(strings.Join(both[i:], " "))
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the types of the view: %w", err)
	}
	if len(o.Views) == 0 {
		o.Views = make([]iofile.View, r.p.Ranks)
	}
	for ; rank < r.p.Ranks; rank++ {
		o.Views[rank] = v
	}
	return nil
}

func (r *reader) typ(text string) (*types.Type, error) {
	if t := r.types[text]; t != nil {
		return t, nil
	}
	t, err := types.Parse(text)
	if err == nil {
		r.types[text] = t
	}
	return t, err
}

// shortViews returns the first operation that sets a view and has none for some rank, -1
// if there is none.
func (p *Program) shortViews() int {
	return slices.IndexFunc(p.Ops, func(o Op) bool { return o.Do == SetView && len(o.Views) != p.Ranks })
}
