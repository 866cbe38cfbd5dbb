package suite

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// ReadClaims reads a tool's output: a line for each claim about a program, with columns
// separated by tabs,
//
//	PROGRAM	KIND	RULE	MISSING	LINES
//
// PROGRAM is NAME/bad or NAME/clean, optionally with the suffix .c, .go or .mpio; KIND is a
// kind of the table, or "none"; the other columns may be left out or "-". LINES are RANK:LINE,
// or LINE if the tool knows no ranks. They refer to the C or Go program if PROGRAM ends in .c
// or .go, else to the script. Lines that begin with # are comments. A program without a line
// was not tried.
func ReadClaims(r io.Reader) ([]Claim, error) {
	var all []Claim
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		f := append(strings.Split(line, "\t"), "", "", "")
		if len(f) < 5 {
			return nil, fmt.Errorf("line %d: %q is not PROGRAM and KIND with a tab between them", n, line)
		}
		c := Claim{Program: f[0], Kind: Kind(f[1]), Rule: none(f[2]), Missing: none(f[3])}
		name, half, ok := Split(c.Program)
		if _, known := LabelOf(name); !ok || !known {
			return nil, fmt.Errorf("line %d: there is no program %q; commworld suite list lists them", n, f[0])
		}
		c.Program = name + "/" + half
		if ext := strings.TrimPrefix(path.Ext(f[0]), "."); ext == "c" || ext == "go" {
			c.Source = ext
		}
		if c.Kind != None && !slices.Contains(Kinds(), c.Kind) {
			return nil, fmt.Errorf("line %d: there is no kind %q: %v or none", n, f[1], Kinds())
		}
		sites, err := readSites(none(f[4]))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c.Lines = sites
		if other, ok := contradicts(all, c); ok {
			return nil, fmt.Errorf("line %d: %s is both %q and %q; a tool that finds something in a program does not say none", n, c.Program, other, c.Kind)
		}
		all = append(all, c)
	}
	return all, in.Err()
}

// contradicts reports whether earlier claims say that a program has nothing while c names
// something, or the reverse; it returns the kind of the earlier claim.
func contradicts(earlier []Claim, c Claim) (Kind, bool) {
	i := slices.IndexFunc(earlier, func(o Claim) bool {
		return o.Program == c.Program && o.Source == c.Source && (o.Kind == None) != (c.Kind == None)
	})
	if i < 0 {
		return "", false
	}
	return earlier[i].Kind, true
}

func none(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// FormatClaims writes claims in the form that ReadClaims reads.
func FormatClaims(claims []Claim) string {
	var b strings.Builder
	for _, c := range claims {
		name := c.Program
		if c.Source != "" {
			name += "." + c.Source
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\n", name, c.Kind, orNone(c.Rule), orNone(c.Missing), orNone(sitesText(c.Lines)))
	}
	return b.String()
}

// A Row is the findings of a tool for one kind of mistake.
type Row struct {
	Kind      Kind `json:"kind"`
	Programs  int  `json:"programs"`   // bad programs that were tried
	Found     int  `json:"found"`      // those of them with any claim
	RightKind int  `json:"right_kind"` // those of them with a claim of the right kind
	RightRule int  `json:"right_rule"` // those of them with the right kind and rule
	InLine    int  `json:"in_line"`    // those of them with a claim that names a line of the label
	Named     int  `json:"named"`      // programs, clean ones included, with a claim of this kind
}

// Recall returns the part of the bad programs of this kind that have any claim.
func (w Row) Recall() float64 { return part(w.Found, w.Programs) }

// Precision returns the part of the programs with a claim of this kind that have such a
// mistake.
func (w Row) Precision() float64 { return part(w.RightKind, w.Named) }

// A Result is the score of a tool.
type Result struct {
	Rows         []Row
	Tried        int // programs, clean ones included
	Bad          int // bad programs
	BadFound     int // of them, those with a claim
	Clean        int // clean programs
	CleanAccused int // of them, those with a claim
	Pairs        int // of which both programs were tried
	PairsRight   int // of them, those whose bad program has a claim and whose clean one has none
	Missed       []string
	Blamed       []string
}

// MarshalJSON writes the score with precision and recall.
func (r *Result) MarshalJSON() ([]byte, error) {
	type row struct {
		Row
		Precision *float64 `json:"precision"` // null: no claim has the kind
		Recall    float64  `json:"recall"`
	}
	rows := []row{}
	for _, w := range r.Rows {
		shown := row{Row: w, Recall: w.Recall()}
		if precision := w.Precision(); w.Named > 0 {
			shown.Precision = &precision
		}
		rows = append(rows, shown)
	}
	return json.Marshal(struct {
		Tried     int      `json:"tried"`
		Bad       int      `json:"bad"`
		Found     int      `json:"found"`
		Clean     int      `json:"clean"`
		Accused   int      `json:"accused"`
		Pairs     int      `json:"pairs"`
		Right     int      `json:"pairs_right"`
		Precision float64  `json:"precision"`
		Recall    float64  `json:"recall"`
		Kinds     []row    `json:"kinds"`
		Missed    []string `json:"missed"`
		Blamed    []string `json:"accused_programs"`
	}{r.Tried, r.Bad, r.BadFound, r.Clean, r.CleanAccused, r.Pairs, r.PairsRight, r.Precision(), r.Recall(), rows, append([]string{}, r.Missed...), append([]string{}, r.Blamed...)})
}

// Precision returns the part of the programs with a claim that have a mistake; 1 if none has
// a claim.
func (r *Result) Precision() float64 { return part(r.BadFound, r.BadFound+r.CleanAccused) }

// Recall returns the part of the bad programs that have a claim.
func (r *Result) Recall() float64 { return part(r.BadFound, r.Bad) }

func part(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// Score compares a tool's claims with the table.
func Score(claims []Claim) *Result {
	of := map[string][]Claim{}
	for _, c := range claims {
		of[c.Program] = append(of[c.Program], c)
	}
	r := &Result{Tried: len(of)}
	for _, k := range Kinds() {
		r.Rows = append(r.Rows, Row{Kind: k})
	}
	for _, said := range of {
		for i := range r.Rows {
			if slices.ContainsFunc(said, func(c Claim) bool { return c.Kind == r.Rows[i].Kind }) {
				r.Rows[i].Named++
			}
		}
	}
	for _, l := range Labels() {
		if said, tried := of[l.Name+"/"+Bad]; tried {
			r.bad(l, said)
		}
		if said, tried := of[l.Name+"/"+Clean]; tried {
			r.Clean++
			if accuses(said) {
				r.CleanAccused++
				r.Blamed = append(r.Blamed, l.Name)
			}
		}
		r.pair(of[l.Name+"/"+Bad], of[l.Name+"/"+Clean])
	}
	return r
}

// pair counts a pair with the claims about both programs; without a claim, a program was not
// tried.
func (r *Result) pair(bad, clean []Claim) {
	if len(bad) == 0 || len(clean) == 0 {
		return
	}
	r.Pairs++
	if accuses(bad) && !accuses(clean) {
		r.PairsRight++
	}
}

func accuses(said []Claim) bool {
	return slices.ContainsFunc(said, func(c Claim) bool { return c.Kind != None })
}

// bad counts a tool's claims about a bad program.
func (r *Result) bad(l Label, said []Claim) {
	row := &r.Rows[slices.Index(Kinds(), l.Kind)]
	row.Programs++
	r.Bad++
	if !accuses(said) {
		r.Missed = append(r.Missed, l.Name)
		return
	}
	row.Found++
	r.BadFound++
	kind := func(c Claim) bool { return c.Kind == l.Kind }
	if slices.ContainsFunc(said, kind) {
		row.RightKind++
	}
	if slices.ContainsFunc(said, func(c Claim) bool { return kind(c) && l.sameRule(c) }) {
		row.RightRule++
	}
	if slices.ContainsFunc(said, l.inLine) {
		row.InLine++
	}
}

// inLine reports whether a claim names a line of the label.
func (l Label) inLine(c Claim) bool {
	sites := l.Lines
	if c.Source != "" {
		sites, _ = l.In(c.Source) // ReadClaims accepts no other languages; a test generates all programs
	}
	return slices.ContainsFunc(c.Lines, func(s Site) bool {
		return slices.ContainsFunc(sites, func(own Site) bool { return own.Line == s.Line && (own.Rank == s.Rank || s.Rank == AnyRank) })
	})
}

// sameRule reports whether a claim agrees with the label: for a race about the missing
// part, for a deadlock always, else about the rule.
func (l Label) sameRule(c Claim) bool {
	switch l.Kind {
	case Race:
		return slices.Contains(strings.Split(l.Missing, ","), c.Missing)
	case Deadlock:
		return true
	}
	return c.Rule == l.Rule
}

// String returns the score as a table.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s %8s %7s %7s %10s %10s %8s %6s %10s\n", "kind", "programs", "found", "recall", "right kind", "right rule", "in line", "named", "precision")
	all := Row{Kind: "all"}
	for _, w := range r.Rows {
		if w.Programs+w.Named > 0 {
			b.WriteString(w.String())
		}
		all.Programs += w.Programs
		all.Found += w.Found
		all.RightKind += w.RightKind
		all.RightRule += w.RightRule
		all.InLine += w.InLine
	}
	all.Named = r.BadFound + r.CleanAccused
	fmt.Fprintf(&b, "%s %6d %10.3f\n", all.front(), all.Named, r.Precision())
	fmt.Fprintf(&b, "\ntried           %d of %d programs\nclean programs  %d of %d accused\npairs right     %d of %d\nprecision       %.3f\nrecall          %.3f\n", r.Tried, 2*len(table()), r.CleanAccused, r.Clean, r.PairsRight, r.Pairs, r.Precision(), r.Recall())
	list := func(what string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(&b, "%-15s %s\n", what, strings.Join(names, ", "))
		}
	}
	list("missed", r.Missed)
	list("accused", r.Blamed)
	return b.String()
}

// String returns a line of the table.
func (w Row) String() string {
	precision := "-"
	if w.Named > 0 {
		precision = fmt.Sprintf("%.3f", w.Precision())
	}
	return fmt.Sprintf("%s %6d %10s\n", w.front(), w.Named, precision)
}

func (w Row) front() string {
	return fmt.Sprintf("%-9s %8d %7d %7.3f %10d %10d %8d", w.Kind, w.Programs, w.Found, w.Recall(), w.RightKind, w.RightRule, w.InLine)
}

// LibraryTable returns a table of the results in [Libraries] for the bad programs, by kind,
// and the names of the clean programs that fail with a library.
func LibraryTable(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	head := strings.Split(lines[0], "\t")
	shows := []string{"nothing", "wrong", "error", "hang", "crash"}
	var b strings.Builder
	for col := 2; col < len(head); col++ {
		fmt.Fprintf(&b, "%s\n%-9s", head[col], "kind")
		for _, s := range shows {
			fmt.Fprintf(&b, " %8s", s)
		}
		b.WriteString("\n")
		total := map[string]int{}
		for _, k := range append(Kinds(), "all") {
			n := map[string]int{}
			for _, line := range lines[1:] {
				f := strings.Split(line, "\t")
				if _, half, _ := Split(f[0]); half == Bad && f[1] == string(k) {
					n[f[col]]++
					total[f[col]]++
				}
			}
			if k == "all" {
				n = total
			}
			fmt.Fprintf(&b, "%-9s", k)
			for _, s := range shows {
				fmt.Fprintf(&b, " %8d", n[s])
			}
			b.WriteString("\n")
		}
		var odd []string
		for _, line := range lines[1:] {
			f := strings.Split(line, "\t")
			if name, half, _ := Split(f[0]); half == Clean && f[col] != "nothing" {
				odd = append(odd, name+" ("+f[col]+")")
			}
		}
		fmt.Fprintf(&b, "clean programs that do not end well: %s\n\n", strings.Join(odd, ", "))
	}
	return b.String()
}
