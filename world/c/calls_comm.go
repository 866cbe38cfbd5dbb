//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"errors"
	"hash/fnv"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
)

var commCalls = map[string]handler{
	"Comm_rank": func(k *call) error {
		c := k.onComm()
		putInt(k.out(), c.Rank())
		return nil
	},
	"Comm_size": func(k *call) error {
		c := k.onComm()
		putInt(k.out(), c.Size())
		return nil
	},
	"Comm_remote_size": func(k *call) error {
		n, err := k.onComm().RemoteSize()
		if err == nil {
			putInt(k.out(), n)
		}
		return err
	},
	"Comm_test_inter": func(k *call) error {
		inter, err := k.onComm().TestInter()
		if err == nil {
			putBool(k.out(), inter)
		}
		return err
	},
	"Comm_compare": func(k *call) error {
		a, b := k.onComm(), k.anyComm()
		is, err := a.Compare(b)
		if err == nil {
			putInt(k.out(), int(is))
		}
		return err
	},
	"Comm_dup": func(k *call) error {
		c, out := k.onComm(), k.out()
		made, err := c.Dup()
		return k.newComm(out, made, err)
	},
	"Comm_dup_with_info": func(k *call) error {
		c := k.onComm()
		info := k.infoOrFail()
		out := k.out()
		made, err := c.DupWithInfo(info)
		return k.newComm(out, made, err)
	},
	"Comm_idup": func(k *call) error {
		c, out := k.onComm(), k.out()
		made, q, err := c.IDup()
		return k.duplicating(out, made, q, err)
	},
	"Comm_idup_with_info": func(k *call) error {
		c := k.onComm()
		info := k.infoOrFail()
		out := k.out()
		made, q, err := c.IDupWithInfo(info)
		return k.duplicating(out, made, q, err)
	},
	"Comm_create": func(k *call) error {
		c, g, out := k.onComm(), k.group(), k.out()
		made, err := c.Create(g)
		return k.newComm(out, made, err)
	},
	"Comm_create_group": func(k *call) error {
		c, g, tag, out := k.onComm(), k.group(), k.int(), k.out()
		made, err := c.CreateGroup(g, tag)
		return k.newComm(out, made, err)
	},
	"Comm_create_from_group": func(k *call) error {
		g := k.group()
		return k.newCommByText(func(w *comm.Comm, tag int) (*comm.Comm, error) { return w.CreateGroup(g, tag) })
	},
	"Intercomm_create_from_groups": func(k *call) error {
		g, leader, o, other := k.group(), k.int(), k.group(), k.int()
		return k.newCommByText(func(w *comm.Comm, tag int) (*comm.Comm, error) { return intercommOf(w, g, leader, o, other, tag) })
	},
	"Comm_split": func(k *call) error {
		c, color, key, out := k.onComm(), k.int(), k.int(), k.out()
		made, err := c.Split(color, key)
		return k.newComm(out, made, err)
	},
	"Comm_split_type": func(k *call) error {
		c, kind, key := k.onComm(), k.int(), k.int()
		info := k.infoOrFail()
		out := k.out()
		made, err := c.SplitType(comm.SplitKind(kind), key, info)
		return k.newComm(out, made, err)
	},
	"Intercomm_create": func(k *call) error {
		c, leader := k.onComm(), k.int()
		peer, remote, tag, out := k.peer(c, leader), k.int(), k.int(), k.out()
		made, err := c.IntercommCreate(leader, peer, remote, tag)
		return k.newComm(out, made, err)
	},
	"Intercomm_merge": func(k *call) error {
		c, high, out := k.onComm(), k.bool(), k.out()
		made, err := c.IntercommMerge(high)
		return k.newComm(out, made, err)
	},
	"Comm_free":       freeComm,
	"Comm_disconnect": freeComm,
	"Comm_get_parent": func(k *call) error { put(k.out(), int64(commNull)); return nil },
	"Comm_set_name": func(k *call) error {
		c := k.onComm()
		return c.SetName(k.string())
	},
	"Comm_get_name": func(k *call) error {
		h := k.word()
		name := "MPI_COMM_NULL"
		if h != commNull {
			k.next--
			name = k.onComm().Name()
		}
		return k.putText(name, maxName)
	},
	"Comm_set_info": func(k *call) error {
		c := k.onComm()
		return c.SetInfo(k.infoOrFail())
	},
	"Comm_get_info": func(k *call) error {
		info, err := k.onComm().Info()
		if err == nil {
			put(k.out(), k.r.infos.add(info.Dup()))
		}
		return err
	},
}

// peer reads the communicator of the two leaders; only the leader passes one.
func (k *call) peer(c *comm.Comm, leader int) *comm.Comm {
	if c.Rank() != leader {
		k.skip()
		return nil
	}
	return k.anyComm()
}

// newCommByText makes a communicator of ranks that find each other by a text, which becomes
// a tag. It takes the text, the info and the error handler of the communicator; the handler
// also handles the errors of making it.
func (k *call) newCommByText(from func(world *comm.Comm, tag int) (*comm.Comm, error)) error {
	h := fnv.New32a()
	h.Write([]byte(k.string()))
	w, tag := k.r.world, int(h.Sum32()%comm.MaxTag)
	info := k.infoOrFail()
	e, out := k.errhandler(), k.out()
	if e.comm == nil {
		k.fail(errclass.Errhandler, "the handler is one of files")
	}
	before, err := w.Errhandler()
	if err != nil {
		return err
	}
	if err := w.SetErrhandler(e.comm); err != nil {
		return err
	}
	defer func() { _ = w.SetErrhandler(before) }() // the previous handler was the world's own
	made, err := from(w, tag)
	if err == nil && made != nil && info != nil {
		err = made.SetInfo(info)
	}
	return k.newComm(out, made, err)
}

// intercommOf joins two groups of w; it returns nil if one of them is empty.
func intercommOf(w *comm.Comm, g *comm.Group, leader int, o *comm.Group, other, tag int) (*comm.Comm, error) {
	if g.Size() == 0 || o.Size() == 0 {
		return nil, nil
	}
	all, err := w.Group()
	if err != nil {
		return nil, err
	}
	there := comm.ProcNull
	if other >= 0 && other < o.Size() { // else IntercommCreate returns the error
		ranks, err := o.Translate([]int{other}, all)
		if err != nil {
			return nil, err
		}
		there = ranks[0]
	}
	side, err := w.CreateGroup(g, tag)
	if err != nil || side == nil {
		return nil, err
	}
	made, err := side.IntercommCreate(leader, w, there, tag)
	return made, errors.Join(err, side.Free())
}

func freeComm(k *call) error {
	a := k.out()
	h := peek[int64](a)
	c, err := k.r.comms.get(h)
	if err != nil {
		k.fail(errclass.Comm, "%w", err)
	}
	k.comm = c
	if err := c.Free(); err != nil {
		return err
	}
	k.r.comms.remove(h)
	delete(k.r.commOf, c)
	put(a, int64(commNull))
	return nil
}

var groupCalls = map[string]handler{
	"Comm_group": func(k *call) error {
		g, err := k.onComm().Group()
		return k.newGroup(g, err)
	},
	"Comm_remote_group": func(k *call) error {
		g, err := k.onComm().RemoteGroup()
		return k.newGroup(g, err)
	},
	"Group_rank": func(k *call) error { g := k.group(); putInt(k.out(), g.Rank()); return nil },
	"Group_size": func(k *call) error { g := k.group(); putInt(k.out(), g.Size()); return nil },
	"Group_compare": func(k *call) error {
		a, b := k.group(), k.group()
		putInt(k.out(), int(a.Compare(b)))
		return nil
	},
	"Group_union":        func(k *call) error { a, b := k.group(), k.group(); return k.newGroup(a.Union(b), nil) },
	"Group_intersection": func(k *call) error { a, b := k.group(), k.group(); return k.newGroup(a.Intersection(b), nil) },
	"Group_difference":   func(k *call) error { a, b := k.group(), k.group(); return k.newGroup(a.Difference(b), nil) },
	"Group_incl": func(k *call) error {
		g := k.group()
		made, err := g.Incl(k.ints(k.word()))
		return k.newGroup(made, k.local(err))
	},
	"Group_excl": func(k *call) error {
		g := k.group()
		made, err := g.Excl(k.ints(k.word()))
		return k.newGroup(made, k.local(err))
	},
	"Group_range_incl": func(k *call) error {
		g := k.group()
		made, err := g.RangeIncl(k.ranges())
		return k.newGroup(made, k.local(err))
	},
	"Group_range_excl": func(k *call) error {
		g := k.group()
		made, err := g.RangeExcl(k.ranges())
		return k.newGroup(made, k.local(err))
	},
	"Group_translate_ranks": func(k *call) error {
		g, n := k.group(), k.word()
		ranks := k.ints(n)
		in := k.group()
		found, err := g.Translate(ranks, in)
		if err != nil {
			return k.local(err)
		}
		out := array[int32](k, k.word(), n)
		for i, x := range found {
			out[i] = int32(x)
		}
		return nil
	},
	"Group_free": func(k *call) error {
		a := k.out()
		if _, err := k.r.groups.get(peek[int64](a)); err != nil {
			k.fail(errclass.Group, "%w", err)
		}
		k.r.groups.remove(peek[int64](a))
		put(a, int64(groupNull))
		return nil
	},
}

func (k *call) group() *comm.Group {
	g, err := k.r.groups.get(k.word())
	if err != nil {
		k.fail(errclass.Group, "%w", err)
	}
	return g
}

func (k *call) newGroup(g *comm.Group, err error) error {
	if err != nil {
		return err
	}
	h := int64(groupEmpty)
	if g.Size() > 0 {
		h = k.r.groups.add(g)
	}
	put(k.out(), h)
	return nil
}

func (k *call) ranges() []comm.RankRange {
	n := k.word()
	var all []comm.RankRange
	for _, x := range array[[3]int32](k, k.word(), n) {
		all = append(all, comm.RankRange{First: int(x[0]), Last: int(x[1]), Stride: int(x[2])})
	}
	return all
}
