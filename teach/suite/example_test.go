package suite_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/commworld/commworld/teach/suite"
)

// A tool is scored by what it says of bad programs and of their correct twins.
func Example() {
	var claims []suite.Claim
	for _, program := range []string{"barrier-only/bad", "barrier-only/clean"} {
		name, half, _ := suite.Split(program)
		text, err := suite.Text(name, half)
		if err != nil {
			fmt.Println(err)
			return
		}
		found, err := suite.Detect(context.Background(), program, text, false)
		if err != nil {
			fmt.Println(err)
			return
		}
		claims = append(claims, found...)
	}
	for _, c := range claims {
		fmt.Println(c.Program, c.Kind)
	}
	for line := range strings.Lines(suite.Score(claims).String()) {
		if strings.HasPrefix(line, "clean programs") {
			fmt.Print(line)
		}
	}
	// Output:
	// barrier-only/bad race
	// barrier-only/clean none
	// clean programs  0 of 1 accused
}

// The C and Go programs of the corpus are generated from its scripts.
func ExampleProgram() {
	text, err := suite.Program("barrier-only", suite.Bad, suite.C)
	fmt.Println(strings.Contains(text, "MPI_File_write_at("), err)
	// Output: true <nil>
}
