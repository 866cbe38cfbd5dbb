package machine_test

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
)

// 64 ranks write the blocks of one matrix with a collective call, without and with the two phases
// of ROMIO. What counts are requests and ratios, not seconds.
func Example() {
	w, err := pattern.Parse("blocks -w --shape 4096x4096", 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	var seconds []float64
	for _, s := range []strategy.Strategy{strategy.Direct{}, strategy.ROMIO} {
		report, err := machine.Run(context.Background(), machine.Lustre(8, 1<<20), w.Program(), machine.Options{Strategy: s})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.Requests(), "requests,", report.Bytes()>>20, "MiB")
		seconds = append(seconds, report.Seconds)
	}
	fmt.Println("two phases are faster:", seconds[1] < seconds[0])
	// Output:
	// 32768 requests, 128 MiB
	// 128 requests, 128 MiB
	// two phases are faster: true
}
