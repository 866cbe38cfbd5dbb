package measure

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// Conditions prints the conditions besides the code that affect figures: the machine, its
// load, and the version of Go.
func Conditions(w io.Writer) {
	fmt.Fprintf(w, "%s, %d CPUs, load average %s\n%s %s/%s\n", cpu(), runtime.NumCPU(), Load(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// cpu returns the processor's name, or its architecture where the system gives no name.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, "\t :\n")
		}
	}
	return runtime.GOARCH
}

// Load returns the load averages of 1, 5 and 15 minutes, where the system has them.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}
