// Package dropped is the list of calls of MPI whose results a program drops, which
// commworldcc puts into a section of the program and package c reads.
package dropped

import (
	"fmt"
	"strconv"
	"strings"
)

// Section is the name of the section.
const Section = ".commworld.dropped"

// A Call is a call whose result is dropped.
type Call struct {
	File         string // its full path
	Line, Column int    // Column is 0 if it is unknown
	Function     string // such as MPI_File_open; empty if it is unknown
}

// Assembly returns C source that puts the calls into the section. The linker joins the
// sections of several files.
func Assembly(all []Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "__asm__(\".pushsection %s,\\\"\\\",%%progbits\\n\"\n", Section)
	for _, c := range all {
		line := fmt.Sprintf("%d\t%d\t%s\t%s\n", c.Line, c.Column, c.Function, c.File)
		b.WriteString("\".byte ")
		for i := range len(line) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(int(line[i])))
		}
		b.WriteString("\\n\"\n")
	}
	b.WriteString("\".popsection\\n\");\n")
	return b.String()
}

// Parse returns the calls of a section.
func Parse(section []byte) (all []Call) {
	for line := range strings.Lines(string(section)) {
		f := strings.SplitN(strings.Trim(line, "\n\x00"), "\t", 4)
		if len(f) != 4 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		column, wrong := strconv.Atoi(f[1])
		if err == nil && wrong == nil {
			all = append(all, Call{File: f[3], Line: n, Column: column, Function: f[2]})
		}
	}
	return all
}
