package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// routines has the implementation of every statement. A test checks that it and forms
// have the same statements.
var routines = map[string]func(k *rank, s *Stmt) error{
	"open":        (*rank).open,
	"close":       (*rank).close,
	"delete":      func(k *rank, s *Stmt) error { return iofile.DeleteFor(k.comm, k.run.fsys, s.File, nil) },
	"view":        func(k *rank, s *Stmt) error { return k.file(s).SetView(s.View) },
	"seek":        func(k *rank, s *Stmt) error { return k.file(s).Seek(iofile.Offset(s.Offset), s.Whence) },
	"seek_shared": func(k *rank, s *Stmt) error { return k.file(s).SeekShared(iofile.Offset(s.Offset), s.Whence) },
	"set_size":    func(k *rank, s *Stmt) error { return k.file(s).SetSize(s.Bytes) },
	"preallocate": func(k *rank, s *Stmt) error { return k.file(s).Preallocate(s.Bytes) },
	"sync":        func(k *rank, s *Stmt) error { return k.file(s).Sync() },
	"atomic":      func(k *rank, s *Stmt) error { return k.file(s).SetAtomicity(s.On) },

	"get_size": func(k *rank, s *Stmt) error { n, err := k.file(s).Size(); return k.number(s, n, err) },
	"get_position": func(k *rank, s *Stmt) error {
		n, err := k.file(s).Position()
		return k.number(s, int64(n), err)
	},
	"get_position_shared": func(k *rank, s *Stmt) error {
		n, err := k.file(s).PositionShared()
		return k.number(s, int64(n), err)
	},
	"get_byte_offset": func(k *rank, s *Stmt) error {
		n, err := k.file(s).ByteOffset(iofile.Offset(s.Offset))
		return k.number(s, n, err)
	},
	"type_extent": func(k *rank, s *Stmt) error {
		n, err := k.file(s).TypeExtent(s.Type)
		return k.number(s, n, err)
	},

	"look": (*rank).look,

	"read_at":       at(reads, (*iofile.File).ReadAt),
	"write_at":      at(writes, (*iofile.File).WriteAt),
	"read_at_all":   at(reads, (*iofile.File).ReadAtAll),
	"write_at_all":  at(writes, (*iofile.File).WriteAtAll),
	"read":          here(reads, (*iofile.File).Read),
	"write":         here(writes, (*iofile.File).Write),
	"read_all":      here(reads, (*iofile.File).ReadAll),
	"write_all":     here(writes, (*iofile.File).WriteAll),
	"read_shared":   here(reads, (*iofile.File).ReadShared),
	"write_shared":  here(writes, (*iofile.File).WriteShared),
	"read_ordered":  here(reads, (*iofile.File).ReadOrdered),
	"write_ordered": here(writes, (*iofile.File).WriteOrdered),

	"iread_at":      startAt(reads, (*iofile.File).IReadAt),
	"iwrite_at":     startAt(writes, (*iofile.File).IWriteAt),
	"iread_at_all":  startAt(reads, (*iofile.File).IReadAtAll),
	"iwrite_at_all": startAt(writes, (*iofile.File).IWriteAtAll),
	"iread":         startHere(reads, (*iofile.File).IRead),
	"iwrite":        startHere(writes, (*iofile.File).IWrite),
	"iread_all":     startHere(reads, (*iofile.File).IReadAll),
	"iwrite_all":    startHere(writes, (*iofile.File).IWriteAll),
	"iread_shared":  startHere(reads, (*iofile.File).IReadShared),
	"iwrite_shared": startHere(writes, (*iofile.File).IWriteShared),

	"read_at_all_begin":   beginAt(reads, (*iofile.File).ReadAtAllBegin),
	"read_at_all_end":     endWith((*iofile.File).ReadAtAllEnd),
	"write_at_all_begin":  beginAt(writes, (*iofile.File).WriteAtAllBegin),
	"write_at_all_end":    endWith((*iofile.File).WriteAtAllEnd),
	"read_all_begin":      beginHere(reads, (*iofile.File).ReadAllBegin),
	"read_all_end":        endWith((*iofile.File).ReadAllEnd),
	"write_all_begin":     beginHere(writes, (*iofile.File).WriteAllBegin),
	"write_all_end":       endWith((*iofile.File).WriteAllEnd),
	"read_ordered_begin":  beginHere(reads, (*iofile.File).ReadOrderedBegin),
	"read_ordered_end":    endWith((*iofile.File).ReadOrderedEnd),
	"write_ordered_begin": beginHere(writes, (*iofile.File).WriteOrderedBegin),
	"write_ordered_end":   endWith((*iofile.File).WriteOrderedEnd),

	"wait":    func(k *rank, s *Stmt) error { return k.waitFor(s.Reqs) },
	"waitall": (*rank).waitAll,
	"test":    (*rank).test,

	"send":  func(k *rank, s *Stmt) error { return k.send(s, (*comm.Comm).Send) },
	"ssend": func(k *rank, s *Stmt) error { return k.send(s, (*comm.Comm).SSend) },
	"recv":  (*rank).recv,
	"isend": (*rank).isend,
	"irecv": (*rank).irecv,

	"probe":     (*rank).probe,
	"barrier":   func(k *rank, _ *Stmt) error { return k.comm.Barrier() },
	"bcast":     (*rank).bcast,
	"scatter":   (*rank).scatter,
	"gather":    (*rank).gather,
	"allgather": (*rank).gather,
	"reduce":    (*rank).reduce,
	"allreduce": (*rank).reduce,
}

// A way is the direction of an access: read or write.
type way bool

const (
	reads  way = true
	writes way = false
)

// buffer makes the buffer of s.
func (w way) buffer(k *rank, s *Stmt) (types.Buffer, error) {
	if w == reads {
		return k.in(s)
	}
	return k.out(s)
}

// access runs do with the buffer of s, and records the data of a read.
func (w way) access(k *rank, s *Stmt, do func(types.Buffer) (iofile.Status, error)) error {
	buf, err := w.buffer(k, s)
	if err != nil {
		return err
	}
	k.history.begin(s, buf)
	st, err := do(buf)
	if err != nil {
		return err
	}
	k.history.blocking()
	if w == reads {
		k.arrived(s, buf, st)
	}
	return nil
}

func at(w way, call func(*iofile.File, types.Buffer, iofile.Offset) (iofile.Status, error)) func(*rank, *Stmt) error {
	return func(k *rank, s *Stmt) error {
		return w.access(k, s, func(buf types.Buffer) (iofile.Status, error) {
			return call(k.file(s), buf, iofile.Offset(s.Offset))
		})
	}
}

func here(w way, call func(*iofile.File, types.Buffer) (iofile.Status, error)) func(*rank, *Stmt) error {
	return func(k *rank, s *Stmt) error {
		return w.access(k, s, func(buf types.Buffer) (iofile.Status, error) { return call(k.file(s), buf) })
	}
}

func startAt(w way, call func(*iofile.File, types.Buffer, iofile.Offset) (*comm.Request, error)) func(*rank, *Stmt) error {
	return func(k *rank, s *Stmt) error {
		buf, err := w.buffer(k, s)
		if err != nil {
			return err
		}
		k.history.begin(s, buf)
		q, err := call(k.file(s), buf, iofile.Offset(s.Offset))
		if err == nil {
			k.history.started(s)
		}
		return k.started(s, buf)(q, err)
	}
}

func startHere(w way, call func(*iofile.File, types.Buffer) (*comm.Request, error)) func(*rank, *Stmt) error {
	return startAt(w, func(f *iofile.File, buf types.Buffer, _ iofile.Offset) (*comm.Request, error) {
		return call(f, buf)
	})
}

func beginAt(w way, call func(*iofile.File, types.Buffer, iofile.Offset) error) func(*rank, *Stmt) error {
	return func(k *rank, s *Stmt) error {
		buf, err := w.buffer(k, s)
		if err != nil {
			return err
		}
		k.history.begin(s, buf)
		if err = call(k.file(s), buf, iofile.Offset(s.Offset)); err == nil {
			k.history.started(s)
			put(&k.split, s.Handle, &pending{stmt: s, buf: buf})
		}
		return err
	}
}

func beginHere(w way, call func(*iofile.File, types.Buffer) error) func(*rank, *Stmt) error {
	return beginAt(w, func(f *iofile.File, buf types.Buffer, _ iofile.Offset) error { return call(f, buf) })
}

// endWith ends the split access that is under way on the handle. If there is none, it
// calls the library all the same, which then returns the error.
func endWith(call func(*iofile.File, types.Buffer) (iofile.Status, error)) func(*rank, *Stmt) error {
	return func(k *rank, s *Stmt) error {
		p := k.split[s.Handle]
		if p == nil {
			p = &pending{stmt: s}
		}
		st, err := call(k.file(s), p.buf)
		if err != nil {
			return err
		}
		delete(k.split, s.Handle)
		k.history.ended(p.stmt)
		if p.stmt.Want != nil {
			k.arrived(p.stmt, p.buf, st)
		}
		return nil
	}
}

func (k *rank) open(s *Stmt) error {
	c := k.comm
	if s.Self {
		c = c.Self()
	}
	how := k.run.how
	if len(s.Hints) > 0 {
		info := comm.NewInfo()
		for _, h := range s.Hints {
			if p, ok := h.Match(); ok {
				how = append(how[:len(how):len(how)], iofile.WithMatch(p))
				continue
			}
			if err := info.Set(h.Key, h.Value); err != nil {
				return err
			}
		}
		how = append(how[:len(how):len(how)], iofile.WithInfo(info))
	}
	f, err := iofile.Open(c, k.run.fsys, s.File, s.Mode, how...)
	put(&k.handles, s.Handle, f)
	if err == nil {
		put(&k.unclosed, f, s)
	}
	return err
}

// close removes the handle even if Close fails: then the failure is reported, not an open
// handle.
func (k *rank) close(s *Stmt) error {
	delete(k.unclosed, k.file(s))
	return k.file(s).Close()
}

func (k *rank) send(s *Stmt, call func(*comm.Comm, types.Buffer, int, int) error) error {
	buf, err := k.out(s)
	if err != nil {
		return err
	}
	return call(k.comm, buf, s.Peer, s.Tag)
}

func (k *rank) recv(s *Stmt) error {
	buf, err := k.in(s)
	if err != nil {
		return err
	}
	st, err := k.comm.Recv(buf, s.Peer, s.Tag)
	if err == nil {
		k.history.received(s, st)
		k.arrived(s, buf, st)
	}
	return err
}

func (k *rank) isend(s *Stmt) error {
	buf, err := k.out(s)
	if err != nil {
		return err
	}
	return k.started(s, buf)(k.comm.ISend(buf, s.Peer, s.Tag))
}

func (k *rank) irecv(s *Stmt) error {
	buf, err := k.in(s)
	if err != nil {
		return err
	}
	return k.started(s, buf)(k.comm.IRecv(buf, s.Peer, s.Tag))
}

// started records a request under the name that the script gives it.
func (k *rank) started(s *Stmt, buf types.Buffer) func(*comm.Request, error) error {
	return func(q *comm.Request, err error) error {
		if err != nil {
			return err
		}
		if k.pending[s.As] == nil {
			k.order = append(k.order, s.As)
		}
		put(&k.pending, s.As, &pending{s, q, buf})
		return nil
	}
}

// waitFor completes the requests with these names. It skips those whose start failed and
// those that are complete.
func (k *rank) waitFor(names []string) error {
	var asked []*pending
	var reqs []*comm.Request
	for _, name := range names {
		if p := k.pending[name]; p != nil {
			asked, reqs = append(asked, p), append(reqs, p.req)
		}
	}
	if len(reqs) == 1 {
		st, err := reqs[0].Wait()
		k.completed(asked[0], st, err)
		return err
	}
	sts, err := comm.WaitAll(reqs...)
	for i, p := range asked {
		k.completed(p, sts[i], err)
	}
	return err
}

func (k *rank) waitAll(s *Stmt) error {
	names := s.Reqs
	if len(names) == 0 {
		names = append(names, k.order...)
	}
	return k.waitFor(names)
}

func (k *rank) test(s *Stmt) error {
	p := k.pending[s.Reqs[0]]
	if p == nil {
		return k.number(s, 1, nil)
	}
	st, ok, err := p.req.Test()
	if !ok && err == nil {
		return k.number(s, 0, nil)
	}
	k.completed(p, st, err)
	return k.number(s, 1, err)
}

func (k *rank) completed(p *pending, st comm.Status, err error) {
	delete(k.pending, p.stmt.As)
	if err != nil {
		return
	}
	if p.stmt.Routine == "irecv" {
		k.history.received(p.stmt, st)
	}
	k.history.ended(p.stmt)
	if p.stmt.Want != nil {
		k.arrived(p.stmt, p.buf, st)
	}
}

func (k *rank) bcast(s *Stmt) error {
	if s.Want == nil {
		buf, err := k.out(s)
		if err != nil {
			return err
		}
		return k.comm.Bcast(buf, s.Peer)
	}
	buf, err := k.in(s)
	if err != nil {
		return err
	}
	if err = k.comm.Bcast(buf, s.Peer); err == nil {
		k.whole(s, buf)
	}
	return err
}

// probe reports the source of a message and leaves the message in its queue.
func (k *rank) probe(s *Stmt) error {
	st, err := k.comm.Probe(s.Peer, s.Tag)
	if err == nil {
		k.history.probed(st)
	}
	return k.number(s, int64(st.Source), err)
}

// scatter gives the root its own block too, which it has anyway.
func (k *rank) scatter(s *Stmt) error {
	if s.Want != nil {
		buf, err := k.in(s)
		if err != nil {
			return err
		}
		if err = k.comm.Scatter(types.Buffer{}, buf, s.Peer); err == nil {
			k.whole(s, buf)
		}
		return err
	}
	buf, err := k.out(s)
	if err != nil {
		return err
	}
	return k.comm.Scatter(buf, comm.InPlace, s.Peer)
}

// gather runs gather, and allgather, which has no root.
func (k *rank) gather(s *Stmt) error {
	send, err := k.out(s)
	if err != nil {
		return err
	}
	everywhere := s.Routine == "allgather"
	var recv types.Buffer
	if everywhere || s.Peer == k.id {
		if recv, err = k.readBuffer(s.Data.Type, s.Data.Count()*int64(k.comm.Size())); err != nil {
			return err
		}
	}
	if everywhere {
		err = k.comm.AllGather(send, recv)
	} else {
		err = k.comm.Gather(send, recv, s.Peer)
	}
	if err == nil && (everywhere || s.Peer == k.id) {
		k.whole(s, recv)
	}
	return err
}

// reduce runs reduce, and allreduce, which has no root.
func (k *rank) reduce(s *Stmt) error {
	send, err := k.out(s)
	if err != nil {
		return err
	}
	everywhere := s.Routine == "allreduce"
	var recv types.Buffer
	if everywhere || s.Peer == k.id {
		if recv, err = k.readBuffer(s.Data.Type, s.Data.Count()); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(ops, func(o named[*comm.Op]) bool { return o.name == s.Op })
	switch {
	case i < 0:
		return fmt.Errorf("no operation is called %q", s.Op)
	case everywhere:
		err = k.comm.AllReduce(send, recv, ops[i].value)
	default:
		err = k.comm.Reduce(send, recv, ops[i].value, s.Peer)
	}
	if err == nil && (everywhere || s.Peer == k.id) {
		k.whole(s, recv)
	}
	return err
}

// whole records a buffer that was filled to its end.
func (k *rank) whole(s *Stmt, buf types.Buffer) {
	k.arrived(s, buf, comm.NewStatus(buf.Packed(k.comm.Arch()), k.comm.Arch()))
}

// datatype returns the type of the data that s names, nil if it names none.
func (s *Stmt) datatype() *types.Type {
	switch {
	case s.Into == "":
		return nil
	case s.Want != nil:
		return s.Want.Type
	case s.Data != nil:
		return s.Data.Type
	}
	return nil
}

// shared reports whether s uses the shared file pointer.
func (s *Stmt) shared() bool {
	return strings.Contains(s.Routine, "shared") || strings.Contains(s.Routine, "ordered")
}
