// Package table reads the list of the functions that C programs may call, for the
// generator of headers and for the library, which number them alike.
package table

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed functions.txt
var text string

// All returns the functions of functions.txt.
func All() ([]Function, error) { return Parse(text) }

// A Param is one parameter of a function in C.
type Param struct{ Type, Name, Array string }

// String returns the declaration of p.
func (p Param) String() string {
	if strings.HasSuffix(p.Type, "*") {
		return p.Type + p.Name + p.Array
	}
	return p.Type + " " + p.Name + p.Array
}

// A Function is a function that C programs may call.
type Function struct {
	Name   string // without MPI_
	Result string
	Params []Param
	Large  []Param // of the variant whose name ends in _c; nil if there is none
	Varies bool    // it has variable arguments
}

// both has the types that differ between a function and its variant with large counts.
var both = map[string][2]Param{
	"count":         {{Type: "int"}, {Type: "MPI_Count"}},
	"count_out":     {{Type: "int *"}, {Type: "MPI_Count *"}},
	"counts":        {{Type: "const int", Array: "[]"}, {Type: "const MPI_Count", Array: "[]"}},
	"displs":        {{Type: "const int", Array: "[]"}, {Type: "const MPI_Aint", Array: "[]"}},
	"aint":          {{Type: "MPI_Aint"}, {Type: "MPI_Count"}},
	"aint_out":      {{Type: "MPI_Aint *"}, {Type: "MPI_Count *"}},
	"aints":         {{Type: "const MPI_Aint", Array: "[]"}, {Type: "const MPI_Count", Array: "[]"}},
	"disp":          {{Type: "int"}, {Type: "MPI_Aint"}},
	"disp_out":      {{Type: "int *"}, {Type: "MPI_Aint *"}},
	"user_fn":       {{Type: "MPI_User_function *"}, {Type: "MPI_User_function_c *"}},
	"conversion_fn": {{Type: "MPI_Datarep_conversion_function *"}, {Type: "MPI_Datarep_conversion_function_c *"}},
}

var (
	line  = regexp.MustCompile(`^(?:(forms|send) )?(?:(\w+) )?(\w+)\((.*)\)$`)
	param = regexp.MustCompile(`^(.*?)(\w+)((?:\[\d*\])*)$`)
	ours  = regexp.MustCompile(`\b([A-Z]\w*)\b`)
)

// Parse reads the list.
func Parse(text string) ([]Function, error) {
	var all []Function
	for i, l := range strings.Split(text, "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			return nil, fmt.Errorf("line %d: %q is not a function", i+1, l)
		}
		f, err := parse(m[3], m[2], m[4])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		all = append(all, f)
		request, info := Param{Type: "MPI_Request *", Name: "request"}, Param{Type: "MPI_Info", Name: "info"}
		started := "I" + strings.ToLower(f.Name[:1]) + f.Name[1:]
		switch m[1] {
		case "forms":
			all = append(all, f.with(started, request), f.with(f.Name+"_init", info, request))
		case "send":
			all = append(all, f.with(started, request), f.with(f.Name+"_init", request))
		}
	}
	return all, nil
}

// with returns f with another name and additional parameters.
func (f Function) with(name string, more ...Param) Function {
	f.Name = name
	f.Params = append(f.Params[:len(f.Params):len(f.Params)], more...)
	if f.Large != nil {
		f.Large = append(f.Large[:len(f.Large):len(f.Large)], more...)
	}
	return f
}

func parse(name, result, params string) (Function, error) {
	f := Function{Name: name, Result: "int"}
	if result != "" {
		f.Result = prefixed(result)
	}
	large := false
	var twins []Param
	for text := range strings.SplitSeq(params, ", ") {
		switch text {
		case "":
			continue
		case "...":
			f.Varies = true
			continue
		}
		m := param.FindStringSubmatch(text)
		if m == nil {
			return f, fmt.Errorf("%q is not a parameter", text)
		}
		p := Param{Type: prefixed(strings.TrimSpace(m[1])), Name: m[2], Array: m[3]}
		q := p
		if two, ok := both[p.Type]; ok {
			p, q, large = two[0], two[1], true
			p.Name, q.Name = m[2], m[2]
		}
		f.Params, twins = append(f.Params, p), append(twins, q)
	}
	if large {
		f.Large = twins
	}
	return f, nil
}

// prefixed returns a type with MPI_ before the names of the standard's types, all of which
// begin with a capital letter.
func prefixed(text string) string { return ours.ReplaceAllString(text, "MPI_$1") }
