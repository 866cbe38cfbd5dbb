//go:build !js

package iofile

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// freeMemory returns how many bytes this process may still use, as far as it knows: by
// the limit of the Go runtime and, on Linux, by the free memory of the machine and of the
// control group. With addresses of 32 bits, it is limited by the addresses.
func freeMemory() int64 {
	const unknown = 4 << 30 // for systems that do not say
	most := min(debug.SetMemoryLimit(-1), math.MaxInt)
	if strconv.IntSize == 32 { // half of the addresses: the other half is not contiguous
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(0, min(most, math.MaxInt32-int64(m.Sys)))
	}
	machine := int64(unknown)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for in := bufio.NewScanner(bytes.NewReader(text)); in.Scan(); {
			if f := strings.Fields(in.Text()); len(f) > 1 && f[0] == "MemAvailable:" {
				if kib, err := strconv.ParseInt(f[1], 10, 53); err == nil {
					machine = kib << 10
				}
			}
		}
	}
	limit, used := numberIn("/sys/fs/cgroup/memory.max"), numberIn("/sys/fs/cgroup/memory.current")
	if limit >= 0 && used >= 0 {
		machine = min(machine, max(0, limit-used))
	}
	return min(most, machine)
}

// numberIn returns the number in a file that contains only a number; -1 for others.
func numberIn(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
