//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "frame.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

const positionSize = int(unsafe.Sizeof(C.struct_position{}))

// positions returns the memory of [Options.Record].
func (p *Program) positions() []C.struct_position {
	return unsafe.Slice((*C.struct_position)(unsafe.Pointer(unsafe.SliceData(p.Record))), len(p.Record)/positionSize)
}

// position returns where a rank notes its last call, nil if nowhere.
func (p *Program) position(rank int) *C.struct_position {
	if all := p.positions(); rank < len(all) {
		return &all[rank]
	}
	return nil
}

// LastCalls returns the last call of each rank that [Options.Record] has, of a process that
// ran the program and may be gone.
func (p *Program) LastCalls() []LastCall {
	var all []LastCall
	for rank, at := range p.positions() {
		if at.used == 0 {
			continue
		}
		l := LastCall{Rank: rank, Inside: at.inside != 0, Signal: syscall.Signal(at.signal)}
		var addresses []uint64
		for _, a := range at.lines {
			if a == 0 {
				break
			}
			addresses = append(addresses, uint64(a))
		}
		if at.function >= 0 {
			l.Function = functions[at.function].name
		}
		if len(addresses) > 0 && p.lines != nil {
			l.Place = *p.lines.chain(addresses)
		}
		all = append(all, l)
	}
	return all
}
