package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// languages lists the directories of MPICH's tests in Fortran, with what names of their
// sources end in.
var languages = map[string]string{"f77": ".f", "f90": ".f90", "f08": ".f90"}

// languageOf returns the directory of a language that a directory of tests is in, such as f90
// for f90/io; "" for C.
func languageOf(dir string) string {
	for _, part := range strings.Split(filepath.ToSlash(dir), "/") {
		if languages[part] != "" {
			return part
		}
	}
	return ""
}

// mangled says how Fortran names the procedures that C calls.
const mangled = "\n#define F77_NAME_LOWER_USCORE 1\n#define F77_NAME_LOWER_USCORE_ 1\n"

// prepareFortran makes in a directory what configure and make would: the headers of
// declarations, and sources that MPICH makes of templates. It returns the directory.
func (s *suite) prepareFortran(dir, language string) (string, error) {
	made := filepath.Join(s.work, "made", dir)
	if _, err := os.Stat(made); err == nil {
		return made, nil
	}
	if err := os.MkdirAll(made, 0o755); err != nil {
		return "", err
	}
	// Sources in C include ../../include/mpitestconf.h.
	include := filepath.Join(made, "../../include")
	if err := os.MkdirAll(include, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(include, "mpitestconf.h"), []byte(config+mangled), 0o644); err != nil {
		return "", err
	}
	headers, err := filepath.Glob(filepath.Join(s.src, "f77", "*", "*.h.in"))
	if err != nil {
		return "", err
	}
	integers := strings.NewReplacer("@F77_MPI_ADDRESS@", "integer*8", "@F77_MPI_OFFSET@", "integer*8")
	for _, name := range headers {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		name = filepath.Join(made, strings.TrimSuffix(filepath.Base(name), ".in"))
		if err := os.WriteFile(name, []byte(integers.Replace(string(text))), 0o644); err != nil {
			return "", err
		}
	}
	source := dir
	if language == "f90" { // whose sources are made of those of f77
		source = strings.Replace(dir, "f90", "f77", 1)
	}
	if _, err := os.Stat(filepath.Join(s.src, source, "ioharness.defn")); err != nil {
		return made, nil
	}
	if err := s.merge(filepath.Join(s.src, source), made); err != nil || source == dir {
		return made, err
	}
	return made, s.perl(made, filepath.Join(s.src, "maint/f77tof90"), made, made, "Makefile.am", "Makefile.ap")
}

// merge makes programs of a template and its definitions.
func (s *suite) merge(source, made string) error {
	text, err := os.ReadFile(filepath.Join(s.src, "maint/testmerge.in"))
	if err != nil {
		return err
	}
	script := filepath.Join(made, "testmerge")
	if err := os.WriteFile(script, bytes.Replace(text, []byte("@PERL@"), []byte("perl"), 1), 0o644); err != nil {
		return err
	}
	return s.perl(made, script, "-defn="+filepath.Join(s.src, "maint/common.defn"), filepath.Join(source, "ioharness.defn"), filepath.Join(source, "ioharness.tlt"))
}

func (s *suite) perl(dir string, args ...string) error {
	cmd := exec.Command("perl", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("perl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// buildFortran makes the program of a test in Fortran, or in C and Fortran.
func (s *suite) buildFortran(dir, language, makefile, name, program string) error {
	made, err := s.prepareFortran(dir, language)
	if err != nil {
		return err
	}
	names := []string{name + languages[language]}
	if m := regexp.MustCompile(`(?m)^(?:nodist_)?` + regexp.QuoteMeta(name) + `_SOURCES\s*=\s*(.*)$`).FindStringSubmatch(makefile); m != nil {
		names = strings.Fields(m[1])
	}
	helper := filepath.Join(made, "mtest.o")
	if _, err := os.Stat(helper); err != nil {
		if err := s.fortran(made, "-c", filepath.Join(s.src, "util", "mtest_"+language+languages[language]), "-o", helper); err != nil {
			return err
		}
	}
	args, inC := []string{"-o", program, "-I" + made, "-I" + filepath.Join(s.src, dir)}, true
	for _, n := range names {
		path := filepath.Join(s.src, dir, n)
		for _, other := range []string{filepath.Join(made, n), filepath.Join(s.src, "f77", filepath.Base(dir), n), filepath.Join(s.src, "f90", filepath.Base(dir), n)} {
			if _, err := os.Stat(path); err == nil {
				break
			}
			path = other
		}
		args, inC = append(args, path), inC && strings.HasSuffix(n, ".c")
	}
	if inC {
		return s.fortran(made, append(args, s.objects...)...)
	}
	return s.fortran(made, append(args, helper)...)
}

// fortran runs the compiler in a directory, where it puts modules.
func (s *suite) fortran(dir string, args ...string) error {
	cmd := exec.Command("commworldfort", append([]string{"-w", "-O1", "-I" + s.work, "-I" + s.work + "/include", "-I" + s.src + "/include"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
