package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/testkit/spec"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/suite"
)

// routine explains a routine or constant of the standard.
func routine(name string) *Answer {
	i := slices.IndexFunc(names(), func(n Name) bool { return n.MPI != "" && strings.EqualFold(n.MPI, name) })
	if i < 0 && prototypes()[name] == "" {
		return nil
	}
	a := &Answer{Name: name, Sort: "routine"}
	if i >= 0 {
		n := names()[i]
		a.Name = n.MPI
		a.Text = append(a.Text, n.Doc)
		a.about(n)
	}
	if strings.HasPrefix(a.Name, "MPI_ERR") || strings.ToUpper(a.Name) == a.Name {
		a.Sort = "constant"
	}
	return a
}

// about adds the explanation of a Go name and its routine.
func (a *Answer) about(n Name) {
	a.fact("standard", sectionOf(n.MPI))
	a.fact("C", prototypes()[n.MPI])
	a.fact("Go", n.Go)
	a.fact("package", n.Package)
	word := statementOf(n)
	a.fact("script", scriptOf(n))
	for _, id := range n.Rules {
		a.fact("rule", id+" "+titleOf(id))
	}
	if word == "" {
		return
	}
	a.ShowsAs, a.Shows = showing(func(s sample) bool { return s.words[word] })
	a.mistake(func(l suite.Label) bool { return mistakes()[l.Name][word] })
}

func sectionOf(mpi string) string {
	if mpi == "" {
		return ""
	}
	return section(mpi)
}

func titleOf(id string) string {
	rules := spec.Rules()
	if i := slices.IndexFunc(rules, func(r spec.Rule) bool { return r.ID == id }); i >= 0 {
		return rules[i].Title
	}
	return ""
}

// statementOf returns the statement of scripts that makes a call; empty if there is none.
func statementOf(n Name) string {
	switch n.MPI {
	case "MPI_File_set_view":
		return "view"
	case "MPI_File_set_atomicity":
		return "atomic"
	case "MPI_File_get_type_extent":
		return "type_extent"
	}
	word := strings.TrimPrefix(n.MPI, "MPI_")
	if file, ok := strings.CutPrefix(word, "File_"); ok {
		word = file
	} else {
		word = strings.ToLower(word)
	}
	if formOf(word) == "" {
		return ""
	}
	return word
}

// forms returns the statements with their arguments, by name.
var forms = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, form := range script.Statements() {
		name, _, _ := strings.Cut(form, " ")
		all[name] = form
	}
	return all
})

// formOf returns the statement with its arguments.
func formOf(word string) string { return forms()[word] }

// scriptOf returns how scripts write a name: as a statement, or as an expression of a
// type.
func scriptOf(n Name) string { return cmp.Or(formOf(statementOf(n)), typeForms()[n.MPI]) }

// goName explains an exported name: File.WriteAt, iofile.File.WriteAt, (*File).WriteAt or
// WriteAt. If several packages have the name, the first in the order of Packages counts.
func goName(name string) *Answer {
	plain := strings.NewReplacer("(*", "", "(", "", ")", "", "*", "").Replace(name)
	for _, fits := range []func(Name) bool{
		func(n Name) bool { return n.Package+"."+n.Name == plain },
		func(n Name) bool { return n.Name == plain },
		func(n Name) bool { return strings.EqualFold(n.Package+"."+n.Name, plain) },
		func(n Name) bool { return strings.HasSuffix(n.Name, "."+plain) && n.MPI != "" },
		func(n Name) bool { return strings.HasSuffix(n.Name, "."+plain) },
	} {
		all := slices.DeleteFunc(Names(), func(n Name) bool { return !fits(n) })
		if len(all) == 0 {
			continue
		}
		a := &Answer{Name: all[0].String(), Sort: "Go name", Text: []string{all[0].Doc}}
		a.fact("MPI", all[0].MPI)
		a.about(all[0])
		var others []string
		for _, n := range all[1:min(len(all), 6)] {
			if other := n.Package + "." + n.Name; !slices.Contains(others, other) && other != all[0].Package+"."+all[0].Name {
				others = append(others, other)
			}
		}
		a.fact("also", strings.Join(others, ", "))
		return a
	}
	return nil
}

// classes are the error classes of the standard.
var classes = sync.OnceValue(func() []errclass.Class {
	var all []errclass.Class
	for c := range errclass.LastCode {
		if c.Name() != fmt.Sprintf("MPI_ERR_%d", int(c)) { // the name of a code that is not a class
			all = append(all, c)
		}
	}
	return all
})

var classNames = sync.OnceValue(func() map[string]errclass.Class {
	all := map[string]errclass.Class{}
	for _, c := range classes() {
		all[c.Name()] = c
	}
	return all
})

// class explains an error class: MPI_ERR_AMODE, ERR_AMODE or AMODE.
func class(name string) *Answer {
	full := strings.ToUpper(name)
	switch {
	case strings.HasPrefix(full, "ERR_"):
		full = "MPI_" + full
	case name == full && !strings.HasPrefix(full, "MPI_"):
		full = "MPI_ERR_" + full
	}
	c, ok := classNames()[full]
	if !ok {
		return nil
	}
	bare := strings.TrimPrefix(c.Name(), "MPI_ERR_")
	a := &Answer{Name: c.Name(), Sort: "error class", Text: []string{sentence(c.Error())}}
	a.fact("standard", `chapter "MPI Environmental Management", section "Error Codes and Classes"`)
	a.fact("number", fmt.Sprintf("%d in the ABI of MPI-5.0", int(c)))
	for _, n := range names() {
		if n.Package == "errclass" && strings.EqualFold(n.Name, strings.ReplaceAll(bare, "_", "")) {
			a.fact("Go", fmt.Sprintf("errors.Is(err, errclass.%s)", n.Name))
		}
	}
	count := 0
	for _, r := range spec.Rules() {
		if strings.Contains(r.Text, c.Name()) && count < 5 {
			count++
			a.fact("rule", r.ID+" "+r.Title)
		}
	}
	a.mistake(func(l suite.Label) bool {
		text, err := suite.Text(l.Name, suite.Bad)
		return err == nil && strings.Contains(text, "\nerror "+bare+" at ")
	})
	return a
}

// statement explains a statement of rank scripts.
func statement(word string) *Answer {
	form := formOf(word)
	if form == "" {
		return nil
	}
	for _, n := range names() {
		if n.MPI != "" && statementOf(n) == word {
			a := &Answer{Name: word, Sort: "statement of rank scripts", Text: []string{n.Doc}}
			a.fact("MPI", n.MPI)
			a.about(n)
			return a
		}
	}
	a := &Answer{Name: word, Sort: "statement of rank scripts"}
	a.fact("script", form)
	a.ShowsAs, a.Shows = showing(func(s sample) bool { return s.words[word] })
	return a
}
