//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "frame.h"
#include "process/mailbox.h"
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/errclass"
)

// An object is a part of a file that a process has mapped.
type object struct {
	low, high, offset uint64
	executable        bool
	path              string
	table             *lineTable // nil: not read, or not an object file
}

// readObjects reads what the process has mapped now.
func (p *process) readObjects() {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.pid))
	if err != nil {
		return
	}
	p.objects = p.objects[:0]
	for line := range strings.Lines(string(text)) {
		var o object
		var mode, device string
		var inode uint64
		n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &o.low, &o.high, &mode, &o.offset, &device, &inode)
		if n < 6 {
			continue
		}
		if i := strings.IndexAny(line, "/["); i >= 0 {
			o.path = strings.TrimSuffix(line[i:], "\n")
		}
		o.executable = strings.Contains(mode, "x")
		p.objects = append(p.objects, o)
	}
}

// object returns what is mapped at an address, nil if nothing is.
func (p *process) object(address uint64) *object {
	for range 2 {
		for i := range p.objects {
			if o := &p.objects[i]; address >= o.low && address < o.high {
				return o
			}
		}
		p.readObjects() // it may have been loaded since
	}
	return nil
}

// tableOf returns the lines of a file, nil if it is not an object file.
func (p *Program) tableOf(path string) *lineTable {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, known := p.tables[path]
	if !known {
		t, _ = newLineTable(path) // nil if it is not an object file
		if t != nil && strings.HasSuffix(path, libraryName) {
			t = nil // its lines are not the program's
		}
		if p.tables == nil {
			p.tables = map[string]*lineTable{}
		}
		p.tables[path] = t
	}
	return t
}

// locate returns the lines of the file that has the code at an address, and its address there.
func (p *process) locate(address uint64) (t *lineTable, in uint64) {
	o := p.object(address)
	if o == nil || !strings.HasPrefix(o.path, "/") {
		return nil, 0
	}
	if t = p.program.tableOf(o.path); t == nil {
		return nil, 0
	}
	return t, t.addressOf(address - o.low + o.offset)
}

// frame returns the function and line before a return address; false if unknown.
func (p *process) frameAt(address uint64) (f runtime.Frame, ok bool) {
	if t, in := p.locate(address - 1); t != nil {
		t.once.Do(t.read)
		return t.frame(in)
	}
	return f, false
}

// chain returns the line of the innermost of some return addresses, with those that led to it.
func (p *process) chain(addresses []uint64) *errclass.Place {
	var frames []runtime.Frame
	for _, a := range addresses {
		f, ok := p.frameAt(a)
		if !ok {
			if len(frames) == 0 {
				continue // a library between MPI and the program
			}
			break
		}
		frames = append(frames, f)
	}
	place := errclass.PlaceOf(frames)
	return &place
}

// interrupted finds the lines at which the process was interrupted: of its registers, or if
// a library was, of the first address on the stack to which code with lines returns.
func (p *process) interrupted(f *frame) {
	for i := range f.lines {
		f.lines[i] = 0
	}
	n := 0
	add := func(address uint64) {
		if n < len(f.lines) {
			f.lines[n] = C.uintptr_t(address)
			n++
		}
	}
	sp, fp := uint64(p.box.stack), uint64(p.box.frame)
	if p.box.event == C.EVENT_SIGNAL && p.overflows(uint64(p.box.address), sp) {
		f.full, f.guard, f.size = 1, 0, C.size_t(stackLimit())
	}
	add(uint64(p.box.counter) + 1)
	if _, ok := p.frameAt(uint64(p.box.counter) + 1); !ok {
		n = 0
		stack := make([]byte, mostScanned)
		have := len(stack)
		if err, short := p.read(int64(sp), stack).(unmapped); short {
			have = max(int(err.address-int64(sp)), 0)
		}
		words := unsafe.Slice((*uint64)(unsafe.Pointer(&stack[0])), have/8)
		for i, w := range words {
			if o := p.known(w); o == nil || !o.executable {
				continue
			}
			if _, ok := p.frameAt(w); !ok {
				continue
			}
			add(w)
			// The frame of the caller may have been saved below its address.
			at := sp + 8*uint64(i)
			for _, saved := range append([]uint64{fp}, words[:i]...) {
				if saved > at && saved < sp+uint64(have) && saved%8 == 0 {
					fp = saved
					break
				}
				fp = 0
			}
			break
		}
	}
	for n < len(f.lines) && fp != 0 && fp%8 == 0 {
		var two [2]uint64
		if p.read(int64(fp), unsafe.Slice((*byte)(unsafe.Pointer(&two[0])), 16)) != nil {
			break
		}
		if two[1] == 0 {
			break
		}
		add(two[1])
		if two[0] <= fp {
			break
		}
		fp = two[0]
	}
}

// mostScanned bounds the part of a stack that is looked through.
const mostScanned = 64 << 10

// known returns what was mapped at an address when the map was read last.
func (p *process) known(address uint64) *object {
	for i := range p.objects {
		if o := &p.objects[i]; address >= o.low && address < o.high {
			return o
		}
	}
	return nil
}

// overflows reports whether an address that was touched is in the guard below the stack.
func (p *process) overflows(address, sp uint64) bool {
	const guard = 1 << 30
	p.readObjects()
	for i := range p.objects {
		if o := &p.objects[i]; o.path == "[stack]" {
			return address < o.low && address+guard >= o.low && sp < o.high && sp+guard >= o.low
		}
	}
	return false
}

func stackLimit() int64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &l) != nil || l.Cur > 1<<40 {
		return 0
	}
	return int64(l.Cur)
}
