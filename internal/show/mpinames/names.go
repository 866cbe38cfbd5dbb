package mpinames

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed names.txt
var namesText string

// A Language is one in which a program calls MPI.
type Language uint8

// The languages. Python is that of mpi4py.
const (
	Go Language = iota
	C           // and C++
	Fortran
	Python
)

// Of returns the language of a source file, C for unknown ones.
func Of(file string) Language {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return Go
	case ".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18", ".fpp":
		return Fortran
	case ".py", ".pyx", ".pyi":
		return Python
	}
	return C
}

// place matches the line of a source in a text.
var place = regexp.MustCompile(`(\.[A-Za-z]\w*):\d+`)

// OfText returns the language of the first line of a source that a text names, otherwise if there is none.
func OfText(text string, otherwise Language) Language {
	if m := place.FindStringSubmatch(text); m != nil {
		return Of(m[1])
	}
	return otherwise
}

// A name is one name of this module and of the standard.
type name struct{ pkg, goName, mpi string }

// receivers lists the types and packages whose names come first where several have the same name.
var receivers = []string{"File", "Comm", "Request", "iofile", "comm", "Group", "Info", "Message", "Type", "types"}

// table has the names by what a report calls them: with the receiver or the package, and without.
var table = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	var list []name
	for line := range strings.Lines(namesText) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 && f[2] != "" {
			list = append(list, name{f[0], f[1], f[2]})
		}
	}
	rank := func(n name) int {
		of, _, method := strings.Cut(n.goName, ".")
		if !method {
			of = n.pkg
		}
		if i := slices.Index(receivers, of); i >= 0 {
			return i
		}
		return len(receivers)
	}
	slices.SortStableFunc(list, func(a, b name) int { return rank(a) - rank(b) })
	for _, n := range list {
		_, short, method := strings.Cut(n.goName, ".")
		if !method {
			short = n.goName
		}
		for _, key := range []string{n.pkg + "." + n.goName, n.goName, short} {
			if key == short && !method && plainWord(short) && short != "Open" && short != "Delete" {
				continue // a type or a constant whose name is a word of English
			}
			if all[key] == "" {
				all[key] = n.mpi
			}
		}
	}
	return all
})

// plainWord reports whether a name is one word, such as Status.
func plainWord(s string) bool {
	return s == strings.ToUpper(s) || !strings.ContainsFunc(s[1:], func(r rune) bool { return unicode.IsUpper(r) || r == '.' })
}

// Call returns the name of a call that Go names such as WriteAt, Comm.Free or MPI_Send stand for.
func (l Language) Call(goName string) string {
	mpi := goName
	if !strings.HasPrefix(goName, "MPI_") {
		if mpi = table()[goName]; mpi == "" {
			return goName
		}
	}
	switch l {
	case Fortran:
		return strings.ToUpper(mpi)
	case Python:
		return inPython(mpi)
	case Go:
		return goName
	}
	return mpi
}

// classes lists the classes of mpi4py by the beginnings of the names of C.
var classes = []struct{ begin, class string }{
	{"File_", "File."},
	{"Comm_", "Comm."},
	{"Group_", "Group."},
	{"Info_", "Info."},
	{"Op_", "Op."},
	{"Request_", "Request."},
	{"Errhandler_", "Errhandler."},
	{"Status_", "Status."},
	{"Type_create_", "Datatype.Create_"},
	{"Type_", "Datatype."},
	{"Grequest_", "Grequest."},
	{"Session_", "Session."},
	{"Win_", "Win."},
}

// unlike has the names of mpi4py that do not follow from those of C.
var unlike = map[string]string{
	"Cart_create": "Intracomm.Create_cart", "Graph_create": "Intracomm.Create_graph", "Dist_graph_create": "Intracomm.Create_dist_graph",
	"Dist_graph_create_adjacent": "Intracomm.Create_dist_graph_adjacent", "Intercomm_create": "Intracomm.Create_intercomm",
	"Intercomm_merge": "Intercomm.Merge", "Cart_get": "Cartcomm.Get_topo", "Cart_coords": "Cartcomm.Get_coords", "Cart_rank": "Cartcomm.Get_cart_rank",
	"Cart_shift": "Cartcomm.Shift", "Cart_sub": "Cartcomm.Sub", "Cart_map": "Intracomm.Cart_map", "Cartdim_get": "Cartcomm.Get_dim",
	"Type_contiguous": "Datatype.Create_contiguous", "Type_vector": "Datatype.Create_vector", "Type_indexed": "Datatype.Create_indexed",
	"Comm_rank": "Comm.Get_rank", "Comm_size": "Comm.Get_size", "Comm_group": "Comm.Get_group", "Group_rank": "Group.Get_rank", "Group_size": "Group.Get_size",
	"Type_size": "Datatype.Get_size", "Info_get_nkeys": "Info.Get_nkeys", "Imrecv": "Message.Irecv", "Mrecv": "Message.Recv",
	"Wait": "Request.Wait", "Waitall": "Request.Waitall", "Waitany": "Request.Waitany", "Waitsome": "Request.Waitsome",
	"Test": "Request.Test", "Testall": "Request.Testall", "Testany": "Request.Testany", "Testsome": "Request.Testsome", "Cancel": "Request.Cancel",
	"Start": "Prequest.Start", "Startall": "Prequest.Startall", "Get_count": "Status.Get_count", "Get_elements": "Status.Get_elements",
	"Pack": "Datatype.Pack", "Unpack": "Datatype.Unpack", "Pack_size": "Datatype.Pack_size",
}

// global lists functions of the module MPI of mpi4py.
var global = []string{
	"Init", "Finalize", "Init_thread", "Initialized", "Finalized", "Query_thread", "Register_datarep", "Wtime", "Wtick", "Get_version",
	"Get_library_version", "Get_processor_name", "Buffer_attach", "Buffer_detach", "Dims_create", "Add_error_class", "Add_error_code",
	"Add_error_string", "Error_class", "Error_string", "Pcontrol", "Alloc_mem", "Free_mem", "Get_address",
}

// inPython returns a name of mpi4py.
func inPython(mpi string) string {
	word := strings.TrimPrefix(mpi, "MPI_")
	switch {
	case strings.HasPrefix(word, "ERR_"):
		return mpi // as mpi4py prints it
	case word == strings.ToUpper(word):
		return "MPI." + word // a constant
	}
	if s := unlike[word]; s != "" {
		return s
	}
	if slices.Contains(global, word) {
		switch word {
		case "Buffer_attach", "Buffer_detach", "Dims_create":
			first, second, _ := strings.Cut(word, "_")
			return "MPI." + capital(second) + "_" + strings.ToLower(first)
		case "Error_class", "Error_string":
			return "MPI.Get_" + strings.ToLower(word)
		}
		return "MPI." + word
	}
	for _, c := range classes {
		if rest, ok := strings.CutPrefix(word, c.begin); ok {
			if strings.HasSuffix(c.class, "_") {
				return c.class + rest
			}
			return c.class + capital(rest)
		}
	}
	return "Comm." + word
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// words matches what stays as it is (texts in quotes, paths, lines of sources, rules) or else a name, with the article
// before it and true as its argument.
var words = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|\S*/\S*|[\w+-]+\.\w+:\d+|\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+[a-z]?\b|(?:\b([Aa]n?) )?((?:\b[A-Za-z]\w*\.)*\b[A-Z]\w*)(\(true\)|\(false\)|\(\))?`)

// packages matches the names of packages of this module with which texts of errors begin.
var packages = regexp.MustCompile(`(?m)^((?:.*\branks? [0-9, -]+(?: of the world)?: )?(?:note: )?)((?:comm|iofile|types|world|c|reps|consistency|errclass): )+`)

// phrases are replaced before names are.
var phrases = strings.NewReplacer(
	"Test completes it, Free gives it up", "Test completes it, Request.Free gives it up",
	"ranks share a Go variable or other memory", "ranks share memory",
	"read such bytes as types.Byte", "read such bytes as MPI_BYTE",
	"open the file with iofile.WithMatch(types.MatchSource000) (in a script: match=source000), where", "run the program with --match source000, where",
	"hints, iofile.WithStrategy or COMMWORLD_STRATEGY=romio choose another way", "hints or --strategy choose another way",
	"world.On, or commworld cost for a rank script", "commworld cost for a rank script",
)

// allowing matches the remark of a report about allowing a rule from Go.
var allowing = regexp.MustCompile(`; world\.Careful\("[^"]*"\) allows it`)

// Text translates the names in a text, and leaves out names of packages before them.
func (l Language) Text(text string) string {
	if l == Go {
		return text
	}
	text = phrases.Replace(allowing.ReplaceAllString(text, ""))
	for { // a wrapped error has one more
		short := packages.ReplaceAllString(text, "$1")
		if short == text {
			break
		}
		text = short
	}
	var b strings.Builder
	at := 0
	for _, m := range words.FindAllStringSubmatchIndex(text, -1) {
		if m[4] < 0 {
			continue
		}
		part := func(i int) string {
			if m[i] < 0 {
				return ""
			}
			return text[m[i]:m[i+1]]
		}
		called, ok := l.named(part(4))
		if !ok || english(part(4), text[:m[4]], text[m[1]:]) {
			continue
		}
		b.WriteString(text[at:m[0]])
		if article := part(2); article != "" {
			b.WriteString(article[:1])
			if l != Python {
				b.WriteByte('n') // an MPI_File_sync
			}
			b.WriteByte(' ')
		}
		called += l.argument(part(6))
		b.WriteString(called)
		at = m[1]
		for longer := len(called) - (m[1] - m[4]); longer > 0 && strings.HasPrefix(text[at:], "   "); longer-- {
			at++ // of the spaces before the next column
		}
	}
	b.WriteString(text[at:])
	return b.String()
}

// english reports whether a word between others is one of English: it begins a sentence that goes on.
func english(word, before, after string) bool {
	begins := before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, ". ")
	return begins && plainWord(word) && len(after) > 1 && after[0] == ' ' && unicode.IsLower(rune(after[1])) && !strings.HasPrefix(after, " at ")
}

// named returns the name of the language for one in a text.
func (l Language) named(word string) (string, bool) {
	if strings.HasPrefix(word, "MPI_") {
		if l == Fortran && word == strings.ToUpper(word) {
			return "", false
		}
		return l.Call(word), l != C
	}
	parts := strings.Split(word, ".")
	for i := range parts { // a longer name first
		if i > 0 && unicode.IsUpper(rune(parts[i-1][0])) {
			break // a method of another type
		}
		if key := strings.Join(parts[i:], "."); table()[key] != "" {
			return l.Call(key), true
		}
	}
	return "", false
}

// argument returns the only argument of a call in the language; the others are left out.
func (l Language) argument(arg string) string {
	switch {
	case arg == "" || arg == "()":
		return arg
	case l == Fortran:
		return " with ." + strings.Trim(arg, "()") + "."
	case l == Python:
		return "(" + capital(strings.Trim(arg, "()")) + ")"
	case arg == "(true)":
		return " with 1"
	}
	return " with 0"
}

// goOnly has the names of this module that the standard has no name for and that are not words of English.
var goOnly = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(namesText) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 {
			short := f[1][strings.LastIndexByte(f[1], '.')+1:]
			all[f[0]+"."+f[1]] = true
			all[short] = all[short] || !plainWord(short) && short != strings.ToUpper(short)
		}
	}
	return all
})

// GoNames returns the names of this module that a text has, as far as they are not words of English.
func GoNames(text string) (all []string) {
	for _, m := range words.FindAllStringSubmatchIndex(text, -1) {
		if m[4] < 0 || strings.HasPrefix(text[m[4]:], "MPI_") {
			continue
		}
		w := text[m[4]:m[5]]
		if _, ok := C.named(w); ok && !english(w, text[:m[4]], text[m[1]:]) || goOnly()[w] {
			all = append(all, w)
		}
	}
	return all
}
