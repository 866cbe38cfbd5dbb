package darshan

import (
	"errors"
	"io"
)

// A Component is a part of a file on Lustre, with its stripes.
type Component struct {
	Begin, End int64 // bytes of the file; End -1: all that follow
	Size       int64 // of a stripe; 0 if the data are on the metadata server
	Count      int   // stripes
}

// Layouts calls take with the components of each file on Lustre.
//
// Error: ErrArg with region, position and reason for damaged data; that of take.
func (l *Log) Layouts(take func(file uint64, parts []Component) error) error {
	const name = "LUSTRE"
	if !l.Has(name) {
		return nil
	}
	m := l.modules[name]
	r, err := l.open(name, m.span)
	if err != nil {
		return err
	}
	for {
		file, parts, err := l.layout(r, m.version)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(file, parts)
		}
		if err != nil {
			return err
		}
	}
}

const (
	maxComponents = 1 << 16
	maxStripes    = 1 << 24
)

// layout reads a record; io.EOF if there is none.
func (l *Log) layout(r *region, version uint32) (file uint64, parts []Component, err error) {
	if version == 1 {
		b, err := r.next(7 * 8)
		if err != nil {
			return 0, nil, err
		}
		file = r.order.Uint64(b)
		size, count := r.int(b, 5), r.int(b, 6)
		if err := r.stripes(size, count); err != nil {
			return 0, nil, err
		}
		return file, []Component{{0, -1, size, int(count)}}, r.skip(8 * count)
	}
	b, err := r.next(4 * 8)
	if err != nil {
		return 0, nil, err
	}
	file = r.order.Uint64(b)
	components, stripes := r.int(b, 2), r.int(b, 3)
	if components < 0 || components > maxComponents || stripes < 0 || stripes > maxStripes {
		return 0, nil, r.fail("%d components and %d stripes", components, stripes)
	}
	for range components {
		if b, err = r.rest(7*8 + 16); err != nil {
			return 0, nil, err
		}
		size, count := r.int(b, 0), r.int(b, 1)
		if size == -1 {
			continue // not used
		}
		if err := r.stripes(size, count); err != nil {
			return 0, nil, err
		}
		parts = append(parts, Component{r.int(b, 4), r.int(b, 5), size, int(count)})
	}
	if components > 0 {
		err = r.skip(8 * stripes)
	}
	return file, parts, err
}

func (r *region) stripes(size, count int64) error {
	if size < 0 || count < 0 || count > maxStripes {
		return r.fail("%d stripes of %d bytes", count, size)
	}
	return nil
}
