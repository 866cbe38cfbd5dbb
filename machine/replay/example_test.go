package replay_test

import (
	"context"
	"fmt"
	"os"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/replay"
)

// A job's trace is replayed as it was, and with collective buffering.
func Example() {
	file, err := os.Open("../../examples/header.dxt.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	t, err := replay.ReadDXT("header.dxt.txt", file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, way := range []replay.Way{replay.AsItWas, replay.Collective} {
		w, err := t.Workload(way, replay.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := machine.Run(context.Background(), machine.Lustre(8, 1<<20), w.Program(), way.Options())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %d requests\n", way, report.Requests())
	}
	// Output:
	// as it was: 128 requests
	// with collective buffering: 8 requests
}
