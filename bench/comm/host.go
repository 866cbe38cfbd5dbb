package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// conditions prints what the figures depend on besides the code.
func conditions(w io.Writer) {
	fmt.Fprintf(w, "%s, %d CPUs, load average %s\n%s %s/%s\n", cpu(), runtime.NumCPU(), load(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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

// load returns the load averages of 1, 5 and 15 minutes, where the system
// tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}
