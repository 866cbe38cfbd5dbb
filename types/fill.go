package types

// filled marks the buffers of Fill in place of the Go type of their memory.
var filled = &goType{name: "types.Fill"}

// Fill returns a buffer of count items of t that has no memory. A file access that writes
// it writes bytes of a fixed pattern, [FillByte], made when they are needed; one that reads
// into it discards the bytes. So a program can move as many bytes as it will on a large
// machine. On a file system made with iofile.WithoutBytes no bytes exist at all, only
// layouts and sizes.
//
// Accesses to files, messages and collectives take such a buffer. MPI libraries that carry ranks
// need memory: they report ErrBuffer.
func Fill(count int64, t *Type) Buffer { return Buffer{count: count, typ: t, native: filled} }

// FillByte returns byte i of the items of [Fill], one after the other without gaps.
func FillByte(i int64) byte { return byte(uint64(i) * 0x9e3779b97f4a7c15 >> 56) }

// Filled reports whether b is a buffer of [Fill].
func (b *Buffer) Filled() bool { return b.native == filled }

// CheckFilled is [Buffer.Check] of a buffer of [Fill], for those that can use one.
func (b *Buffer) CheckFilled(s Sizes) error {
	l, err := b.typ.Layout(s)
	switch {
	case err != nil:
		return err
	case b.count < 0:
		return fault("Buffer", ErrCount, "DT-ARG-01", "count %d is negative", b.count)
	}
	var c calc
	if c.mul(b.count, l.Size); c.over {
		return fault("Buffer", ErrBuffer, "", "%d of %s are more bytes than can be counted", b.count, b.typ)
	}
	return nil
}

// errFilled returns the error for a call that needs memory.
func errFilled() error {
	return fault("Buffer", ErrBuffer, "", "a buffer of types.Fill has no memory, which this call needs")
}

// fillBytes sets p to the bytes of Fill from packed byte from on.
func fillBytes(p []byte, from int64) {
	for i := range p {
		p[i] = FillByte(from + int64(i))
	}
}
