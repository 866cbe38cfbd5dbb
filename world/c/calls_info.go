//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
)

// info reads an info. MPI_INFO_NULL is nil, an info without hints.
func (k *call) info() (*comm.Info, error) {
	info, err := k.r.infos.get(k.word())
	if err != nil {
		return nil, k.errorOf(errclass.Info, "%w", err)
	}
	return info, nil
}

func (k *call) infoOrFail() *comm.Info {
	info, err := k.info()
	if err != nil {
		panic(bad{err})
	}
	return info
}

// someInfo reads an info other than MPI_INFO_NULL.
func (k *call) someInfo() *comm.Info {
	info := k.infoOrFail()
	if info == nil {
		k.fail(errclass.Info, "the info is MPI_INFO_NULL")
	}
	return info
}

var infoCalls = map[string]handler{
	"Info_create": func(k *call) error { put(k.out(), k.r.infos.add(comm.NewInfo())); return nil },
	"Info_create_env": func(k *call) error {
		k.skip()
		k.skip()
		put(k.out(), k.r.infos.add(comm.InfoEnv()))
		return nil
	},
	"Info_dup": func(k *call) error {
		info := k.someInfo()
		put(k.out(), k.r.infos.add(info.Dup()))
		return nil
	},
	"Info_free": func(k *call) error {
		a := k.out()
		h := peek[int64](a)
		if _, err := k.r.infos.get(h); err != nil || h < predefined {
			k.fail(errclass.Info, "the info %#x cannot be freed", h)
		}
		k.r.infos.remove(h)
		put(a, int64(infoNull))
		return nil
	},
	"Info_set": func(k *call) error {
		info, key := k.someInfo(), k.string()
		return k.local(info.Set(key, k.string()))
	},
	"Info_delete": func(k *call) error {
		info := k.someInfo()
		return k.local(info.Delete(k.string()))
	},
	"Info_get_nkeys": func(k *call) error {
		info := k.someInfo()
		putInt(k.out(), info.NKeys())
		return nil
	},
	"Info_get_nthkey": func(k *call) error {
		info := k.someInfo()
		key, err := info.NthKey(k.int())
		if err != nil {
			return k.local(err)
		}
		putString(k.out(), key, maxInfoKey)
		return nil
	},
	"Info_get": func(k *call) error {
		info, key, room, out := k.someInfo(), k.infoKey(), k.int(), k.word()
		value, ok := info.Get(key)
		if ok && out != 0 {
			putString(out, value, room+1)
		}
		putBool(k.out(), ok)
		return nil
	},
	"Info_get_valuelen": func(k *call) error {
		info, key, out := k.someInfo(), k.infoKey(), k.out()
		value, ok := info.Get(key)
		if ok {
			putInt(out, len(value))
		}
		putBool(k.out(), ok)
		return nil
	},
	"Info_get_string": func(k *call) error {
		info, key, size, out := k.someInfo(), k.infoKey(), k.out(), k.word()
		value, ok := info.Get(key)
		if ok {
			if room := int(peek[int32](size)); room > 0 {
				putString(out, value, room)
			}
			putInt(size, len(value)+1)
		}
		putBool(k.out(), ok)
		return nil
	},
}

// infoKey reads a key to look up.
func (k *call) infoKey() string {
	key := k.string()
	if key == "" || len(key) > comm.MaxInfoKey {
		k.fail(errclass.InfoKey, "a key of %d bytes", len(key))
	}
	return key
}
