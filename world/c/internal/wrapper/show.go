package wrapper

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// query matches the options by which build systems ask the compiler of an MPI library what it
// runs, those of Open MPI and of MPICH.
var query = regexp.MustCompile(`^--?(show|showme|compile[-_]info|link[-_]info|showme:.*)$`)

// show answers such a question, if there is one among the arguments. The answer is for another
// compiler, so it is about ordinary executables, whose ranks are processes. always and objects
// are what each compilation and each program needs besides.
func (c Compiler) show(headers string, args, always, objects []string) (answer string, asked bool, err error) {
	i := slices.IndexFunc(args, query.MatchString)
	if i < 0 {
		return "", false, nil
	}
	what := strings.TrimLeft(args[i], "-")
	rest := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return query.MatchString(a) })
	compile := slices.Concat([]string{"-I" + headers}, lineOptions, always)
	dir, err := library()
	if err != nil {
		return "", true, err
	}
	link := append(slices.Clone(objects), linkOptions(dir)...)
	var words []string
	switch what {
	case "showme:compile":
		words = compile
	case "showme:link":
		words = link
	case "showme:incdirs":
		words = []string{headers}
	case "showme:libdirs":
		words = []string{dir}
	case "showme:libs":
		words = []string{libraryName}
	case "showme:command":
		words = c.words()
	case "showme:version":
		words = []string{c.Name + " of commworld"}
	case "compile_info", "compile-info":
		words = slices.Concat(c.words(), compile, rest)
	case "show", "showme", "link_info", "link-info":
		words = slices.Concat(c.words(), compile, rest)
		if links(rest) || slices.Contains(rest, "-shared") {
			words = append(words, link...)
		}
	default:
		return "", true, fmt.Errorf("there is no option %q; ask -show, or -showme: with compile, link, incdirs, libdirs, libs, command or version", args[i])
	}
	return strings.Join(words, " "), true, nil
}
