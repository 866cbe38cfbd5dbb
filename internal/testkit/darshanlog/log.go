// Package darshanlog makes small binary logs of Darshan for tests, of any format version, byte
// order and compression.
//
// Start here: fill a [Log]; [Log.Bytes] returns the file. It is written from the description of
// the format, apart from the reader.
package darshanlog

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
)

// A Log is what a log contains.
type Log struct {
	Minor   int              // of the version 3.MM
	Order   binary.ByteOrder // nil: little endian
	Raw     bool             // not compressed
	Exe     string
	Ranks   int
	Mounts  []string            // "type\tpath"
	Names   []string            // of the records 1, 2, ...
	Modules map[int]Module      // by number in that version
	Partial uint64              // bits of modules with missing data
	Pack    func([]byte) []byte // compresses a region, in place of zlib
	Code    byte                // of the compression of Pack
}

// A Module is the records of a module.
type Module struct {
	Version uint32
	Records []any // see [Log.Words]
}

// Words returns values one after the other: int and int64 as 8 bytes, float64, uint32, a string
// as 64 bytes, []byte as they are.
func (l *Log) Words(values ...any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case int:
			b = l.order().AppendUint64(b, uint64(v))
		case int64:
			b = l.order().AppendUint64(b, uint64(v))
		case float64:
			b = l.order().AppendUint64(b, math.Float64bits(v))
		case uint32:
			b = l.order().AppendUint32(b, v)
		case string:
			b = append(b, append([]byte(v), make([]byte, 64-len(v))...)...)
		case []byte:
			b = append(b, v...)
		case []any:
			b = append(b, l.Words(v...)...)
		default:
			panic(v)
		}
	}
	return b
}

type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func (l *Log) order() order {
	if l.Order == binary.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// pack compresses a region as the two streams of two processes.
func (l *Log) pack(b []byte) []byte {
	switch {
	case l.Pack != nil:
		return l.Pack(b)
	case l.Raw:
		return b
	}
	var out bytes.Buffer
	for _, part := range [][]byte{b[:len(b)/2], b[len(b)/2:]} {
		z := zlib.NewWriter(&out)
		z.Write(part)
		z.Close()
	}
	return out.Bytes()
}

// Bytes returns the log.
func (l *Log) Bytes() []byte {
	slots, partial, job := 16, any(uint32(l.Partial)), []any{1000, 100, 101, l.Ranks, 7}
	head := 24
	if l.Minor >= 41 {
		slots, partial, head = 64, int(l.Partial), 32
		job = []any{1000, 100, 500_000_000, 102, 0, l.Ranks, 7}
	}
	size := head + 16*(1+slots) + 4*slots
	text := l.Exe
	for _, m := range l.Mounts {
		text += "\n" + m
	}
	meta := append([]byte("lib_ver=3.4.6\n"), make([]byte, 1024-14)...)
	body := l.pack(append(append(l.Words(job...), meta...), text+"\x00"...))
	names := []byte(nil)
	for i, name := range l.Names {
		names = append(names, l.Words(i+1)...)
		if l.Minor == 0 {
			names = append(append(names, l.Words(uint32(len(name)))...), name...)
			continue
		}
		names = append(names, name+"\x00"...)
	}
	type span struct{ off, len int }
	add := func(b []byte) span {
		if len(b) == 0 {
			return span{}
		}
		b = l.pack(b)
		s := span{size + len(body), len(b)}
		body = append(body, b...)
		return s
	}
	spans := []span{add(names)}
	var versions []any
	for i := range slots {
		m := l.Modules[i]
		spans = append(spans, add(l.Words(m.Records...)))
		versions = append(versions, m.Version)
	}
	code := l.Code
	if l.Raw {
		code = 2
	}
	version := []byte("3.00\x00\x00\x00\x00")
	version[2], version[3] = byte('0'+l.Minor/10), byte('0'+l.Minor%10)
	pad := 3
	if l.Minor >= 41 {
		pad = 7
	}
	out := l.Words(version, 6567223, []byte{code}, make([]byte, pad), partial)
	for _, s := range spans {
		out = append(out, l.Words(s.off, s.len)...)
	}
	return append(append(out, l.Words(versions...)...), body...)
}
