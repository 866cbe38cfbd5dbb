package mutants

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// A StoreMutant is a key-value store with one bug, or with none.
type StoreMutant struct{ Bug string }

// Maker returns a maker of such stores.
func (m StoreMutant) Maker() proptest.KeyValueMaker {
	return func() (proptest.KeyValueLayer, error) {
		power := new(proptest.Power)
		return &cachedLayer{m.Bug, power, proptest.NewCrashingKeyValue(power, true)}, nil
	}
}

// Stores lists the broken key-value stores.
func Stores() (all []StoreMutant) {
	for _, b := range cachedBugs {
		all = append(all, StoreMutant{b})
	}
	return all
}

// A cachedLayer keeps the changes of each rank until a sync, and what it has read. The store
// below it loses its power.
type cachedLayer struct {
	b     bug
	power *proptest.Power
	store *proptest.CrashingKeyValue
}

func (l *cachedLayer) Power() *proptest.Power { return l.power }

func (l *cachedLayer) Restart() (proptest.KeyValueLayer, error) { return l, nil }

func (l *cachedLayer) KeyValueOperations() []proptest.KeyValueOperation {
	on := func(do func(*cached) error) func(*comm.Comm, proptest.KeyValueHandle) error {
		return func(_ *comm.Comm, h proptest.KeyValueHandle) error { return do(h.(*cached)) }
	}
	return []proptest.KeyValueOperation{
		{Name: "compact", Effect: gen.ChangesNothing, Call: on((*cached).compact)},
		{Name: "refresh", Effect: gen.Syncs, Call: on((*cached).refresh)},
		{Name: "clear", Effect: gen.Empties, Call: on((*cached).clear)},
	}
}

func (l *cachedLayer) OpenStore(c *comm.Comm, name string) (proptest.KeyValueHandle, error) {
	if l.b == "all stores are one" {
		name = "s"
	}
	return &cached{l: l, c: c, b: l.b, name: name, kv: l.store.For(c), pending: map[string][]byte{}, seen: map[string][]byte{}}, nil
}

type cached struct {
	l       *cachedLayer
	c       *comm.Comm
	b       bug
	name    string
	kv      proptest.CrashingStore
	pending map[string][]byte // nil: deleted
	seen    map[string][]byte // nil: missing
}

var cachedBugs = []bug{
	"all stores are one",
	"keys end at NUL",
	"keys have no case",
	"keys are cut after 255 bytes",
	"keys are paths",
	"keys are text",
	"values end at NUL",
	"values of zeros are none",
	"empty values are none",
	"values are text",
	"values are cut after 64 KiB",
	"values are not copied",
	"a delete is not published",
	"a deleted key stays in the list",
	"what was read is kept over a sync",
	"what was missing is kept as missing",
	"a sync does not wait",
	"a sync publishes on rank 0 only",
	"a sync is not durable",
	"a sync is durable before it publishes",
	"a sync does not publish the first change",
	"a close does not publish",
	"lists lack own keys",
	"lists have own keys twice",
	"lists have the keys of all stores",
	"collective puts take the key of rank 0",
	"collective puts lose the last rank",
	"collective puts take the longest value",
	"long values are two",
	"compacting drops empty values",
	"compacting publishes half",
	"a refresh does not fetch",
	"clearing keeps the last key",
}

// key returns the key in the store below.
func (h *cached) key(key []byte) string {
	s := string(key)
	switch h.b {
	case "keys end at NUL":
		s, _, _ = strings.Cut(s, "\x00")
	case "keys have no case":
		s = strings.ToLower(s)
	case "keys are cut after 255 bytes":
		s = s[:min(len(s), 255)]
	case "keys are paths":
		s = path.Clean(s)
	case "keys are text":
		s = strings.ToValidUTF8(s, "?")
	}
	return h.name + ":" + s
}

// value returns the value in the store below.
func (h *cached) value(v []byte) []byte {
	switch h.b {
	case "values end at NUL":
		v, _, _ = bytes.Cut(v, []byte{0})
	case "values of zeros are none":
		if len(v) > 0 && len(bytes.Trim(v, "\x00")) == 0 {
			return nil
		}
	case "empty values are none":
		if len(v) == 0 {
			return nil
		}
	case "values are text":
		v = bytes.ToValidUTF8(v, []byte("?"))
	case "values are cut after 64 KiB":
		v = v[:min(len(v), 1<<16)]
	case "values are not copied":
		return v
	}
	return append([]byte{}, v...)
}

func (h *cached) Put(key, value []byte) error {
	h.pending[h.key(key)] = h.value(value)
	return nil
}

func (h *cached) Delete(key []byte) error {
	h.pending[h.key(key)] = nil
	return nil
}

func (h *cached) Get(key []byte) ([]byte, error) {
	k := h.key(key)
	if v, ok := h.pending[k]; ok {
		return bytes.Clone(v), nil
	}
	if v, ok := h.seen[k]; ok {
		return bytes.Clone(v), nil
	}
	v, err := h.fetch(k)
	h.seen[k] = v
	return bytes.Clone(v), err
}

// halves is the suffix of the second half of a long value.
const halves = "\x01half"

func (h *cached) fetch(k string) ([]byte, error) {
	v, err := h.kv.Get([]byte(k))
	if err == nil && h.b == "long values are two" && len(v) == 8 {
		var rest []byte
		rest, err = h.kv.Get([]byte(k + halves))
		v = append(v, rest...)
	}
	return v, err
}

// publish puts the pending changes into the store below.
func (h *cached) publish() error {
	if h.b == "a sync publishes on rank 0 only" && h.c.Rank() > 0 {
		return nil
	}
	for i, k := range slices.Sorted(maps.Keys(h.pending)) {
		if i == 0 && h.b == "a sync does not publish the first change" {
			continue
		}
		if err := h.change(k, h.pending[k]); err != nil {
			return err
		}
	}
	clear(h.pending)
	return nil
}

func (h *cached) change(k string, v []byte) error {
	switch {
	case v == nil && h.b == "a delete is not published":
		return nil
	case v == nil:
		return h.kv.Delete([]byte(k))
	case h.b == "long values are two" && len(v) >= 8:
		return errors.Join(h.kv.Put([]byte(k), v[:8]), h.kv.Put([]byte(k+halves), v[8:]))
	}
	return h.kv.Put([]byte(k), v)
}

func (h *cached) Sync() error {
	if h.b == "a sync is durable before it publishes" {
		if err := h.kv.Flush(); err != nil {
			return err
		}
	}
	if err := h.publish(); err != nil {
		return err
	}
	if h.b != "a sync is not durable" && h.b != "a sync is durable before it publishes" {
		if err := h.kv.Flush(); err != nil {
			return err
		}
	}
	switch h.b {
	case "what was read is kept over a sync":
		maps.DeleteFunc(h.seen, func(_ string, v []byte) bool { return v == nil })
	case "what was missing is kept as missing":
		maps.DeleteFunc(h.seen, func(_ string, v []byte) bool { return v != nil })
	default:
		clear(h.seen)
	}
	if h.b == "a sync does not wait" {
		return nil
	}
	return h.c.Barrier()
}

func (h *cached) Close() error {
	if h.b == "a close does not publish" {
		return h.c.Barrier()
	}
	return h.Sync()
}

func (h *cached) Keys() (all [][]byte, err error) {
	head := h.name + ":"
	if h.b == "lists have the keys of all stores" {
		head = ""
	}
	for _, k := range h.l.store.Keys() {
		_, changed := h.pending[k]
		if strings.HasPrefix(k, head) && !strings.HasSuffix(k, halves) && (!changed || h.b == "lists have own keys twice") {
			all = append(all, []byte(k)[2:])
		}
	}
	for k, v := range h.pending {
		if h.b != "lists lack own keys" && (v != nil || h.b == "a deleted key stays in the list") {
			all = append(all, []byte(k)[2:])
		}
	}
	return all, h.c.Yield()
}

func (h *cached) PutAll(key, value []byte) error {
	switch h.b {
	case "collective puts take the key of rank 0":
		n := []int64{int64(len(key))}
		if err := h.c.Bcast(types.Of(n), 0); err != nil {
			return err
		}
		key = append(bytes.Clone(key), make([]byte, max(0, n[0]-int64(len(key))))...)[:n[0]]
		if err := h.c.Bcast(types.Of(key), 0); err != nil {
			return err
		}
	case "collective puts lose the last rank":
		if h.c.Size() > 1 && h.c.Rank() == h.c.Size()-1 {
			return h.c.Barrier()
		}
	case "collective puts take the longest value":
		n := []int64{0}
		if err := h.c.AllReduce(types.Of([]int64{int64(len(value))}), types.Of(n), comm.Max); err != nil {
			return err
		}
		value = append(bytes.Clone(value), make([]byte, n[0]-int64(len(value)))...)
		if len(value) > 2 {
			value = value[:len(value)-1]
		}
	}
	if err := h.Put(key, value); err != nil {
		return err
	}
	return h.c.Barrier()
}

// compact has nothing to do: each key is there once.
func (h *cached) compact() error {
	switch h.b {
	case "compacting drops empty values":
		maps.DeleteFunc(h.pending, func(_ string, v []byte) bool { return v != nil && len(v) == 0 })
	case "compacting publishes half":
		for _, k := range slices.Sorted(maps.Keys(h.pending))[:len(h.pending)/2] {
			delete(h.pending, k)
		}
	}
	return h.c.Barrier()
}

func (h *cached) refresh() error {
	if h.b == "a refresh does not fetch" {
		return errors.Join(h.publish(), h.kv.Flush(), h.c.Barrier())
	}
	return h.Sync()
}

// clear removes all keys; rank 0 does it.
func (h *cached) clear() error {
	var keys []string
	for _, k := range h.l.store.Keys() {
		if strings.HasPrefix(k, h.name+":") {
			keys = append(keys, k)
		}
	}
	if h.b == "clearing keeps the last key" {
		keys = keys[:max(0, len(keys)-1)]
	}
	if h.c.Rank() > 0 {
		keys = nil
	}
	for _, k := range keys {
		if err := h.kv.Delete([]byte(k)); err != nil {
			return err
		}
	}
	clear(h.pending)
	return h.c.Barrier()
}
