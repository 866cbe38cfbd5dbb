//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/errclass"
)

// The memory of a rank that is a process. Its addresses have a number here that says whose they
// are: the addresses of user code are below 1<<47, and no handle has the highest bit set that
// such an address has. What a call looks at is copied to the same place of a range that is
// reserved for it, so that memory which two arguments share stays shared; what the call has
// changed is copied back before it returns.
const (
	addressBits = 48
	remoteBit   = 1 << 62
	mostRemote  = 1 << (62 - addressBits)
	slotSize    = 1 << 34 // of reserved ranges
)

// views has the memory of each rank that is a process, by the number in its addresses.
var views struct {
	sync.RWMutex
	list []*view
	free []int
}

// A view is what the launcher has of the memory of a process.
type view struct {
	tag     int64 // the bits of its addresses that say whose they are
	process *process

	slots    map[int64]uintptr // reserved ranges, by address / slotSize
	ranges   []*fetched        // of the call
	pinned   []*fetched        // of operations under way, and of calls that have called the program
	resident int64             // bytes copied into slots
	writable func(address int64) bool
	failed   error    // writing back has failed
	keeps    bool     // copies are never given back
	extra    [][]byte // mapped for copies that are not in slots
}

// A fetched is memory of a process that was copied.
type fetched struct {
	address int64 // in the process
	local   []byte
	base    []byte // what it has in the process; nil if the call does not write it
	dense   bool   // all of its bytes may be written
	buffer  bool   // of a message or a file access, which an operation under way needs
	open    bool   // of an operation under way
	checked bool   // and what the program writes there meanwhile is compared
}

func newView(p *process) (*view, error) {
	views.Lock()
	defer views.Unlock()
	v := &view{process: p, slots: map[int64]uintptr{}}
	n := len(views.free)
	i := len(views.list)
	switch {
	case n > 0:
		i, views.free = views.free[n-1], views.free[:n-1]
		views.list[i] = v
	case i < mostRemote:
		views.list = append(views.list, v)
	default:
		return nil, fmt.Errorf("%d processes are ranks already, and more are not possible", mostRemote)
	}
	v.tag = remoteBit | int64(i)<<addressBits
	return v, nil
}

// close gives up the memory. No rank may use it any more.
func (v *view) close() {
	views.Lock()
	defer views.Unlock()
	i := int(v.tag &^ remoteBit >> addressBits)
	views.list[i] = nil
	views.free = append(views.free, i)
	for _, start := range v.slots {
		_ = unix.MunmapPtr(pointer(int64(start)), slotSize)
	}
	for _, b := range v.extra {
		_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)))
	}
}

// viewOf returns the memory that an address is of, nil if it is this process's own.
func viewOf(address int64) *view {
	if address&remoteBit == 0 || address < 0 {
		return nil
	}
	views.RLock()
	defer views.RUnlock()
	if i := int(address &^ remoteBit >> addressBits); i < len(views.list) {
		return views.list[i]
	}
	return nil
}

// plain returns an address as the program has it.
func plain(address int64) int64 {
	if viewOf(address) != nil {
		return address & (1<<addressBits - 1)
	}
	return address
}

// tagged returns an address of the rank's program with the number of its memory. Addresses of the
// first page are none.
func (v *view) tagged(address int64) int64 {
	if v == nil || address < predefined || address >= 1<<(addressBits-1) {
		return address
	}
	return address | v.tag
}

// own returns an address that may not have the number of the memory yet with it.
func (v *view) own(address int64) int64 {
	if address&^(1<<addressBits-1) == v.tag {
		return address
	}
	tagged := v.tagged(address)
	if tagged == address {
		panic(unmapped{address})
	}
	return tagged
}

// An unmapped is the panic of an access to memory that the process does not have.
type unmapped struct{ address int64 }

func (u unmapped) Error() string { return fmt.Sprintf("no memory at address %#x", uint64(u.address)) }

func (u unmapped) Addr() uintptr { return uintptr(u.address) }

// memory returns the n bytes of C's memory at an address, for the call that asks.
func memory(address, n int64) unsafe.Pointer {
	v := viewOf(address)
	if v == nil {
		return pointer(address)
	}
	return unsafe.Pointer(unsafe.SliceData(v.get(plain(address), n, true, true, false)))
}

// buffer returns the n bytes of C's memory at an address, where data of a message or a file
// access are. dense reports whether all bytes are data; from is the argument that led to them.
func buffer(address, n int64, dense bool, from int64) []byte {
	v := viewOf(address)
	if v == nil || n <= 0 {
		return at[byte](address, n)
	}
	return v.get(plain(address), n, v.writable == nil || v.writable(from), dense, true)
}

// get returns a copy of memory of the process.
func (v *view) get(address, n int64, writes, dense, isBuffer bool) []byte {
	if b := v.process.shared(address, n); b != nil {
		return b
	}
	for _, f := range v.ranges {
		if off := address - f.address; off >= 0 && off+n <= int64(len(f.local)) && (f.base != nil || !writes) {
			f.buffer = f.buffer || isBuffer
			return f.local[off : off+n : off+n]
		}
	}
	f := &fetched{address: address, local: v.place(address, n), dense: dense, buffer: isBuffer}
	read := v.process.read
	if !dense {
		read = v.process.readMapped
	}
	open := v.opened(f)
	there := f.local
	if len(open) > 0 {
		there = make([]byte, n)
	}
	if err := read(address, there); err != nil {
		panic(err)
	}
	v.adopt(f, there, open, writes)
	v.ranges = append(v.ranges, f)
	return f.local
}

// adopt gives f what the process has there, which f.local is if open, the operations under way
// whose copies it shares bytes with, is empty.
func (v *view) adopt(f *fetched, there []byte, open []*fetched, writes bool) {
	if len(open) > 0 {
		next := int64(0) // what is before it has been copied
		for _, o := range open {
			low := max(o.address-f.address, 0)
			if low > next {
				copy(f.local[next:low], there[next:low])
			}
			end := min(o.end()-f.address, int64(len(there)))
			if low < end {
				o.merge(f.address+low, there[low:end])
			}
			next = max(next, end)
		}
		copy(f.local[next:], there[next:])
	}
	if writes {
		f.base = bytes.Clone(there)
	}
}

// opened returns the operations under way whose copies have bytes of f at the same place, in the
// order of their addresses.
func (v *view) opened(f *fetched) (all []*fetched) {
	for _, o := range v.pinned {
		if o.overlaps(f.address, int64(len(f.local))) && unsafe.SliceData(o.local) == (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.local)), o.address-f.address)) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *fetched) int { return cmp.Compare(a.address, b.address) })
	return all
}

func (f *fetched) end() int64 { return f.address + int64(len(f.local)) }

func (f *fetched) overlaps(address, n int64) bool { return address < f.end() && f.address < address+n }

// merge adopts the bytes that the process has at an address of f, where the program has changed
// them. Data that have come for f since stay.
func (f *fetched) merge(address int64, there []byte) {
	low := address - f.address
	before := f.local[low : low+int64(len(there))]
	if f.base != nil {
		before = f.base[low : low+int64(len(there))]
	}
	if bytes.Equal(before, there) {
		return
	}
	local := f.local[low:]
	for i, b := range there {
		if before[i] != b {
			before[i], local[i] = b, b
		}
	}
}

// place returns where a copy goes: to its place in a reserved range, or elsewhere if that is not
// possible, or a call that has called the program has a copy of a part of it there.
func (v *view) place(address, n int64) []byte {
	for _, f := range v.pinned {
		if f.overlaps(address, n) && !f.open {
			return v.elsewhere(n)
		}
	}
	for _, f := range v.ranges {
		if f.overlaps(address, n) {
			v.writeBack([]*fetched{f}) // the copy replaces it, too
		}
	}
	start := v.slot(address/slotSize, (address+n-1)/slotSize)
	if start == 0 {
		return v.elsewhere(n)
	}
	v.resident += n
	return unsafe.Slice((*byte)(pointer(int64(start)+address%slotSize)), n)
}

// elsewhere returns memory for a copy that cannot be at its place.
func (v *view) elsewhere(n int64) []byte {
	if n <= mostResident {
		return make([]byte, n)
	}
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		panic(bad{&errclass.Error{Pkg: "c", Rank: v.process.rank, Class: errclass.NoMem, Err: fmt.Errorf("no addresses for a copy of %d bytes of the process: %w", n, err)}})
	}
	v.extra = append(v.extra, unsafe.Slice((*byte)(p), n))
	return v.extra[len(v.extra)-1]
}

// slot returns where the reserved ranges of some slots begin, 0 if they are not one range.
func (v *view) slot(first, last int64) uintptr {
	start := v.slots[first]
	for i := first; i <= last; i++ {
		if have := v.slots[i]; (have == 0) != (start == 0) || have != 0 && have != start+uintptr(i-first)*slotSize {
			return 0
		}
	}
	if start != 0 {
		return start
	}
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(last-first+1)*slotSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return 0
	}
	for i := first; i <= last; i++ {
		v.slots[i] = uintptr(p) + uintptr(i-first)*slotSize
	}
	return uintptr(p)
}

// flush copies back what the call has changed. It forgets what the call has looked at, unless the
// call goes on.
func (v *view) flush(goesOn bool) {
	v.writeBack(v.ranges)
	for _, f := range v.pinned {
		if f.checked && f.base != nil && !bytes.Equal(f.local, f.base) {
			v.compare(f) // before the data that have come replace it
		}
	}
	v.writeBack(v.pinned)
	if goesOn {
		return
	}
	clear(v.ranges)
	v.ranges = v.ranges[:0]
	v.shrink()
}

// mostResident bounds the memory of copies that no one needs any more.
const mostResident = 64 << 20

// shrink gives memory back to the system.
func (v *view) shrink() {
	if v.resident <= mostResident || len(v.pinned) > 0 || v.keeps {
		return
	}
	for _, start := range v.slots {
		_ = unix.Madvise(unsafe.Slice((*byte)(pointer(int64(start))), slotSize), unix.MADV_DONTNEED)
	}
	for _, b := range v.extra {
		_ = unix.Madvise(b, unix.MADV_DONTNEED)
	}
	v.resident = 0
}

// suspend sets aside what a call has looked at while it has the program call a function, which may
// call MPI and look at the same memory. resume returns to the call.
func (v *view) suspend() (resume func()) {
	if v == nil {
		return func() {}
	}
	v.flush(true)
	outer := v.ranges
	v.pinned = append(v.pinned, outer...)
	v.ranges = nil
	return func() {
		v.unpin(outer)
		v.ranges = outer
	}
}

// pin keeps the buffers of the call for an operation under way. If checked is set, what the program
// writes there meanwhile is compared.
func (v *view) pin(checked bool) (pins []*fetched) {
	if v == nil {
		return nil
	}
	v.ranges = slices.DeleteFunc(v.ranges, func(f *fetched) bool {
		if f.buffer {
			f.open, f.checked = true, checked
			pins = append(pins, f)
		}
		return f.buffer
	})
	v.pinned = append(v.pinned, pins...)
	return pins
}

// release ends an operation under way, whose buffers go with the call.
func (v *view) release(pins []*fetched) {
	if v == nil || len(pins) == 0 {
		return
	}
	v.unpin(pins)
	for _, f := range pins {
		f.open, f.checked = false, false
	}
	v.ranges = append(v.ranges, pins...)
}

func (v *view) unpin(pins []*fetched) {
	v.pinned = slices.DeleteFunc(v.pinned, func(f *fetched) bool { return slices.Contains(pins, f) })
}

// refresh copies buffers of an operation again: all of them, or those that it does not write.
func (v *view) refresh(pins []*fetched, all bool) {
	if v == nil {
		return
	}
	for _, f := range pins {
		switch {
		case f.base == nil || all:
			if err := v.process.read(f.address, f.local); err != nil {
				panic(err)
			}
			copy(f.base, f.local)
		case f.checked:
			v.compare(f)
		}
	}
}

// compare has what the program has written into the buffer of an operation under way in the copy,
// too, where the checks of the operation find it.
func (v *view) compare(f *fetched) {
	there := make([]byte, len(f.local))
	if v.process.read(f.address, there) == nil { // else gaps are not mapped
		f.merge(f.address, there)
	}
}

// writeBack copies the bytes that have changed to the process.
func (v *view) writeBack(list []*fetched) {
	var local []unix.Iovec
	var remote []unix.RemoteIovec
	send := func() {
		if err := v.process.write(local, remote); err != nil && v.failed == nil {
			v.failed = err
		}
		local, remote = local[:0], remote[:0]
	}
	for _, f := range list {
		if f.base == nil {
			continue
		}
		f.changes(func(low, high int) {
			for high-low > mostBytes {
				part := unix.Iovec{Base: &f.base[low]}
				copy(f.base[low:low+mostBytes], f.local[low:])
				part.SetLen(mostBytes)
				local, remote = append(local, part), append(remote, unix.RemoteIovec{Base: uintptr(f.address + int64(low)), Len: mostBytes})
				send()
				low += mostBytes
			}
			copy(f.base[low:high], f.local[low:high])
			part := unix.Iovec{Base: &f.base[low]}
			part.SetLen(high - low)
			local = append(local, part)
			remote = append(remote, unix.RemoteIovec{Base: uintptr(f.address + int64(low)), Len: high - low})
			if len(local) == mostParts {
				send()
			}
		})
	}
	if len(local) > 0 {
		send()
	}
}

// Bounds of a system call that copies: of its parts, and of the bytes of one.
const (
	mostParts = 1024
	mostBytes = 1 << 30
)

// changes calls do for each part of f that has changed.
func (f *fetched) changes(do func(low, high int)) {
	const step = 4096
	low, high := -1, -1 // of the part, as far as it is known
	for start := 0; start < len(f.local); start += step {
		end := min(start+step, len(f.local))
		if bytes.Equal(f.local[start:end], f.base[start:end]) {
			continue
		}
		if f.dense { // one part, whose ends alone need a look at each byte
			if low < 0 {
				low = start + firstDifference(f.local[start:end], f.base[start:end])
			}
			high = end
			continue
		}
		for i := start; i < end; i++ {
			if f.local[i] == f.base[i] {
				continue
			}
			if low >= 0 && i > high {
				do(low, high)
				low = -1
			}
			if low < 0 {
				low = i
			}
			high = i + 1
		}
	}
	if low < 0 {
		return
	}
	for f.local[high-1] == f.base[high-1] {
		high--
	}
	do(low, high)
}

// firstDifference returns the index of the first byte that differs; there is one.
func firstDifference(a, b []byte) int {
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i
}

// read copies memory of the process. Errors: [unmapped].
func (p *process) read(address int64, to []byte) error {
	done := 0
	for done < len(to) {
		local := []unix.Iovec{{Base: &to[done]}}
		local[0].SetLen(len(to) - done)
		n, err := unix.ProcessVMReadv(p.pid, local, []unix.RemoteIovec{{Base: uintptr(address) + uintptr(done), Len: len(to) - done}}, 0)
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			n, err = p.readFile(address+int64(done), to[done:])
		}
		if err != nil || n <= 0 {
			return unmapped{address + int64(done)}
		}
		done += n
	}
	return nil
}

// write copies to the memory of the process.
func (p *process) write(local []unix.Iovec, remote []unix.RemoteIovec) error {
	total := 0
	for _, r := range remote {
		total += r.Len
	}
	n, err := unix.ProcessVMWritev(p.pid, local, remote, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		n, err = p.writeFile(local, remote)
	}
	if err == nil && n == total || errors.Is(err, unix.ESRCH) {
		return nil // a process that has ended needs no results
	}
	return fmt.Errorf("the memory of rank %d cannot be written where a call of MPI has its results: %w", p.rank, cmp.Or(err, error(unix.EFAULT)))
}

// readFile and writeFile do the same where the system calls are forbidden.
func (p *process) readFile(address int64, to []byte) (int, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", p.pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := unix.Pread(int(f.Fd()), to, address)
	return n, err
}

func (p *process) writeFile(local []unix.Iovec, remote []unix.RemoteIovec) (total int, err error) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.pid), os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for i, l := range local {
		n, err := unix.Pwrite(int(f.Fd()), unsafe.Slice(l.Base, l.Len), int64(remote[i].Base))
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// put copies b to the memory of the process.
func (p *process) put(address int64, b []byte) error {
	part := unix.Iovec{Base: &b[0]}
	part.SetLen(len(b))
	return p.write([]unix.Iovec{part}, []unix.RemoteIovec{{Base: uintptr(address), Len: len(b)}})
}

// text returns the C string at an address.
func (p *process) text(address int64) string {
	const step = 256
	var all []byte
	for {
		part := make([]byte, step-address%step) // which lies in one page
		if b := p.shared(address, int64(len(part))); b != nil {
			copy(part, b)
		} else if err := p.read(address, part); err != nil {
			panic(err)
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(all, part[:end]...))
		}
		all = append(all, part...)
		address += int64(len(part))
	}
}

// cell returns n bytes of the mailbox's cells, until free is called.
func (p *process) cell(n int64) (address int64, free func()) {
	before := p.used
	p.used += (n + 7) &^ 7
	address = p.cells() + before
	if p.used > p.cellBytes() {
		panic("functions of the program call MPI too deep")
	}
	clear(p.shared(address, n))
	return p.memory.tagged(address), func() { p.used = before }
}

// attach keeps the copy of a buffer that the program has attached for sends.
func (v *view) attach(b []byte) {
	if v == nil || len(b) == 0 {
		return
	}
	for i, f := range v.ranges {
		if unsafe.SliceData(f.local) == unsafe.SliceData(b) {
			v.ranges = slices.Delete(v.ranges, i, i+1)
			v.pinned = append(v.pinned, f)
			f.base = nil // it has no results
			return
		}
	}
}

// detach returns the address of a buffer that the program had attached.
func (v *view) detach(b []byte) int64 {
	if v == nil {
		return int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	}
	for i, f := range v.pinned {
		if unsafe.SliceData(f.local) == unsafe.SliceData(b) {
			v.pinned = slices.Delete(v.pinned, i, i+1)
			return f.address
		}
	}
	return 0
}

// orphan gives up the buffers of an operation that may be under way and whose request is gone.
func (v *view) orphan(pins []*fetched, done bool) {
	if v == nil {
		return
	}
	for _, f := range pins {
		if done || f.base == nil {
			v.unpin([]*fetched{f})
			v.keeps = v.keeps || !done // a send may read it
		}
	}
}
