package pattern_test

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/machine/pattern"
)

// A pattern is carried out with real bytes on any file system, and checks every byte that it
// reads.
func Example() {
	w, err := pattern.Parse("ior -w -r -t 4k -b 8k -s 2", 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fsys := iofile.NewMem()
	fmt.Println(w.Name, w.Run(context.Background(), fsys, nil))
	// Output: ior -w -r -t 4k -b 8k -s 2 <nil>
}
