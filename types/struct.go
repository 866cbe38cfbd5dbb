package types

import "slices"

// A Field is Count copies of Type at Disp bytes.
type Field struct {
	Count, Disp int64
	Type        *Type
}

// A structure is blocks of different types.
type structure struct{ fields []Field }

// Struct returns the fields one after the other in typemap order, at any displacements
// (DT-STRUCT-01). Fields of type [LB] and [UB] set markers.
//
// MPI_Type_create_struct
func Struct(fields ...Field) *Type {
	for i, f := range fields {
		if f.Count < 0 {
			return broken("Struct", ErrArg, "DT-ARG-01", "count %d of field %d is negative", f.Count, i)
		}
		if f.Type == nil {
			return broken("Struct", ErrType, "DT-ARG-01", "the type of field %d is nil", i)
		}
		if f.Type.err != nil {
			return &Type{recipe: basic{}, err: f.Type.err}
		}
	}
	return build(structure{slices.Clone(fields)})
}

func (structure) combiner() Combiner { return CombinerStruct }

func (s structure) contents() Contents {
	c := Contents{Integers: []int64{int64(len(s.fields))}}
	for _, f := range s.fields {
		c.Integers = append(c.Integers, f.Count)
		c.Addresses = append(c.Addresses, f.Disp)
		c.Types = append(c.Types, f.Type)
	}
	return c
}

func (structure) portable() bool { return false }

func (s structure) signature() Signature {
	var all Signature
	parts := make([]Signature, 0, len(s.fields))
	for _, f := range s.fields {
		parts = append(parts, f.Type.Signature().Repeat(f.Count))
	}
	all = concat(parts)
	return all
}

func (s structure) shape(l *layer) shape {
	var all shape
	var list lister
	for _, f := range s.fields {
		var elem shape
		if m, ok := f.Type.recipe.(marker); ok {
			elem = m.shape(l)
		} else {
			elem = l.of(f.Type)
		}
		if f.Count == 0 || l.over {
			continue
		}
		part := l.shift(l.repeat(elem, f.Count, l.extent(&elem)), f.Disp)
		l.join(&all, &part)
		if !l.over {
			list.add(part.nest)
		}
	}
	if !l.over {
		all.nest = list.nests()
	}
	return all
}
