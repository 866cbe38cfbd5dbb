package peers

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// Conditions prints what figures of a benchmark depend on besides the code: the
// machine, how busy it is, the versions of Go and of the libraries beside it.
func Conditions(w io.Writer, libs ...*Peer) {
	fmt.Fprintf(w, "%s, %d CPUs, load average %s\n%s %s/%s\n", cpu(), runtime.NumCPU(), Load(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, p := range libs {
		fmt.Fprintln(w, p.Library().Name+":", strings.Join(strings.Fields(p.Version()), " "))
	}
}

// cpu returns the processor's name, where the system tells.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, "\t :\n")
		}
	}
	return runtime.GOARCH
}

// Load returns the load averages of 1, 5 and 15 minutes, where the system
// tells.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}
