package main

import (
	"math"
	"slices"
	"strings"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// A grammar is what editors colour text by: at each place the first rule that matches there, and the
// rule that matches earliest in the line.
type grammar struct {
	Schema    string `json:"$schema"`
	Name      string `json:"name"`
	ScopeName string `json:"scopeName"`
	Patterns  []rule `json:"patterns"`
}

type rule struct {
	Name     string             `json:"name,omitempty"`
	Match    string             `json:"match"`
	Captures map[string]capture `json:"captures,omitempty"`
}

type capture struct {
	Name string `json:"name"`
}

// Scopes that editors have colours for.
const (
	comment     = "comment.line.number-sign.mpio"
	text        = "string.quoted.double.mpio"
	declaration = "keyword.control.mpio"
	ranks       = "entity.name.section.mpio"
	statement   = "support.function.mpio"
	word        = "keyword.other.mpio"
	typeName    = "storage.type.mpio"
	constant    = "constant.language.mpio"
	number      = "constant.numeric.mpio"
	name        = "variable.other.mpio"
	mark        = "keyword.operator.mpio"
)

// newGrammar returns the grammar of rank scripts. Its expressions mean the same to editors and to package regexp.
func newGrammar() grammar {
	statements := make([]string, 0, 80)
	for _, s := range script.Statements() {
		called, _, _ := strings.Cut(s, " ")
		statements = append(statements, called)
	}
	const head = `^\s*(?:(all|[0-9][0-9,\- ]*)\s*(:))?(?:\s*(repeat)\s+([0-9]+)\s*(:))?`
	heads := map[string]capture{"1": {ranks}, "2": {mark}, "3": {declaration}, "4": {number}, "5": {mark}}
	with := func(more map[string]capture) map[string]capture {
		all := map[string]capture{}
		for _, m := range []map[string]capture{heads, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	return grammar{
		Schema: "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
		Name:   "rank script", ScopeName: "source.mpio",
		Patterns: []rule{
			{Name: comment, Match: `#.*$`},
			{Name: text, Match: `"(?:\\.|[^"\\])*"`},
			{Match: `^\s*(ranks|machine|markers|type|file|allow|race|norace|error|deadlock)\b`, Captures: map[string]capture{"1": {declaration}}},
			{Match: head + `\s*(self\s+)?` + anyOf(statements), Captures: with(map[string]capture{"6": {word}, "7": {statement}})},
			{Match: `^\s*(all|[0-9][0-9,\- ]*)\s*(:)(?:\s*(repeat)\s+([0-9]+)\s*(:))?`, Captures: heads},
			{Match: `^\s*(repeat)\s+([0-9]+)\s*(:)`, Captures: map[string]capture{"1": {declaration}, "2": {number}, "3": {mark}}},
			{Match: `(->)\s*([A-Za-z0-9_.]+)`, Captures: map[string]capture{"1": {mark}, "2": {name}}},
			{Match: `\b(as)\s+([A-Za-z0-9_]+)`, Captures: map[string]capture{"1": {word}, "2": {name}}},
			{Name: typeName, Match: anyOf(typeNames())},
			{Match: `\b([a-z_]+)(\()`, Captures: map[string]capture{"1": {typeName}, "2": {mark}}},
			{Name: constant, Match: `\b(any|current|set|cur|end|on|off|rdonly|wronly|rdwr|create|excl|append|sequential|unique_open|delete_on_close|native|internal|external32|at|file|absent)\b`},
			{Name: number, Match: `-?\b[0-9][0-9A-Za-z.+\-]*|\b[0-9a-fA-F]{2}\b`},
			{Name: name, Match: `[A-Za-z_/.][A-Za-z0-9_./\-]*`},
			{Name: mark, Match: `[^\sA-Za-z0-9"#]`},
		},
	}
}

// typeNames returns the names of predefined types, as scripts write them.
func typeNames() []string {
	var all []string
	for k := range types.Kind(math.MaxUint8) {
		if k.Valid() {
			all = append(all, types.OfKind(k).String())
		}
	}
	for _, t := range types.Pairs() {
		all = append(all, t.String())
	}
	return all
}

// anyOf returns an expression for one of the words, whole.
func anyOf(words []string) string {
	words = slices.Clone(words)
	slices.Sort(words)
	return `\b(` + strings.Join(slices.Compact(words), "|") + `)\b`
}
