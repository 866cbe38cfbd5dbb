package peers

import (
	"fmt"
	"strconv"
	"time"
)

// External returns the length and the [Hash] of the window packed in
// external32. It needs a window, as [Peer.Window] makes it.
//
// MPI_Pack_external
func (p *Peer) External() (length int64, hash uint64, err error) {
	return p.pair("external")
}

// PackExternal is [Peer.Pack] in external32.
func (p *Peer) PackExternal(n int64) (time.Duration, error) { return p.measure("packx", n) }

// UnpackExternal is [Peer.Unpack] in external32.
func (p *Peer) UnpackExternal(n int64) (time.Duration, error) { return p.measure("unpackx", n) }

// Store writes n etypes, which follow each other in memory filled by [Pattern],
// to the file at path through a view from byte 0 on. The filetype is the type
// that was built, and so is the etype if it is named "self"; else it is a
// predefined one. It returns the count of the status.
func (p *Peer) Store(path, rep, etype string, n int64) (count int64, err error) {
	count, _, err = p.pair("store", path, rep, etype, decimal(n))
	return count, err
}

// Fetch reads the data that Store wrote into zeroed memory, and returns the [Hash] of that
// memory.
func (p *Peer) Fetch(path, rep, etype string, n int64) (count int64, hash uint64, err error) {
	return p.pair("fetch", path, rep, etype, decimal(n))
}

// FileExtent returns the extent in a file of the type that was built.
//
// MPI_File_get_type_extent
func (p *Peer) FileExtent(path, rep string) (int64, error) {
	line, err := p.ask("extent", path, rep)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(line, 10, 64)
}

// RegisterDatarep registers a data representation, with conversion functions if
// it converts. It returns "accepted" or the name of the class of the error.
//
// MPI_Register_datarep
func (p *Peer) RegisterDatarep(name string, converts bool) (string, error) {
	how := "plain"
	if converts {
		how = "converts"
	}
	return p.ask("datarep", name, how)
}

// ByteView writes one item of the type that was built, from at most 64 bytes of memory with
// the values 0, 1, 2 and so on, to the file at path through a view of bytes. It returns the
// library's name for the representation or, if the library refuses to set the view, the name
// of the error's class.
func (p *Peer) ByteView(path, rep string) (string, error) { return p.ask("byteview", path, rep) }

func (p *Peer) pair(words ...string) (n int64, hash uint64, err error) {
	line, err := p.ask(words...)
	if err != nil {
		return 0, 0, err
	}
	if _, err = fmt.Sscanf(line, "%d %x", &n, &hash); err != nil {
		err = fmt.Errorf("%s answered %q: %w", p.lib.Name, line, err)
	}
	return n, hash, err
}
