package course

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/commworld/commworld/teach/exercise"
)

const modulePath = "github.com/commworld/commworld"

// Start writes the exercise of the lesson into dir as a module of its own, with a README.
// dir must not exist, or be empty. clone is the folder of a clone of this module; if it is
// empty, Start looks for one above the current folder, then for the one that this program
// was built in; without a clone the module requires the released version of this program. A
// folder of the module cache is not a clone: no other machine has it.
func (l *Lesson) Start(ctx context.Context, dir, clone string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: give a new folder", dir)
	}
	mark := l.MarkCommand(dir, clone)
	if clone == "" {
		clone = cmp.Or(cloneAbove("."), Source())
		if released(clone) != "" {
			clone = ""
		}
	} else if err := checkClone(clone); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all := map[string][]byte{"README.md": []byte(l.readme(mark))}
	all["main.go"] = []byte(l.read("skeleton/main.go"))
	if text, err := l.Script(); err == nil {
		all[l.scriptFile()] = []byte(text)
	}
	tidy := clone == ""
	if !tidy {
		if all["go.mod"], all["go.sum"], err = moduleFiles(l.module(), clone); err != nil {
			return err
		}
	} else if all["go.mod"], err = releasedModule(l); err != nil {
		return err
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	if tidy {
		return goModTidy(ctx, dir)
	}
	return nil
}

// MarkCommand returns the command that marks the exercise that [Lesson.Start] wrote into dir,
// to be given in dir. It names the clone if mark would not find it: one that was passed to
// Start, or one that is neither above dir nor the one that this program was built in.
func (l *Lesson) MarkCommand(dir, clone string) string {
	flag := clone
	if above := cloneAbove("."); clone == "" && Source() == "" && above != cloneAbove(dir) {
		flag = above
	}
	if flag != "" {
		flag = " --clone " + shellWord(flag)
	}
	return fmt.Sprintf("commworld course mark %02d%s .", l.Number, flag)
}

// shellWord quotes a path that a shell would split or expand.
func shellWord(name string) string {
	if strings.ContainsAny(name, " \t\"'`$&|;<>()*?[]#~!{}") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// readme returns the task, with instructions for running and marking it.
func (l *Lesson) readme(mark string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Lesson %02d. %s\n\n%s\n\n## Run and mark\n\n    go run .\n    %s\n", l.Number, l.Title, l.Task(), mark)
	fmt.Fprintf(&b, "\n`commworld course show %02d` shows the page of the lesson. `commworld check .` runs the program with every check on.\n", l.Number)
	if e, err := exercise.Find(l.Name); err == nil {
		fmt.Fprintf(&b, "\n`%s` is an exercise for a rank script; either may be submitted. Run it by\n`commworld run --explore %[1]s`, mark it by `commworld course mark %02[2]d %[1]s`.\n\n%[3]s\n", l.scriptFile(), l.Number, e.Task)
	}
	return b.String()
}

// module returns the name of the student's module.
func (l *Lesson) module() string { return fmt.Sprintf("lesson%02d", l.Number) }

// moduleFiles returns the go.mod of a module that uses the clone, and its go.sum. They list all
// modules that the clone requires, so that the go command needs no network.
func moduleFiles(module, clone string) (mod, sum []byte, err error) {
	theirs, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil {
		return nil, nil, err
	}
	sum, err = os.ReadFile(filepath.Join(clone, "go.sum"))
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n", module)
	inside := false
	for line := range strings.Lines(string(theirs)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "go":
			fmt.Fprintf(&b, "\n%s\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n\nrequire (\n", line, modulePath, quotedPath(clone))
		case words[0] == "require" && words[1] == "(":
			inside = true
		case words[0] == ")":
			inside = false
		case words[0] == "require":
			fmt.Fprintf(&b, "\t%s %s // indirect\n", words[1], words[2])
		case inside:
			fmt.Fprintf(&b, "\t%s %s // indirect\n", words[0], words[1])
		}
	}
	b.WriteString(")\n")
	return b.Bytes(), sum, nil
}

// quotedPath returns a path in the syntax of go.mod.
func quotedPath(name string) string {
	if strings.ContainsAny(name, " \t\"'`") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

// releasedModule returns a go.mod that requires the version of this program.
func releasedModule(l *Lesson) ([]byte, error) {
	version := released(Source())
	if info, ok := debug.ReadBuildInfo(); ok && version == "" && info.Main.Path == modulePath {
		version = info.Main.Version
	}
	if version == "" || version == "(devel)" || strings.Contains(version, "+dirty") {
		return nil, fmt.Errorf("this program has no released version: say where a clone of %s is, by --clone DIR", modulePath)
	}
	return fmt.Appendf(nil, "module %s\n\ngo 1.26\n\nrequire %s %s\n", l.module(), modulePath, version), nil
}

// released returns the version in the name of a folder of the module cache, empty for other
// folders.
func released(dir string) string {
	name, version, found := strings.Cut(filepath.Base(dir), "@")
	if !found || name != path.Base(modulePath) {
		return ""
	}
	return version
}

func goModTidy(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy in %s: %w\n%s", dir, err, out)
	}
	return nil
}

// cloneAbove returns dir or the next folder above that is a clone.
func cloneAbove(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for ; !isClone(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return dir
}

// Source returns the folder with the source of this module that this program was built
// from, which is a clone or a folder of the module cache; empty if it is not there any more.
func Source() string {
	_, file, _, ok := runtime.Caller(0)
	if dir := filepath.Dir(filepath.Dir(filepath.Dir(file))); ok && filepath.IsAbs(file) && isClone(dir) {
		return dir
	}
	return ""
}

func checkClone(dir string) error {
	if !isClone(dir) {
		return fmt.Errorf("%s is not a clone of %s: it has no go.mod that says so", dir, modulePath)
	}
	return nil
}

// isClone reports whether dir has the go.mod of this module.
func isClone(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	first, _, _ := strings.Cut(string(text), "\n")
	return err == nil && strings.TrimSpace(first) == "module "+modulePath
}
