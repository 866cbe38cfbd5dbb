//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
*/
import "C"

import (
	"math"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// Predefined attributes of MPI_COMM_WORLD.
const (
	keyTagUB = 501 + iota
	keyIO
	keyHost
	keyGlobal
	keyAppNum
	keyLastCode
	keyUniverse
	firstKey = 1000 // of the program's keys
)

// The functions that the standard predefines.
const (
	nullFunction = 0
	dupFunction  = 1
)

// A keyval is a key of attributes of communicators, or of datatypes.
type keyval struct {
	r                  *rank
	number             int64
	copyFn, del, extra int64
	comms              *comm.Keyval
	datatypes          *types.Keyval
}

// copy calls the program's function for the value of a duplicate.
func (v *keyval) copy(object, value int64) (any, bool, error) {
	switch v.copyFn {
	case nullFunction:
		return nil, false, nil
	case dupFunction:
		return value, true, nil
	}
	a, free := v.r.cells(16)
	defer free()
	err := v.r.checked(v.copyFn, object, v.number, v.extra, value, a, a+8)
	return peek[int64](a), peek[int32](a+8) != 0, err
}

func (v *keyval) delete(object, value int64) error {
	return v.r.checked(v.del, object, v.number, value, v.extra)
}

func (k *call) newKeyval(datatypes bool) error {
	v := &keyval{r: k.r, number: firstKey + int64(len(k.r.keys)), copyFn: k.word(), del: k.word()}
	out := k.out()
	v.extra = k.word()
	r := k.r
	if datatypes {
		v.datatypes = types.NewKeyval(
			func(old *types.Type, _ *types.Keyval, value any) (any, bool, error) {
				return v.copy(r.attrHandle[old], value.(int64))
			},
			func(t *types.Type, _ *types.Keyval, value any) error { return v.delete(r.attrHandle[t], value.(int64)) })
	} else {
		v.comms = comm.NewKeyval(
			func(old *comm.Comm, _ *comm.Keyval, value any) (any, bool, error) {
				return v.copy(r.commHandle(old), value.(int64))
			},
			func(c *comm.Comm, _ *comm.Keyval, value any) error { return v.delete(r.commHandle(c), value.(int64)) })
	}
	k.r.keys = append(k.r.keys, v)
	putInt(out, int(v.number))
	return nil
}

func (k *call) keyval() *keyval {
	i := k.word() - firstKey
	if i < 0 || i >= int64(len(k.r.keys)) {
		k.fail(errclass.Keyval, "there is no key %d", i+firstKey)
	}
	return k.r.keys[i]
}

func (k *call) commKey() *comm.Keyval {
	if v := k.keyval(); v.comms != nil {
		return v.comms
	}
	k.fail(errclass.Keyval, "the key is one of datatypes")
	return nil
}

func (k *call) typeKey() *types.Keyval {
	if v := k.keyval(); v.datatypes != nil {
		return v.datatypes
	}
	k.fail(errclass.Keyval, "the key is one of communicators")
	return nil
}

// predefinedAttr returns the value of an attribute that the standard predefines.
func (r *rank) predefinedAttr(key int64) (int, bool) {
	switch key {
	case keyTagUB:
		return comm.MaxTag, true
	case keyIO:
		return comm.IO, true
	case keyHost:
		return comm.Host, true
	case keyGlobal:
		return 1, true
	case keyAppNum:
		return comm.AppNum, true
	case keyLastCode:
		return r.world.ErrorCodes().LastUsedCode(), true
	case keyUniverse:
		return r.world.UniverseSize(), true
	}
	return 0, false
}

func getCommAttr(k *call) error {
	c, key := k.onComm(), int64(int32(k.word()))
	if n, ok := k.r.predefinedAttr(key); ok {
		if k.r.attrs == 0 {
			var err error
			if k.r.attrs, err = k.r.allocate(64); err != nil {
				return err
			}
		}
		a := k.r.attrs + 8*(key-keyTagUB)
		putInt(a, min(n, math.MaxInt32))
		put(k.out(), plain(a))
		putBool(k.out(), true)
		return nil
	}
	k.next--
	value, ok, err := c.Attr(k.commKey())
	if err != nil {
		return err
	}
	out := k.out()
	if ok {
		put(out, value.(int64))
	}
	putBool(k.out(), ok)
	return nil
}

func setCommAttr(k *call) error {
	c := k.onComm()
	key := k.commKey()
	if err := c.SetAttr(key, k.word()); err != nil {
		return err
	}
	if c == k.r.self {
		k.r.selfKeys = append(k.r.selfKeys, key)
	}
	return nil
}

func deleteCommAttr(k *call) error {
	c := k.onComm()
	return c.DeleteAttr(k.commKey())
}

func freeKeyval(free func(*keyval) error) handler {
	return func(k *call) error {
		a := k.out()
		i := int64(peek[int32](a)) - firstKey
		if i < 0 || i >= int64(len(k.r.keys)) {
			k.fail(errclass.Keyval, "there is no key %d", i+firstKey)
		}
		if err := free(k.r.keys[i]); err != nil {
			return k.local(err)
		}
		putInt(a, 0)
		return nil
	}
}

var (
	createCommKey = func(k *call) error { return k.newKeyval(false) }
	freeCommKey   = freeKeyval(func(v *keyval) error { return v.comms.Free() })
)

var attributeCalls = map[string]handler{
	"Comm_create_keyval": createCommKey,
	"Keyval_create":      createCommKey,
	"Comm_free_keyval":   freeCommKey,
	"Keyval_free":        freeCommKey,
	"Comm_get_attr":      getCommAttr,
	"Attr_get":           getCommAttr,
	"Comm_set_attr":      setCommAttr,
	"Attr_put":           setCommAttr,
	"Comm_delete_attr":   deleteCommAttr,
	"Attr_delete":        deleteCommAttr,
	"Type_create_keyval": func(k *call) error { return k.newKeyval(true) },
	"Type_free_keyval":   freeKeyval(func(v *keyval) error { return v.datatypes.Free() }),
	"Type_set_attr": func(k *call) error {
		t := k.attrType()
		key := k.typeKey()
		return k.local(t.SetAttr(key, k.word()))
	},
	"Type_get_attr": func(k *call) error {
		t := k.attrType()
		value, ok, err := t.Attr(k.typeKey())
		if err != nil {
			return k.local(err)
		}
		out := k.out()
		if ok {
			put(out, value.(int64))
		}
		putBool(k.out(), ok)
		return nil
	},
	"Type_delete_attr": func(k *call) error {
		t := k.attrType()
		return k.local(t.DeleteAttr(k.typeKey()))
	},
}

// attrType reads a datatype for its attributes. The attributes of a predefined datatype
// belong to a duplicate that the rank makes for them.
func (k *call) attrType() *types.Type {
	h := k.word()
	k.next--
	t := k.anyDatatype()
	if h < predefined {
		if k.r.dups[h] == nil {
			k.r.dups[h] = types.Dup(t)
		}
		t = k.r.dups[h]
	}
	k.r.attrHandle[t] = h
	return t
}
