package course

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/commworld/commworld/internal/show/child"
)

var errBuildTime = errors.New("building takes too long")

// build builds the submission in dir and returns the program, empty if it does not build.
// said is the output of the go command.
func (l *Lesson) build(ctx context.Context, dir, tmp string, limits Limits) (prog, said string, err error) {
	limits = limits.orDefault()
	flags, err := l.moduleFlags(dir, tmp, limits.Clone)
	if err != nil {
		return "", "", err
	}
	ctx, stop := context.WithTimeoutCause(ctx, limits.Build, errBuildTime)
	defer stop()
	var errs bytes.Buffer
	prog, err = child.Build(ctx, dir, tmp, &errs, flags...)
	switch {
	case errors.Is(err, errBuildTime):
		return "", fmt.Sprintf("the go command was ended after %v", limits.Build), nil
	case errors.Is(err, child.ErrLibrary):
		return "", "its package is a library: a program begins with package main and has a function main", nil
	}
	return prog, strings.TrimSpace(errs.String()), err
}

// moduleFlags returns flags of the go command that replace the go.mod and go.sum of a
// submission by our own: a student's go.mod names a folder of the student's machine, whose
// files may have been changed. A folder of the clone itself keeps them, and so does a
// submission if there is no clone. The error is a [refusal] for source that is not allowed.
func (l *Lesson) moduleFlags(dir, tmp, clone string) ([]string, error) {
	if clone != "" {
		if err := checkClone(clone); err != nil {
			return nil, err
		}
	}
	clone = cmp.Or(clone, Source(), cloneAbove("."))
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, module := l.moduleOf(dir, clone)
	source, err := sourceOf(dir, root, module, sameFolder(root, clone))
	if err != nil {
		return nil, err
	}
	replace, err := source.worldFirst(tmp)
	if err != nil {
		return nil, err
	}
	if clone == "" || source.clone {
		overlay, err := writeOverlay(tmp, replace)
		if clone == "" && replaces(modText(root)) {
			err = &refusal{"go.mod", "go.mod replaces " + modulePath + " by a folder, and a submission is marked with your own copy of commworld only: give --clone DIR, the folder of a clone of its repository"}
		}
		return []string{overlay}, err
	}
	mod, sum, err := moduleFiles(module, clone)
	if err != nil {
		return nil, err
	}
	for file, text := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		ours := filepath.Join(tmp, file)
		if err := os.WriteFile(ours, text, 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(root, file)] = ours
	}
	overlay, err := writeOverlay(tmp, replace)
	return []string{"-mod=readonly", overlay}, err
}

// replaces reports whether a go.mod replaces this module.
func replaces(mod string) bool {
	for line := range strings.Lines(mod) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "replace ")
		if old, _, is := strings.Cut(line, "=>"); is && len(strings.Fields(old)) > 0 && strings.Trim(strings.Fields(old)[0], "\"`(") == modulePath {
			return true
		}
	}
	return false
}

// moduleOf returns the folder and the name of the module that dir belongs to: the clone, or
// the nearest go.mod that is in dir itself or requires this module; otherwise dir itself.
func (l *Lesson) moduleOf(dir, clone string) (root, name string) {
	for root = dir; ; root = filepath.Dir(root) {
		text := modText(root)
		name = moduleName(text)
		switch {
		case sameFolder(root, clone):
			return root, name
		case name == "" && root != filepath.Dir(root):
			continue
		case name != "" && name != modulePath && !strings.HasPrefix(name, modulePath+"/") && (root == dir || strings.Contains(text, modulePath)):
			return root, name
		}
		return dir, l.module()
	}
}

// modText returns the go.mod of a folder, empty if it has none.
func modText(dir string) string {
	name := filepath.Join(dir, "go.mod")
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// moduleName returns the module of a go.mod, empty if it names none.
func moduleName(mod string) string {
	for line := range strings.Lines(mod) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "module" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}

func sameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
