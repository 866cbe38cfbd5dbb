package gen

import (
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
)

// ofTwo lists the shapes of programs whose ranks have two handles.
var ofTwo = []shape{
	(*maker).handOver,
	(*maker).outgrow,
	(*maker).leave,
	(*maker).mixed,
	(*maker).apart,
	(*maker).late,
	(*maker).atOnce,
}

// assignHandles assigns operations to the two handles of ranks that have two: all of them to one, or
// each to either.
func (m *maker) assignHandles(ops []Op) {
	if m.second == NoSecond {
		return
	}
	how := m.uniform("handles", 4)
	for i := range ops {
		if o := &ops[i]; o.Do == Sync {
			o.Over = m.over()
		} else {
			o.Second = how == 0 || how > 1 && m.other()
		}
	}
}

// other draws a handle: true is the second.
func (m *maker) other() bool { return rapid.Bool().Draw(m.T, "second") }

// over draws the handles of a sync.
func (m *maker) over() Over {
	if m.second != SameFile || m.int("over", 2) < 2 {
		return BothHandles
	}
	return []Over{FirstToSecond, SecondToFirst}[m.int("direction", 1)]
}

// by returns o changed to use a handle.
func by(second bool, o Op) Op {
	o.Second = second
	return o
}

// pass returns a sync that makes writes through one handle known through the other.
func (m *maker) pass(second bool) Op {
	o := m.sync()
	if m.second == SameFile && rapid.Bool().Draw(m.T, "of one each") {
		o.Over = FirstToSecond
		if second {
			o.Over = SecondToFirst
		}
	}
	return o
}

// writerAndReader draws two ranks; half of the time they are the same.
func (m *maker) writerAndReader() (a, b int) {
	a, b = m.two()
	if rapid.Bool().Draw(m.T, "one rank") {
		b = a
	}
	return a, b
}

// handOver: a rank reads through one handle, a rank writes there through the other, all
// sync, the first reads again; and the reverse.
func (m *maker) handOver() []Op {
	a, b := m.writerAndReader()
	to := m.other()
	off, n := m.place("off"), m.length("n")
	var ops []Op
	if rapid.Bool().Draw(m.T, "written before") {
		ops = append(ops, by(m.other(), m.write(a, m.base(), off-m.base()+n+m.int64("more", 9))), Op{Do: Sync, All: true})
	}
	ops = append(ops, by(!to, m.read(b, off, n)))
	part := m.int64("part", n-1)
	ops = append(ops, by(to, m.write(a, off+part, 1+m.int64("len", n-part-1))), m.pass(to), by(!to, m.read(b, off, n)))
	if rapid.Bool().Draw(m.T, "and back") {
		ops = append(ops, by(!to, m.write(b, off, 1+m.int64("len", n-1))), m.pass(!to), by(to, m.read(a, off, n+3)))
	}
	return ops
}

// outgrow: a rank makes the file longer through one handle; another rank continues
// through the other.
func (m *maker) outgrow() []Op {
	a, b := m.writerAndReader()
	to := m.other()
	off, n := m.place("off"), m.length("n")
	gap := m.int64("gap", 5)
	ops := []Op{by(to, m.write(a, off, n)), m.pass(to), by(!to, m.read(b, off, n+2)), by(!to, m.write(b, off+n+gap, n)), m.pass(!to)}
	ops = append(ops, by(to, m.read(a, off, 2*n+gap+2)))
	if m.can(Sizes) && rapid.Bool().Draw(m.T, "size") {
		ops = append(ops, by(to, m.resize([]Do{Preallocate, SetSize}[m.int("set", 1)], off+m.int64("keep", 2*n+gap))), by(!to, m.read(b, off, 2*n+gap+2)))
	}
	return ops
}

// leave: a rank writes through both handles and closes one of them.
func (m *maker) leave() []Op {
	a, b := m.writerAndReader()
	to := m.other()
	off, n := m.place("off"), m.length("n")
	ops := []Op{by(to, m.write(a, off, n)), by(!to, m.write(a, off+n, n))}
	if !m.can(Reopening) {
		return append(ops, m.pass(to), by(to, m.read(a, off, n)), m.sync(), by(!to, m.read(b, off, 2*n)))
	}
	ops = append(ops, Op{Do: Reopen, All: true, Second: !to}, by(to, m.read(a, off, n)), by(!to, m.read(b, off+n, n)))
	ops = append(ops, by(to, m.write(a, off, 1)), by(!to, m.write(a, off+n, 1)))
	return append(ops, m.sync(), by(m.other(), m.read(b, off, 2*n+1)))
}

// mixed: ranks write parts of the same block that do not overlap, by turns through both handles.
func (m *maker) mixed() []Op {
	off, n := m.place("off"), 1+m.int64("n", 3)
	times := 2 + m.int("times", 4)
	first, a := m.other(), m.int("rank", m.ranks-1)
	var ops []Op
	if rapid.Bool().Draw(m.T, "there before") {
		ops = append(ops, by(first, m.write(0, off, int64(times)*n)), Op{Do: Sync, All: true})
	}
	alone := m.uniform("one rank", 4) == 0
	for i := range times {
		rank := i % m.ranks
		if alone {
			rank = a
		}
		ops = append(ops, by(first == (i%2 == 0), m.write(rank, off+int64(i)*n, n)))
	}
	if rapid.Bool().Draw(m.T, "one at a time") {
		ops = append(ops, m.pass(first), by(!first, m.read(a, off, int64(times)*n)))
	}
	ops = append(ops, Op{Do: Sync, All: true})
	return append(ops, by(first, m.read(a, off, int64(times)*n)), by(!first, m.read(a, off, int64(times)*n)))
}

// atOnce: each rank writes pieces of the same block through one of its handles, every other rank
// through the second.
func (m *maker) atOnce() []Op {
	off, n := m.place("off"), 1+m.int64("n", 3)
	first := m.other()
	pieces := 2 + m.int("pieces", 2)
	all := int64(pieces*m.ranks) * n
	var ops []Op
	if rapid.Bool().Draw(m.T, "there before") {
		ops = append(ops, by(first, m.write(0, off, all)), Op{Do: Sync, All: true})
	}
	for i := range pieces * m.ranks {
		rank := i % m.ranks
		ops = append(ops, by(first == (rank%2 == 0), m.write(rank, off+int64(i)*n, n)))
	}
	ops = append(ops, Op{Do: Sync, All: true})
	return append(ops, by(m.other(), m.read(m.int("reader", m.ranks-1), off, all+1)))
}

// apart: both handles have pointers and views of their own.
func (m *maker) apart() []Op {
	a, b := m.writerAndReader()
	to := m.other()
	off, n := m.place("off"), m.length("n")
	if !m.can(IndividualPointers) {
		return m.handOver()
	}
	at := func(second bool, do Do, rank int, n int64) Op {
		return by(second, m.withForm(Op{Do: do, Rank: rank, At: Individual, N: n}))
	}
	far := off + 2*n + m.int64("apart", 5)
	ops := []Op{by(to, m.seek(off, 0, iofile.SeekSet)), by(!to, m.seek(far, 0, iofile.SeekSet))}
	ops = append(ops, at(to, Write, a, n), at(!to, Write, a, n), at(to, Write, a, n), Op{Do: Sync, All: true})
	ops = append(ops, by(!to, m.seek(off, 0, iofile.SeekSet)), at(!to, Read, b, n), at(to, Read, b, 1))
	return append(ops, by(!to, m.read(b, off, far-off+n)))
}

// late: a rank writes through one handle, and then through the other the bytes that have
// been synced since.
func (m *maker) late() []Op {
	a, b := m.two()
	to := m.other()
	off, n := m.place("off"), m.length("n")
	ops := []Op{by(to, m.write(a, off, n)), by(!to, m.write(a, off+n, n)), m.pass(to)}
	ops = append(ops, by(!to, m.write(b, off+m.int64("part", n-1), 1)), by(!to, m.read(b, off, n)), m.pass(!to))
	return append(ops, by(to, m.read(b, off, n)), m.sync(), by(m.other(), m.read(a, off, 2*n)))
}
