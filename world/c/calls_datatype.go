//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"math"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// A datatype is a handle of a datatype.
type datatype struct {
	t         *types.Type
	committed bool
}

// datatype reads a datatype that must be committed.
func (k *call) datatype() *types.Type { return k.datatypeOf(k.word()) }

func (k *call) datatypeOf(h int64) *types.Type {
	d := k.lookDatatype(h)
	if !d.committed && !k.r.program.Tolerant {
		k.fail(errclass.Type, "the datatype %v was not committed: call MPI_Type_commit first", d.t.Brief())
	}
	return d.t
}

// anyDatatype reads a datatype that need not be committed.
func (k *call) anyDatatype() *types.Type { return k.lookDatatype(k.word()).t }

func (k *call) lookDatatype(h int64) *datatype {
	d, err := k.r.datatypes.get(h)
	if err != nil {
		if h == datatypeNull {
			k.fail(errclass.Type, "the datatype is MPI_DATATYPE_NULL")
		}
		k.fail(errclass.Type, "%w", err)
	}
	return d
}

// datatypeHandle returns a handle of a datatype, and whether it is a new one.
func (r *rank) datatypeHandle(t *types.Type) (h int64, made bool) {
	if t.Predefined() {
		if h, ok := named()[t.Name()]; ok {
			return h, false
		}
		for h, d := range r.datatypes.named {
			if d.t.Equal(t) {
				return h, false
			}
		}
	}
	return r.datatypes.add(&datatype{t: t, committed: true}), true
}

// newType stores the handle of a new datatype.
func (k *call) newType(t *types.Type) error {
	if err := t.Err(); err != nil {
		return k.local(err)
	}
	put(k.out(), k.r.datatypes.add(&datatype{t: t}))
	return nil
}

// namedType stores the handle of a predefined datatype.
func (k *call) namedType(t *types.Type) error {
	if err := t.Err(); err != nil {
		return k.local(err)
	}
	h, ok := k.r.named[t.String()]
	if !ok {
		h, _ = k.r.datatypeHandle(t)
		k.r.datatypes.disown(h)
		k.r.named[t.String()] = h
	}
	put(k.out(), h)
	return nil
}

func (k *call) blockList(n int64, lens, displs []int64) []types.Block {
	all := make([]types.Block, n)
	for i := range all {
		all[i] = types.Block{Len: lens[i], Disp: displs[i]}
	}
	return all
}

var datatypeCalls = map[string]handler{
	"Type_contiguous": func(k *call) error { n := k.word(); return k.newType(types.Contiguous(n, k.anyDatatype())) },
	"Type_vector": func(k *call) error {
		n, length, stride := k.word(), k.word(), k.word()
		return k.newType(types.Vector(n, length, stride, k.anyDatatype()))
	},
	"Type_create_hvector": createHVector,
	"Type_indexed": func(k *call) error {
		n := k.word()
		blocks := k.blockList(n, k.counts(n), k.counts(n))
		return k.newType(types.Indexed(blocks, k.anyDatatype()))
	},
	"Type_create_hindexed": createHIndexed,
	"Type_create_indexed_block": func(k *call) error {
		n, length := k.word(), k.word()
		displs := k.counts(n)
		return k.newType(types.IndexedBlock(length, displs, k.anyDatatype()))
	},
	"Type_create_hindexed_block": func(k *call) error {
		n, length := k.word(), k.word()
		displs := k.addresses(n)
		return k.newType(types.HIndexedBlock(length, displs, k.anyDatatype()))
	},
	"Type_create_struct": createStruct,
	"Type_create_subarray": func(k *call) error {
		n := k.word()
		sizes, subs, starts := k.counts(n), k.counts(n), k.counts(n)
		dims := make([]types.Slab, n)
		for i := range dims {
			dims[i] = types.Slab{Size: sizes[i], Sub: subs[i], Start: starts[i]}
		}
		order := types.Order(k.word())
		return k.newType(types.Subarray(order, dims, k.anyDatatype()))
	},
	"Type_create_darray": func(k *call) error {
		g := types.Grid{Size: k.word(), Rank: k.word()}
		n := k.word()
		sizes := k.counts(n)
		dists, args, procs := k.ints(n), k.ints(n), k.ints(n)
		for i := range sizes {
			arg := int64(args[i])
			if arg == defaultArg {
				arg = types.DefaultArg
			}
			g.Dims = append(g.Dims, types.GridDim{Size: sizes[i], Dist: types.Distribution(dists[i]), Arg: arg, Procs: int64(procs[i])})
		}
		g.Order = types.Order(k.word())
		return k.newType(types.Darray(g, k.anyDatatype()))
	},
	"Type_create_resized": func(k *call) error {
		t, lb, extent := k.anyDatatype(), k.word(), k.word()
		return k.newType(types.Resized(t, lb, extent))
	},
	"Type_dup": func(k *call) error {
		h := k.word()
		d := k.lookDatatype(h)
		t := d.t
		if h < predefined && k.r.dups[h] != nil {
			t = k.r.dups[h]
		}
		made := types.Dup(t)
		if err := made.Err(); err != nil {
			return k.local(err)
		}
		put(k.out(), k.r.datatypes.add(&datatype{t: made, committed: d.committed}))
		return nil
	},
	"Type_create_f90_real":    func(k *call) error { p, r := k.word(), k.word(); return k.namedType(types.F90Real(p, r)) },
	"Type_create_f90_complex": func(k *call) error { p, r := k.word(), k.word(); return k.namedType(types.F90Complex(p, r)) },
	"Type_create_f90_integer": func(k *call) error { return k.namedType(types.F90Integer(k.word())) },
	"Type_match_size": func(k *call) error {
		class, size := types.TypeClass(k.word()), k.word()
		return k.namedType(types.BySize(class, size))
	},
	"Type_get_value_index": func(k *call) error {
		t := types.ValueIndex(k.anyDatatype(), k.anyDatatype())
		if t == nil {
			put(k.out(), int64(datatypeNull))
			return nil
		}
		return k.namedType(t)
	},
	"Type_commit": func(k *call) error {
		k.lookDatatype(peek[int64](k.out())).committed = true
		return nil
	},
	"Type_free": func(k *call) error {
		a := k.out()
		h := peek[int64](a)
		d := k.lookDatatype(h)
		if h < predefined || d.t.Predefined() {
			k.fail(errclass.Type, "%s is predefined and cannot be freed", d.t.Name())
		}
		k.r.attrHandle[d.t] = h
		if err := d.t.DeleteAttrs(); err != nil {
			return k.local(err)
		}
		delete(k.r.attrHandle, d.t)
		k.r.datatypes.remove(h)
		put(a, int64(datatypeNull))
		return nil
	},
	"Type_size":              typeSize,
	"Type_size_x":            func(k *call) error { k.large = true; return typeSize(k) },
	"Type_get_extent":        typeExtent,
	"Type_get_extent_x":      typeExtent,
	"Type_get_true_extent":   typeTrueExtent,
	"Type_get_true_extent_x": typeTrueExtent,
	"Type_set_name": func(k *call) error {
		h := k.word()
		d := k.lookDatatype(h)
		name := k.string()
		if len(name) >= maxName {
			k.fail(errclass.Arg, "a name of %d bytes", len(name))
		}
		renamed := &datatype{t: d.t.WithName(name), committed: d.committed}
		if h < predefined {
			k.r.ownNames[h] = name
			return nil
		}
		k.r.datatypes.set(h, renamed)
		return nil
	},
	"Type_get_name": func(k *call) error {
		h := k.word()
		if h == datatypeNull {
			return k.putText("MPI_DATATYPE_NULL", maxName)
		}
		name, ok := k.r.ownNames[h]
		if !ok {
			name = k.lookDatatype(h).t.Name()
		}
		return k.putText(name, maxName)
	},
	"Type_get_envelope": func(k *call) error {
		e := k.envelope()
		putInt(k.out(), e.Integers)
		putInt(k.out(), e.Addresses)
		putInt(k.out(), e.Datatypes)
		putInt(k.out(), int(e.Combiner))
		return nil
	},
	"Type_get_envelope_c": func(k *call) error {
		e := k.envelope()
		put(k.out(), int64(e.Integers))
		put(k.out(), int64(e.Addresses))
		put(k.out(), int64(0))
		put(k.out(), int64(e.Datatypes))
		putInt(k.out(), int(e.Combiner))
		return nil
	},
	"Type_get_contents": func(k *call) error {
		t := k.anyDatatype()
		ni, na, nd := k.word(), k.word(), k.word()
		return k.putContents(t, ni, na, nd, k.word(), k.word(), k.word())
	},
	"Type_get_contents_c": func(k *call) error {
		t := k.anyDatatype()
		ni, na := k.word(), k.word()
		k.skip()
		nd, ints, addresses := k.word(), k.word(), k.word()
		k.skip()
		return k.putContents(t, ni, na, nd, ints, addresses, k.word())
	},
}

func typeSize(k *call) error {
	n := k.anyDatatype().Size(k.r.sizes)
	k.putCount(k.out(), n)
	return nil
}

func (k *call) putBounds(lb, extent int64) error {
	put(k.out(), lb)
	put(k.out(), extent)
	return nil
}

func (k *call) envelope() types.Envelope { return k.anyDatatype().Envelope() }

// putContents stores the arguments of a constructor, as many as fit.
func (k *call) putContents(t *types.Type, ni, na, nd, ints, addresses, datatypes int64) error {
	all, err := t.Contents()
	if err != nil {
		return k.local(err)
	}
	if ni < int64(len(all.Integers)) || na < int64(len(all.Addresses)) || nd < int64(len(all.Types)) {
		k.fail(errclass.Arg, "room for %d integers, %d addresses and %d datatypes; there are %d, %d and %d",
			ni, na, nd, len(all.Integers), len(all.Addresses), len(all.Types))
	}
	for i, x := range all.Integers {
		if x == types.DefaultArg && t.Envelope().Combiner == types.CombinerDarray {
			x = defaultArg
		}
		if x > math.MaxInt32 || x < math.MinInt32 {
			k.fail(errclass.ValueTooLarge, "argument %d of the constructor is %d", i, x)
		}
		putInt(ints+4*int64(i), int(x))
	}
	for i, x := range all.Addresses {
		put(addresses+8*int64(i), x)
	}
	for i, x := range all.Types {
		h, _ := k.r.datatypeHandle(x)
		put(datatypes+8*int64(i), h)
	}
	return nil
}

// oldCalls are functions that MPI-3.0 removed and programs still call.
var oldCalls = map[string]handler{
	"Address":           environmentCalls["Get_address"],
	"Errhandler_create": errorCalls["Comm_create_errhandler"],
	"Errhandler_get":    errorCalls["Comm_get_errhandler"],
	"Errhandler_set":    errorCalls["Comm_set_errhandler"],
	"Type_hvector":      createHVector,
	"Type_hindexed":     createHIndexed,
	"Type_struct":       createStruct,
	"Type_extent": func(k *call) error {
		_, extent := k.anyDatatype().Extent(k.r.sizes)
		put(k.out(), extent)
		return nil
	},
	"Type_lb": func(k *call) error {
		lb, _ := k.anyDatatype().Extent(k.r.sizes)
		put(k.out(), lb)
		return nil
	},
	"Type_ub": func(k *call) error {
		lb, extent := k.anyDatatype().Extent(k.r.sizes)
		put(k.out(), lb+extent)
		return nil
	},
}

// packCalls are packing and unpacking.
var packCalls = map[string]handler{
	"Pack": func(k *call) error {
		c := k.lookComm(6)
		b, out, position := k.buffer(), k.bytes(), k.out()
		next, err := c.Pack(b, out, k.getCount(position))
		if err == nil {
			k.putCount(position, next)
		}
		return err
	},
	"Unpack": func(k *call) error {
		c := k.lookComm(6)
		in, position := k.bytes(), k.out()
		next, err := c.Unpack(in, k.getCount(position), k.buffer())
		if err == nil {
			k.putCount(position, next)
		}
		return err
	},
	"Pack_size": func(k *call) error {
		c := k.lookComm(2)
		n, t := k.word(), k.datatype()
		k.skip()
		size, err := c.PackSize(n, t)
		if err == nil {
			k.putCount(k.out(), size)
		}
		return err
	},
	"Pack_external": func(k *call) error {
		rep, b, out, position := k.string(), k.buffer(), k.bytes(), k.out()
		next, err := port.Reps(k.r.world).PackExternal(rep, b, out, peek[int64](position))
		if err != nil {
			return k.local(err)
		}
		put(position, next)
		return nil
	},
	"Unpack_external": func(k *call) error {
		rep, in, position := k.string(), k.bytes(), k.out()
		next, err := port.Reps(k.r.world).UnpackExternal(rep, in, peek[int64](position), k.buffer())
		if err != nil {
			return k.local(err)
		}
		put(position, next)
		return nil
	},
	"Pack_external_size": func(k *call) error {
		rep, n := k.string(), k.word()
		size, err := port.Reps(k.r.world).PackExternalSize(rep, n, k.datatype())
		if err != nil {
			return k.local(err)
		}
		put(k.out(), size)
		return nil
	},
}

// getCount reads a count.
func (k *call) getCount(address int64) int64 {
	if k.large {
		return peek[int64](address)
	}
	return int64(peek[int32](address))
}

func typeExtent(k *call) error {
	lb, extent := k.anyDatatype().Extent(k.r.sizes)
	return k.putBounds(lb, extent)
}

func typeTrueExtent(k *call) error {
	lb, extent := k.anyDatatype().TrueExtent(k.r.sizes)
	return k.putBounds(lb, extent)
}

func createHVector(k *call) error {
	n, length, stride := k.word(), k.word(), k.word()
	return k.newType(types.HVector(n, length, stride, k.anyDatatype()))
}

func createHIndexed(k *call) error {
	n := k.word()
	blocks := k.blockList(n, k.counts(n), k.addresses(n))
	return k.newType(types.HIndexed(blocks, k.anyDatatype()))
}

func createStruct(k *call) error {
	n := k.word()
	lens, displs := k.counts(n), k.addresses(n)
	fields := make([]types.Field, n)
	for i, h := range array[int64](k, k.word(), n) {
		fields[i] = types.Field{Count: lens[i], Disp: displs[i], Type: k.lookDatatype(h).t}
	}
	return k.newType(types.Struct(fields...))
}
