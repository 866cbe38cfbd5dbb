package records

import (
	"encoding/binary"
	"slices"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A Bug is a deliberate mistake of a dataset, given to Create or Open. It is here to measure
// which tool finds it.
type Bug string

// The bugs.
const (
	KeepsBlocks    Bug = "a block that was read is kept over syncs"
	StaleCount     Bug = "a sync does not fetch the number of records"
	ReadsCount     Bug = "every read takes the number of records from the header, without a sync"
	LosesCount     Bug = "independent writes do not count records"
	CountOfEach    Bug = "every rank writes the number of records that it knows"
	CountSwapped   Bug = "the number of records is little-endian"
	AllWriteHeader Bug = "every rank writes the header"
	WritesBlocks   Bug = "independent writes write whole blocks of 8 bytes back"
	RoundsUp       Bug = "independent writes end at a multiple of 4"
	Offset32       Bug = "offsets have 32 bits"
	NoFirstSync    Bug = "a sync does not publish"
	NoBarrier      Bug = "a sync has no barrier"
	NoSecondSync   Bug = "a sync does not fetch"
	TwoHandles     Bug = "collective accesses go through a handle of their own"
	EmptyStaysAway Bug = "a rank without elements stays away from a collective write"
	ErrorAlone     Bug = "a rank with an error leaves a collective call"
	DropsError     Bug = "errors of writes and syncs are dropped"
	LeaksFile      Bug = "a file that is no NetCDF file is not closed"
	IgnoresStride  Bug = "strides are ignored"
	NoPadding      Bug = "variables are not padded to 4 bytes"
	PadsSingle     Bug = "a record of only one variable is padded"
	MovesUp        Bug = "data of a longer header are moved from the beginning on"
)

// Bugs lists all bugs.
func Bugs() []Bug {
	return []Bug{
		KeepsBlocks, StaleCount, ReadsCount, LosesCount, CountOfEach, CountSwapped, AllWriteHeader, WritesBlocks, RoundsUp, Offset32,
		NoFirstSync, NoBarrier, NoSecondSync, TwoHandles, EmptyStaysAway, ErrorAlone, DropsError, LeaksFile, IgnoresStride, NoPadding, PadsSingle, MovesUp,
	}
}

func first(bugs []Bug) Bug {
	if len(bugs) == 0 {
		return ""
	}
	return bugs[0]
}

// block is the number of bytes that KeepsBlocks and WritesBlocks read.
const block = 8

func (d *Dataset) readRun(p []byte, off int64) (int64, error) {
	if d.bug != KeepsBlocks {
		return bytesOf(d.f.ReadAt(types.Of(p), iofile.Offset(off)))
	}
	if d.kept == nil {
		d.kept = map[int64][]byte{}
	}
	for i := range p {
		at := off + int64(i)
		b := d.kept[at/block]
		if b == nil {
			b = make([]byte, block)
			if _, err := d.f.ReadAt(types.Of(b), iofile.Offset(at/block*block)); err != nil {
				return int64(i), err
			}
			d.kept[at/block] = b
		}
		p[i] = b[at%block]
	}
	return int64(len(p)), nil
}

func (d *Dataset) writeRun(p []byte, off int64) (int64, error) {
	switch d.bug {
	case WritesBlocks:
		lo, hi := off/block*block, (off+int64(len(p))+block-1)/block*block
		whole := make([]byte, hi-lo)
		if _, err := d.f.ReadAt(types.Of(whole), iofile.Offset(lo)); err != nil {
			return 0, err
		}
		copy(whole[off-lo:], p)
		_, err := d.f.WriteAt(types.Of(whole), iofile.Offset(lo))
		return int64(len(p)), err
	case RoundsUp:
		whole := append(slices.Clone(p), make([]byte, pad(int64(len(p)))-int64(len(p)))...)
		_, err := d.f.WriteAt(types.Of(whole), iofile.Offset(off))
		return int64(len(p)), err
	case KeepsBlocks: // it knows its own writes
		for i := range p {
			if b := d.kept[(off+int64(i))/block]; b != nil {
				b[(off+int64(i))%block] = p[i]
			}
		}
	}
	return bytesOf(d.f.WriteAt(types.Of(p), iofile.Offset(off)))
}

// fresh does nothing, except under the bug in which every read takes the number of records
// from the header.
func (d *Dataset) fresh() error {
	if d.bug != ReadsCount || d.defining {
		return nil
	}
	p := d.count()
	if _, err := d.f.ReadAt(types.Of(p), countAt); err != nil {
		return err
	}
	r := reader{v: d.Version, p: p}
	d.Records = max(d.Records, r.count())
	return nil
}

func (d *Dataset) swapped(count []byte) []byte {
	if d.bug == CountSwapped {
		slices.Reverse(count)
	}
	return count
}

func (d *Dataset) wrapped(off int64) int64 {
	if d.bug == Offset32 {
		return int64(binary.BigEndian.Uint32(binary.BigEndian.AppendUint64(nil, uint64(off))[4:]))
	}
	return off
}

func (d *Dataset) strideOf(r Region, k int) int64 {
	if d.bug == IgnoresStride {
		return 1
	}
	return r.stride(k)
}

// layOut is LayOut, unless a bug changes it.
func (d *Dataset) layOut() {
	d.LayOut()
	switch d.bug {
	case PadsSingle:
		d.RecordSize = pad(d.RecordSize)
	case NoPadding:
		at := int64(len(d.Encode()))
		for _, records := range []bool{false, true} {
			for _, v := range d.Vars {
				if d.IsRecord(v) == records {
					v.Begin, v.Size = at, d.Items(v)*itemSize(v.Type)
					at += v.Size
				}
			}
		}
		d.RecordSize = 0
		for _, v := range d.Vars {
			if d.IsRecord(v) {
				d.RecordSize += v.Size
			}
		}
	}
}
