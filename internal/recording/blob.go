package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/commworld/commworld/types"
)

// The kinds of blobs: values that calls name by the number of a slot. A slot has the value that
// was last stored in it.
const (
	blobText  = 's'
	blobList  = 'l' // of integers
	blobType  = 't'
	blobTypes = 'T' // a list of datatypes
)

// None is the slot of a value that the program did not give.
const None = -1

// blob reads a value into its slot.
func (r *Reader) blob() error {
	slot, err := r.below(slots, "slot")
	if err != nil {
		return err
	}
	n, err := r.below(maxBlob, "length of a value")
	if err != nil {
		return err
	}
	b, err := r.in.bytes(n)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return errors.New("an empty value")
	}
	value, err := r.value(b)
	if err != nil {
		return err
	}
	if slot > len(r.blobs) {
		return fmt.Errorf("slot %d comes before slot %d", slot, len(r.blobs))
	}
	if slot == len(r.blobs) {
		r.blobs = append(r.blobs, nil)
	}
	r.blobs[slot] = value
	return nil
}

func (r *Reader) value(b []byte) (any, error) {
	p := parser{b: b[1:]}
	switch b[0] {
	case blobText:
		return string(b[1:]), nil
	case blobList:
		list := p.list(p.count())
		return list, p.end()
	case blobType:
		return r.types.get(b[1:])
	case blobTypes:
		n := p.count()
		list := make([]*types.Type, 0, min(n, 1<<10))
		for range n {
			from := p.b
			if p.skipType(0); p.err != nil {
				return nil, p.err
			}
			t, err := r.types.get(from[:len(from)-len(p.b)])
			if err != nil {
				return nil, err
			}
			list = append(list, t)
		}
		return list, p.end()
	}
	return nil, fmt.Errorf("there is no kind %q of values", b[0])
}

// get returns the value of a slot.
func get[T any](r *Reader, slot int64, what string) (value T, err error) {
	if slot == None {
		return value, nil
	}
	if slot >= 0 && slot < int64(len(r.blobs)) {
		if v, ok := r.blobs[slot].(T); ok {
			return v, nil
		}
	}
	return value, &Error{r.file, r.in.offset(), fmt.Errorf("slot %d has no %s", slot, what)}
}

// List returns the list in a slot; nil for [None].
func (r *Reader) List(slot int64) ([]int64, error) { return get[[]int64](r, slot, "list") }

// Text returns the text in a slot; "" for [None].
func (r *Reader) Text(slot int64) (string, error) { return get[string](r, slot, "text") }

// Type returns the datatype in a slot; nil for [None]. It may hold an error.
func (r *Reader) Type(slot int64) (*types.Type, error) { return get[*types.Type](r, slot, "datatype") }

// Types returns the datatypes in a slot; nil for [None].
func (r *Reader) Types(slot int64) ([]*types.Type, error) {
	return get[[]*types.Type](r, slot, "list of datatypes")
}

// A typeCache has the datatypes of all ranks by their text, so that equal ones are one.
type typeCache struct {
	mu    sync.Mutex
	known map[string]*types.Type
}

func (c *typeCache) get(b []byte) (*types.Type, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.known[string(b)]; t != nil {
		return t, nil
	}
	p := parser{b: b}
	t := p.datatype(0)
	if err := p.end(); err != nil {
		return nil, err
	}
	if c.known == nil {
		c.known = map[string]*types.Type{}
	}
	c.known[string(b)] = t
	return t, nil
}

// A parser reads the bytes of a value.
type parser struct {
	b   []byte
	err error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.b = nil
}

func (p *parser) end() error {
	if p.err == nil && len(p.b) > 0 {
		p.fail("a value is followed by %d bytes", len(p.b))
	}
	return p.err
}

func (p *parser) uvarint() uint64 {
	x, n := binary.Uvarint(p.b)
	if n <= 0 {
		p.fail("a value ends early")
		return 0
	}
	p.b = p.b[n:]
	return x
}

// count reads how many parts follow, each of which has at least one byte.
func (p *parser) count() int {
	n := p.uvarint()
	if n > uint64(len(p.b)) {
		p.fail("%d parts of a value in %d bytes", n, len(p.b))
		return 0
	}
	return int(n)
}

// list reads integers; each is the difference from the one before.
func (p *parser) list(n int) []int64 {
	list := make([]int64, n)
	last := int64(0)
	for i := range list {
		last += unzigzag(p.uvarint())
		list[i] = last
	}
	return list
}

// A shape is a datatype without its parts.
type shape struct {
	combiner   types.Combiner
	name       string // of a predefined type, such as MPI_INT
	ints, adds []int64
	parts      int
}

func (p *parser) shape(depth int) (s shape) {
	if depth > maxNesting {
		p.fail("datatypes are nested more than %d deep", maxNesting)
	}
	c := p.uvarint()
	if s.combiner = types.Combiner(c); c > 255 {
		p.fail("there is no combiner %d", c)
	}
	if s.combiner == types.CombinerNamed {
		n := p.count()
		s.name, p.b = string(p.b[:n]), p.b[n:]
		return s
	}
	s.ints = p.list(p.count())
	s.adds = p.list(p.count())
	s.parts = p.count()
	return s
}

func (p *parser) skipType(depth int) {
	for range p.shape(depth).parts {
		if p.skipType(depth + 1); p.err != nil {
			return
		}
	}
}

// datatype reads a datatype. One that breaks a rule of MPI holds an error.
func (p *parser) datatype(depth int) *types.Type {
	s := p.shape(depth)
	if p.err != nil {
		return nil
	}
	if s.combiner == types.CombinerNamed {
		t := named[s.name]
		if t == nil {
			p.fail("there is no predefined datatype %q", s.name)
		}
		return t
	}
	args := types.Contents{Integers: s.ints, Addresses: s.adds}
	for range s.parts {
		args.Types = append(args.Types, p.datatype(depth+1))
		if p.err != nil {
			return nil
		}
	}
	return types.Rebuild(s.combiner, args)
}

// named has the predefined datatypes by the names that libraries give them.
var named = func() map[string]*types.Type {
	all := map[string]*types.Type{}
	for _, k := range types.Kinds() {
		all[k.MPI()] = types.OfKind(k)
	}
	for _, t := range types.Pairs() {
		all[t.Name()] = t
	}
	for name, same := range map[string]string{
		"MPI_LONG_LONG": "MPI_LONG_LONG_INT", "MPI_C_FLOAT_COMPLEX": "MPI_C_COMPLEX",
		"MPI_CXX_COMPLEX": "MPI_CXX_FLOAT_COMPLEX", "MPI_CXX_BOOL": "MPI_CXX_BOOL",
	} {
		all[name] = all[same]
	}
	return all
}()
