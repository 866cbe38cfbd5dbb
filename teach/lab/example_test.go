package lab_test

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// A matrix says which results each consistency model gives; a barrier alone publishes nothing.
func Example() {
	s, err := script.Parse(`
ranks 2
file f = 00*4
all: open h f rdwr
0: write_at h 0 int 5
all: barrier
1: read_at h 0 int -> x
all: close h
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := lab.NewMatrix(context.Background(), s, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for row := range m.Rows {
		fmt.Println(m.Rows[row].Text, "weakest:", m.Verdict(row, 0), "POSIX:", m.Verdict(row, 3))
	}
	// Output:
	// 1.x = 0, file f = int 5 weakest: yes POSIX: -
	// 1.x = 5, file f = int 5 weakest: yes POSIX: yes
}
