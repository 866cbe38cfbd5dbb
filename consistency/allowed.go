package consistency

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/commworld/commworld/internal/overlay"
)

// An Outcome is one result that the standard allows: the values of all reads, by
// "RANK.NAME", in hex. Two question marks represent a byte that a race makes undefined,
// and two dots a byte that no rank wrote. A star at the end represents a length that a
// race makes undefined: at least the bytes before the star. File is the content of the
// file when all handles are closed.
type Outcome struct {
	Vars map[string]string
	File string
}

// String returns the values, sorted by name.
func (o Outcome) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(o.Vars)) {
		fmt.Fprintf(&b, "%s=%s ", name, o.Vars[name])
	}
	return b.String() + "file=" + o.File
}

// Outcomes are all results that the standard allows a program, each once.
type Outcomes []Outcome

// String returns a table with one line for each outcome.
func (all Outcomes) String() string {
	lines := make([]string, len(all))
	for i, o := range all {
		lines[i] = o.String()
	}
	return strings.Join(lines, "\n")
}

// Allows reports whether the standard allows this outcome. Missing values, and bytes given
// as two question marks, match anything.
func (all Outcomes) Allows(o Outcome) bool {
	return slices.ContainsFunc(all, func(a Outcome) bool {
		for name, v := range o.Vars {
			if !fits(a.Vars[name], v) {
				return false
			}
		}
		return o.File == "" || fits(a.File, o.File)
	})
}

// Undefined reports whether a race makes some value undefined.
func (all Outcomes) Undefined() bool {
	return slices.ContainsFunc(all, func(o Outcome) bool { return strings.ContainsAny(o.String(), "?*") })
}

// fits reports whether v matches a value that may have undefined bytes.
func fits(pattern, v string) bool {
	for len(pattern) >= 2 && len(v) >= 2 {
		if p := pattern[:2]; p != "??" && p != ".." && p != v[:2] && v[:2] != "??" {
			return false
		}
		pattern, v = pattern[2:], v[2:]
	}
	return pattern == v || pattern == "*"
}

// mostStates and mostBytes bound the work of [Allowed]: the number of states, and the
// length of the file.
const (
	mostStates = 1 << 20
	mostBytes  = overlay.MostBytes
)

// Allowed returns the exact set of outcomes that the standard allows a program. Accesses
// that a rule orders come in that order; unordered atomic ones come in any order, each as a
// whole (CONS-D03, CONS-C5); if two accesses conflict and no rule orders them, the bytes
// that they share are undefined (CONS-C4). Errors: for programs that do not run to their
// end, such as one that deadlocks, and for those with more than a million states.
func Allowed(h History) (Outcomes, error) {
	s, err := newSearch(h)
	if err != nil {
		return nil, err
	}
	if err := s.explore(s.initial()); err != nil {
		return nil, err
	}
	sort.Slice(s.found, func(i, j int) bool { return s.found[i].String() < s.found[j].String() })
	return s.found, nil
}

// Explains reports whether the standard allows these values, as [Outcomes.Allows] does,
// without listing all outcomes: it follows only the orders that agree with them. For atomic
// accesses only, it reports whether the observation is sequentially consistent.
func Explains(h History, observed Outcome) (bool, error) {
	s, err := newSearch(h)
	if err != nil {
		return false, err
	}
	s.want = &observed
	err = s.explore(s.initial())
	return len(s.found) > 0, err
}

// A search visits the orders of the accesses of a program.
type search struct {
	*tracer
	init  []byte
	prev  [][]int  // by access: those that come before it
	loose [][]bool // pairs that no rule orders
	cuts  []cut    // by access: its change of the size
	width int64
	seen  map[string]bool
	found []Outcome
	keys  map[string]bool
	want  *Outcome
}

// Values of bytes that have no defined value.
const (
	hole      = overlay.Hole
	undefined = -2
)

// searchState is the state of the file after some prefix of an order.
type searchState struct {
	done        uint64
	mem         []int16
	size        int64
	minSize     int64 // lower bound of the size, if vague
	sizeUnknown bool  // the size does not follow from the order
	values      []string
}

func newSearch(h History) (*search, error) {
	t, err := h.trace()
	if err != nil {
		return nil, fmt.Errorf("consistency: %w", err)
	}
	n := len(t.actions)
	if n > 64 {
		return nil, fmt.Errorf("consistency: %d accesses; at most 64 can be searched", n)
	}
	s := &search{tracer: t, init: h.Init, width: int64(len(h.Init)), seen: map[string]bool{}, keys: map[string]bool{}}
	for i, a := range t.actions {
		s.width = max(s.width, a.effect.End())
		s.prev = append(s.prev, nil)
		s.loose = append(s.loose, make([]bool, n))
		for j, b := range t.actions {
			if b.end.before(&a.begin) && i != j {
				s.prev[i] = append(s.prev[i], j)
			}
			s.loose[i][j] = i != j && (a.writes() || b.writes()) && a.unordered(b)
		}
	}
	if s.width > mostBytes { // each state holds that many bytes
		return nil, fmt.Errorf("consistency: accesses up to byte %d; at most %d can be searched", s.width, mostBytes)
	}
	s.together()
	return s, s.measure()
}

func (s *search) initial() *searchState {
	st := &searchState{mem: make([]int16, s.width), size: int64(len(s.init)), minSize: int64(len(s.init)), values: make([]string, len(s.results))}
	for i := range st.mem {
		st.mem[i] = hole
	}
	for i, b := range s.init {
		st.mem[i] = int16(b)
	}
	return st
}

func (s *search) explore(st *searchState) error {
	key := st.key()
	if s.seen[key] || s.want != nil && len(s.found) > 0 {
		return nil
	}
	if len(s.seen) == mostStates {
		return fmt.Errorf("consistency: the program has more than %d states", mostStates)
	}
	s.seen[key] = true
	if st.done == 1<<len(s.actions)-1 {
		s.finish(st)
		return nil
	}
	for i, a := range s.actions {
		if !s.may(i, st.done) {
			continue
		}
		next := *st
		next.done, next.mem, next.values = st.done|1<<i, slices.Clone(st.mem), slices.Clone(st.values)
		s.perform(i, a, &next)
		if a.writes() || s.want == nil || s.agrees(a, &next) {
			if err := s.explore(&next); err != nil {
				return err
			}
		}
	}
	return nil
}

// key returns a text that differs for different states of one search.
func (st *searchState) key() string {
	b := make([]byte, 0, 64+2*len(st.mem))
	for _, n := range []int64{int64(st.done), st.size, st.minSize} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	if st.sizeUnknown {
		b = append(b, 1)
	}
	for _, v := range st.mem {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	for _, v := range st.values {
		b = append(append(b, v...), 0)
	}
	return string(b)
}

// may reports whether access i may come next.
func (s *search) may(i int, done uint64) bool {
	return done&(1<<i) == 0 && !slices.ContainsFunc(s.prev[i], func(j int) bool { return done&(1<<j) == 0 })
}

// agrees reports whether read a returns the observed value.
func (s *search) agrees(a *action, st *searchState) bool {
	v, ok := s.want.Vars[s.results[a.result]]
	return !ok || fits(st.values[a.result], v)
}

func (s *search) perform(i int, a *action, st *searchState) {
	switch a.Do {
	case DoWrite:
		k := 0
		for _, r := range a.Runs {
			for off := r.Off; off < r.Off+r.Len; off++ {
				st.mem[off] = int16(a.Data[k])
				if s.contested(i, off, st.done) {
					st.mem[off] = undefined
				}
				k++
			}
		}
		if k > 0 {
			st.size, st.minSize = max(st.size, a.effect.End()), max(st.minSize, a.effect.End())
			s.markSizeUnknown(i, st)
		}
	case DoSetSize, DoGrow:
		if a.Do == DoGrow && st.size >= a.Bytes {
			st.minSize = max(st.minSize, min(a.Bytes, st.size))
			s.markSizeUnknown(i, st)
			return
		}
		s.resize(a, st)
		s.markSizeUnknown(i, st)
		for off := a.Bytes; off < s.width; off++ {
			st.mem[off] = hole
		}
	case DoSize:
		st.values[a.result] = fmt.Sprint(st.size)
		if st.sizeUnknown || slices.Contains(s.loose[i], true) {
			st.values[a.result] = "*"
		}
	case DoRead:
		st.values[a.result] = s.read(i, a, st)
	}
}

// contested reports whether some completed write to byte off is not ordered with access i.
func (s *search) contested(i int, off int64, done uint64) bool {
	for j, b := range s.actions {
		if done&(1<<j) != 0 && s.loose[i][j] && s.has(j, off) && b.writes() {
			return true
		}
	}
	return false
}

// read returns the value that access i reads.
func (s *search) read(i int, a *action, st *searchState) string {
	size, far, resized, most := st.size, int64(0), false, int64(len(s.init))
	for j, b := range s.actions {
		if b.writes() {
			most = max(most, b.effect.End())
		}
		if s.loose[i][j] && b.writes() {
			far, resized = max(far, b.effect.End()), resized || b.sizes()
		}
	}
	if far > 0 || resized { // the size does not follow from the order
		size = s.certainSize(i, st)
	}
	if st.sizeUnknown {
		size = min(size, st.minSize)
	}
	var b strings.Builder
	for _, r := range a.Runs {
		for off := r.Off; off < r.Off+r.Len; off++ {
			if off >= size {
				if far > off || (resized || st.sizeUnknown) && most > off { // else the read ends here for every possible size
					b.WriteByte('*')
				}
				return b.String()
			}
			b.WriteString(s.digit(st.mem[off], s.contested(i, off, ^uint64(0))))
		}
	}
	return b.String()
}

// certainSize returns the size of the file that follows from completed accesses that are
// ordered with access i.
func (s *search) certainSize(i int, st *searchState) int64 {
	counts := func(j int) bool {
		return st.done&(1<<j) != 0 && !s.loose[i][j] && s.actions[j].writes() && !s.idle(j)
	}
	size := s.grown(int64(len(s.init)), counts, -1)
	for j, b := range s.actions { // the last change of the size
		if counts(j) && b.Do == DoSetSize {
			size = min(size, s.grown(b.Bytes, counts, j))
		}
	}
	for j, b := range s.actions { // unordered changes of the size may have come before
		if s.loose[i][j] && b.Do == DoSetSize {
			size = min(size, b.Bytes)
		}
	}
	return min(size, st.size)
}

// grown returns the size of the file after the writes after access j, of those that counts
// accepts.
func (s *search) grown(size int64, counts func(int) bool, j int) int64 {
	for k, b := range s.actions {
		if counts(k) && (j < 0 || slices.Contains(s.prev[k], j)) {
			size = max(size, b.effect.End())
		}
	}
	return size
}

// hexBytes holds all bytes in hexadecimal, one after the other.
var hexBytes = func() string {
	var all [256]byte
	for i := range all {
		all[i] = byte(i)
	}
	return hex.EncodeToString(all[:])
}()

func (s *search) digit(b int16, contested bool) string {
	switch {
	case contested || b == undefined:
		return "??"
	case b == hole:
		return ".."
	}
	return hexBytes[2*b : 2*b+2]
}

func (s *search) finish(st *searchState) {
	size := st.size
	if st.sizeUnknown {
		size = min(size, st.minSize)
	}
	var b strings.Builder
	for _, v := range st.mem[:min(size, s.width)] {
		b.WriteString(s.digit(v, false))
	}
	if st.sizeUnknown {
		b.WriteByte('*')
	}
	o := Outcome{File: b.String()}
	if s.want != nil { // the read agrees, because explore checks that
		if s.want.File == "" || fits(o.File, s.want.File) {
			s.found = append(s.found, o)
		}
		return
	}
	o.Vars = map[string]string{}
	for i, name := range s.results {
		o.Vars[name] = st.values[i]
	}
	if key := o.String(); !s.keys[key] {
		s.keys[key] = true
		s.found = append(s.found, o)
	}
}
