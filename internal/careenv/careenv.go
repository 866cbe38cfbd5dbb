// Package careenv has the setting of careful runs that a process gets from its environment: which
// checks its worlds make, and whether options of the program may weaken them.
//
// Start here: [Value] returns the setting. In a process of commworld check or course mark,
// [Overrule] replaces an option of the program that would weaken a check, and remembers its
// name for the report.
package careenv

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Variable is the name of the environment variable.
const Variable = "COMMWORLD_CARE"

// Words of the variable that this package reads.
const (
	WordOverrule = "overrule" // options of the program do not weaken checks
	WordSealed   = "sealed"   // records carry the key that the process got on standard input
)

// initial is the value with which the process began. It is read before any package of a
// program that imports this module can change the environment.
var initial = os.Getenv(Variable)

var overrules = has(initial, WordOverrule)

// has reports whether the value has a word. A file name, the last word, may contain commas.
func has(value, word string) bool {
	value, _, _ = strings.Cut(value, "report=")
	return slices.Contains(strings.Split(value, ","), word)
}

// Value returns the setting: the value of [Variable], or the one with which the process
// began if the program must not weaken it.
func Value() string {
	if overrules {
		return initial
	}
	return os.Getenv(Variable)
}

// Sealed reports whether the process belongs to course mark.
func Sealed() bool { return has(initial, WordSealed) }

// Overrules reports whether options of the program have no effect on checks in this process.
func Overrules() bool { return overrules }

// Alters reports whether reads of a file return altered bytes in this process: every byte
// with its lowest bit changed, if the value has the word alter=PATTERN and the pattern matches
// the file's name, as in package path.
func Alters(file string) bool { return altered != "" && matches(file) }

func matches(file string) bool {
	ok, _ := path.Match(altered, file)
	return ok
}

var altered = argument(initial, "alter=")

// from is the folder to which names of source files in texts are relative; empty: they have no
// folders.
var from = strings.ReplaceAll(argument(initial, "from="), comma, ",")

const comma = "%2C"

// WordFrom returns the word that makes names of source files relative to a folder.
func WordFrom(dir string) string { return "from=" + strings.ReplaceAll(dir, ",", comma) }

// From makes names of source files in texts relative to a folder, for a command that runs the
// program in its own process. Call it before a world runs. The word from=DIR prevails.
func From(dir string) {
	if from == "" {
		from = dir
	}
}

// ShortName returns the name of a source file for texts: relative to the folder of the word
// from=DIR or of [From], or without its folder.
func ShortName(file string) string {
	if from == "" {
		return path.Base(file)
	}
	return Relative(from, file)
}

// Relative returns the name of a file relative to a folder, unless that is longer.
func Relative(dir, file string) string {
	if name, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) && len(name) < len(file) {
		return filepath.ToSlash(name)
	}
	return file
}

// argument returns what follows a word's beginning.
func argument(value, begin string) string {
	value, _, _ = strings.Cut(value, "report=")
	for word := range strings.SplitSeq(value, ",") {
		if arg, ok := strings.CutPrefix(word, begin); ok {
			return arg
		}
	}
	return ""
}

var weakened struct {
	mu                   sync.Mutex
	overruled, unchecked []string
}

// Overrule reports whether the named option of the program has no effect, and remembers it.
func Overrule(option string) bool {
	if overrules {
		note(&weakened.overruled, option)
	}
	return overrules
}

// Unchecked remembers an option of the program that weakens checks and that has an effect.
func Unchecked(option string) {
	if overrules {
		note(&weakened.unchecked, option)
	}
}

func note(list *[]string, option string) {
	weakened.mu.Lock()
	defer weakened.mu.Unlock()
	if !slices.Contains(*list, option) {
		*list = append(*list, option)
	}
}

// Weakened returns the names that [Overrule] and [Unchecked] remember, sorted.
func Weakened() (overruled, unchecked []string) {
	weakened.mu.Lock()
	defer weakened.mu.Unlock()
	return slices.Sorted(slices.Values(weakened.overruled)), slices.Sorted(slices.Values(weakened.unchecked))
}
