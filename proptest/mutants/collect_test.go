package mutants

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// A part is one rank's part of a collective write.
type part struct {
	off int64
	p   []byte
}

// gather returns the parts of all ranks on rank 0.
func gather(c *comm.Comm, p []byte, off int64) ([]part, error) {
	const tag = 77
	if c.Rank() > 0 {
		if err := c.Send(types.Of([]int64{off, int64(len(p))}), 0, tag); err != nil {
			return nil, err
		}
		return nil, c.Send(types.Of(p), 0, tag)
	}
	parts := []part{{off, p}}
	for r := 1; r < c.Size(); r++ {
		head := make([]int64, 2)
		if _, err := c.Recv(types.Of(head), r, tag); err != nil {
			return nil, err
		}
		body := make([]byte, head[1])
		if _, err := c.Recv(types.Of(body), r, tag); err != nil {
			return nil, err
		}
		parts = append(parts, part{head[0], body})
	}
	return parts, nil
}

// aggregate performs a collective write: each rank writes its own part or, with a bug,
// rank 0 writes for all.
func aggregate(c *comm.Comm, b bug, write func([]byte, int64) (int, error), p []byte, off int64) (int, error) {
	switch b {
	case "collective writes use the offset of rank 0":
		at := []int64{off}
		if err := c.Bcast(types.Of(at), 0); err != nil {
			return 0, err
		}
		return write(p, at[0])
	case "collective writes fill holes with zeros", "collective writes lose the last rank's bytes", "collective writes go in the order of arrival at one place":
	default:
		return write(p, off)
	}
	parts, err := gather(c, p, off)
	if err != nil {
		return 0, err
	}
	if c.Rank() == 0 {
		if err := together(b, write, parts); err != nil {
			return 0, err
		}
	}
	return len(p), c.Barrier()
}

// together writes the parts of all ranks.
func together(b bug, write func([]byte, int64) (int, error), parts []part) error {
	switch b {
	case "collective writes lose the last rank's bytes":
		if len(parts) > 1 {
			parts = parts[:len(parts)-1]
		}
	case "collective writes go in the order of arrival at one place":
		at := parts[0].off
		for i := range parts {
			parts[i].off = at
			at += int64(len(parts[i].p))
		}
	case "collective writes fill holes with zeros":
		parts = []part{filled(parts)}
	}
	for _, x := range parts {
		if len(x.p) == 0 {
			continue
		}
		if _, err := write(x.p, x.off); err != nil {
			return err
		}
	}
	return nil
}

// filled returns one part from the first byte of all parts to the last, with zeros
// between them.
func filled(parts []part) part {
	lo, hi := int64(-1), int64(0)
	for _, x := range parts {
		if len(x.p) > 0 {
			if lo < 0 || x.off < lo {
				lo = x.off
			}
			hi = max(hi, x.off+int64(len(x.p)))
		}
	}
	all := part{max(lo, 0), make([]byte, max(0, hi-max(lo, 0)))}
	for _, x := range parts {
		if len(x.p) > 0 {
			copy(all.p[x.off-all.off:], x.p)
		}
	}
	return all
}
