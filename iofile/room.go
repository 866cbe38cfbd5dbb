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

// roomFor returns n bytes. A sparse file easily is larger than all memory, and
// running out of that cannot be survived: the system hands out more than it has,
// and kills the process when it is used. So what is there is looked at first.
func roomFor(n int64) (p []byte, err error) {
	if err := roomIn(n); err != nil {
		return nil, err
	}
	defer func() { // of make, where less can be addressed than is there
		if r := recover(); r != nil {
			err = broken(ErrNoMem, "REP-INT-02", "no room for the %d bytes of the file (%v); read it in parts", n, r)
		}
	}()
	return make([]byte, n), nil
}

// roomIn reports that there is no room for n bytes.
func roomIn(n int64) error {
	const small = 64 << 20 // is not worth looking
	if n > small {
		if most := freeMemory(); n > most {
			return broken(ErrNoMem, "IO-DA-16", "there are %d bytes to read and there is room for %d; read them in parts", n, most)
		}
	}
	return nil
}

// freeMemory returns how many bytes this process may still use, as far as it can
// tell: by what the Go runtime is limited to, and on Linux by what the machine
// and the control group have left. Where addresses have 32 bits they are what runs out.
func freeMemory() int64 {
	const unknown = 4 << 30 // for systems that do not say
	most := min(debug.SetMemoryLimit(-1), math.MaxInt)
	if strconv.IntSize == 32 { // half of what can be addressed: the other half is not in one piece
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

// numberIn reads a file that is one number; -1 if it is not.
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
