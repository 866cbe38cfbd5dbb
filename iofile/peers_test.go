package iofile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shared file is n etypes in a view, as we and a peer write it.
type sharedFile struct {
	name  string
	etype *types.Type
	ft    *types.Type
	rep   string
	n     int64
}

// sharedFiles lists the files that both sides write.
func sharedFiles() []sharedFile {
	var all []sharedFile
	for _, rep := range []string{"native", "external32"} {
		for _, k := range []*types.Type{types.Int, types.Double, types.Char, types.Float, types.LongLong, types.Short} {
			pair := types.Resized(types.Struct(types.Field{Count: 1, Type: k}, types.Field{Count: 2, Disp: 12, Type: types.Short}), 0, 24)
			for _, s := range []sharedFile{
				{"contiguous", k, k, rep, 7},
				{"vector", k, types.Vector(2, 1, 3, k), rep, 7},
				{"subarray", k, types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2, Start: 1}, {Size: 6, Sub: 3, Start: 2}}, k), rep, 9},
				{"struct", pair, pair, rep, 5},
			} {
				s.name = fmt.Sprintf("%s %s of %v", rep, s.name, k)
				all = append(all, s)
			}
		}
	}
	return all
}

// etypeName names the etype for a peer.
func (s *sharedFile) etypeName() string {
	if k := s.etype.Kind(); k.Valid() {
		return k.MPI()
	}
	return "self"
}

// memory returns the bytes with which a peer fills its memory.
func (s *sharedFile) memory() []byte {
	_, extent := s.etype.Extent(reps.LP64LE)
	mem := make([]byte, s.n*extent)
	peers.Pattern(mem, 0)
	return mem
}

// ours writes or reads the file with this module.
func (s *sharedFile) ours(t *testing.T, fsys *iofile.FS, name string, mem []byte, write bool) {
	t.Helper()
	with(t, 1, fsys, name, create, func(f *iofile.File, _ int) error {
		if err := f.SetView(iofile.View{Etype: s.etype, Filetype: s.ft, Rep: s.rep}); err != nil {
			return err
		}
		access := f.Read
		if write {
			access = f.Write
		}
		_, err := access(types.Raw(mem, s.n, s.etype))
		return err
	})
}

// data returns the bytes of a file that the view names; the others are
// anything (DIV-24).
func (s *sharedFile) data(file []byte) []byte {
	sizes := sizesOn(s.rep, reps.LP64LE)
	l, err := s.ft.Layout(sizes)
	if err != nil {
		panic(err)
	}
	var p []byte
	for off, n := range (types.Tiling{L: l}).Runs(0, s.n*s.etype.Size(sizes)) {
		for i := off; i < off+n; i++ {
			if i < int64(len(file)) {
				p = append(p, file[i])
			}
		}
	}
	return p
}

// deviates returns the files in which a library deviates from the standard, with the
// deviation. The test fails for a library that no longer deviates, so that the table gets
// fixed.
var deviates = map[string]func(s *sharedFile) bool{
	// DIV-36: the process crashes when it packs a struct of several kinds.
	"MPICH": func(s *sharedFile) bool {
		return s.rep == "external32" && s.etypeName() == "self" && s.etype.Signature().Only() == types.KindNone
	},
}

// chancy reports on which files a library sometimes crashes: at once, or in a later
// call, because its heap is damaged. So the library is started anew after each such
// file, and any result is accepted.
var chancy = map[string]func(s *sharedFile) bool{
	"MPICH": func(s *sharedFile) bool { return s.rep == "external32" && s.etypeName() == "self" },
}

// TestPeersFiles exchanges files with other MPI libraries. If it fails, data
// cannot move between them and us.
func TestPeersFiles(t *testing.T) {
	thorough.Only(t)
	likePeers(t)
	for _, lib := range peers.All() {
		t.Run(lib.Name, func(t *testing.T) {
			if err := lib.Missing(); err != nil {
				t.Skip(err)
			}
			p, err := lib.Start()
			require.NoError(t, err)
			defer func() { _ = p.Close() }()
			again := func() { // it may be dead, or dying
				_ = p.Close()
				p, err = lib.Start()
				require.NoError(t, err)
			}
			dir := t.TempDir()
			fsys, err := iofile.NewDir(dir)
			require.NoError(t, err)
			defer fsys.Close()
			for i, s := range sharedFiles() {
				t.Run(s.name, func(t *testing.T) {
					theirs := fmt.Sprintf("theirs%d", i)
					ours := fmt.Sprintf("ours%d", i)
					what := s.exchange(t, p, fsys, dir, ours, theirs)
					doubtful := chancy[lib.Name] != nil && chancy[lib.Name](&s)
					if len(what) > 0 || doubtful {
						defer again()
					}
					if want := deviates[lib.Name]; want != nil && want(&s) {
						assert.NotEmpty(t, what, "%s now follows the standard: remove it from the list", lib.Name)
						return
					}
					if doubtful {
						t.Log(what)
						return
					}
					assert.Empty(t, what)
				})
			}
		})
	}
}

// sizeAfter lets a peer write n of etype through a view and returns the size of
// the file.
func sizeAfter(p *peers.Peer, dir string, etype, ft *types.Type, n int64) string {
	path := filepath.Join(dir, "size")
	_ = os.Remove(path)
	if err := p.Build(ft); err != nil {
		return "error"
	}
	if _, err := p.Store(path, "external32", etype.Kind().MPI(), n); err != nil {
		return "error"
	}
	info, err := os.Stat(path)
	if err != nil {
		return "error"
	}
	return fmt.Sprint(info.Size(), " bytes")
}

// extentOf asks a peer for an extent in external32.
func extentOf(p *peers.Peer, dir string, t *types.Type) string {
	if err := p.Build(t); err != nil {
		return "error"
	}
	n, err := p.FileExtent(filepath.Join(dir, "extent"), "external32")
	if err != nil {
		return "error"
	}
	return fmt.Sprint(n)
}

// likePeers skips a test whose ranks have another architecture than this machine, because
// the peers fill and compare memory of this machine.
func likePeers(t *testing.T) {
	t.Helper()
	for _, k := range []types.Kind{types.KindLong, types.KindLongDouble} {
		if types.Host.Sizeof(k) != reps.LP64LE.Sizeof(k) {
			t.Skip("SKIPPED: the peers here are no LP64LE machines")
		}
	}
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
		t.Skip("SKIPPED: the peers here are big-endian, the ranks LP64LE")
	}
}

// said returns an answer, or a text that there was none.
func said(answer string, err error) string {
	if err != nil {
		return "error"
	}
	return answer
}

// throughBytes writes an int through a view of bytes and returns the name that
// the view has.
func throughBytes(p *peers.Peer, path, rep string) string {
	if err := p.Build(types.Int); err != nil {
		return "error"
	}
	return said(p.ByteView(path, rep))
}

// registered registers a representation and sets a view in it.
func registered(p *peers.Peer, dir, name string, converts bool) string {
	if answer := said(p.RegisterDatarep(name, converts)); answer != "accepted" {
		return answer
	}
	if answer := throughBytes(p, filepath.Join(dir, "view"), name); answer != name {
		return answer
	}
	return "works"
}

// packedBy compares what a peer packs in external32 with what we do.
func packedBy(p *peers.Peer, t *types.Type) string {
	l, err := t.Layout(reps.LP64LE)
	if err != nil {
		return "error"
	}
	mem, out := make([]byte, l.TrueUB), make([]byte, t.Size(reps.External32))
	peers.Pattern(mem, 0)
	if err := p.Build(t); err != nil {
		return "error"
	}
	if err := p.Window(1, 0, l.TrueUB); err != nil {
		return "error"
	}
	n, hash, err := p.External()
	_, bad := reps.PackExternal("external32", reps.LP64LE, types.Raw(mem, 1, t), out, 0)
	switch {
	case err != nil:
		return "error"
	case n != int64(len(out)):
		return fmt.Sprint(n, " bytes")
	case bad != nil || hash != peers.Hash(out):
		return "other bytes"
	}
	return "right"
}

// TestPeersDeviations compares the table of other libraries and external32 with the
// installed libraries. If it fails, one has changed, and its row of the table is wrong.
func TestPeersDeviations(t *testing.T) {
	thorough.Only(t)
	likePeers(t)
	// The pattern makes an x87 number here: its leading bit is set.
	wideAt := types.HIndexed([]types.Block{{Len: 1, Disp: 1}}, types.LongDouble)
	alive := map[*peers.Library]*peers.Peer{}
	defer func() {
		for _, p := range alive {
			_ = p.Close()
		}
	}()
	for _, row := range []struct {
		name     string
		standard string
		theirs   map[string]string // where it is not the standard's
		ask      func(p *peers.Peer, dir string) string
	}{
		{
			"DIV-07 extent of long", "4",
			map[string]string{"MPICH": "8", "Open MPI": "8"},
			func(p *peers.Peer, dir string) string { return extentOf(p, dir, types.Long) },
		},
		{
			"REP-EXT-04 extent of wchar", "2",
			map[string]string{"MPICH": "4", "Open MPI": "4"},
			func(p *peers.Peer, dir string) string { return extentOf(p, dir, types.WChar) },
		},
		{
			"DIV-08 contiguous longs", "12 bytes",
			map[string]string{"MPICH": "24 bytes"},
			func(p *peers.Peer, dir string) string { return sizeAfter(p, dir, types.Long, types.Long, 3) },
		},
		{
			"DIV-09 strided longs", "20 bytes",
			map[string]string{"MPICH": "40 bytes", "Open MPI": "28 bytes"},
			func(p *peers.Peer, dir string) string {
				return sizeAfter(p, dir, types.Long, types.Vector(2, 1, 3, types.Long), 3)
			},
		},
		{
			"DIV-10 long double", "right",
			map[string]string{"Open MPI": "other bytes"},
			func(p *peers.Peer, _ string) string { return packedBy(p, wideAt) },
		},
		{
			"PK-X32-02 strided doubles", "right", nil,
			func(p *peers.Peer, _ string) string { return packedBy(p, types.Vector(5, 2, 3, types.Double)) },
		},
		{
			"DIV-11 wide character", "2 bytes",
			map[string]string{"MPICH": "error", "Open MPI": "4 bytes"},
			func(p *peers.Peer, _ string) string { return packedBy(p, types.WChar) },
		},
		{
			"DIV-36 struct of several kinds", "right",
			map[string]string{"MPICH": "error"},
			func(p *peers.Peer, _ string) string {
				return packedBy(p, types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 1, Disp: 8, Type: types.Double}))
			},
		},
		{
			"DIV-12 conversion functions", "works",
			map[string]string{"MPICH": "CONVERSION", "Open MPI": "CONVERSION"},
			func(p *peers.Peer, dir string) string { return registered(p, dir, "converting", true) },
		},
		{
			"DIV-13 registered name in a view", "works",
			map[string]string{"MPICH": "UNSUPPORTED_DATAREP", "Open MPI": "OTHER"},
			func(p *peers.Peer, dir string) string { return registered(p, dir, "unconverting", false) },
		},
		{
			"DIV-14 registering a standard name", "DUP_DATAREP",
			map[string]string{"MPICH": "accepted", "Open MPI": "OTHER"},
			func(p *peers.Peer, _ string) string { return said(p.RegisterDatarep("native", false)) },
		},
		{
			"DIV-14 registering a name twice", "DUP_DATAREP",
			map[string]string{"Open MPI": "first OTHER"},
			func(p *peers.Peer, _ string) string {
				if first := said(p.RegisterDatarep("twice", false)); first != "accepted" {
					return "first " + first
				}
				return said(p.RegisterDatarep("twice", false))
			},
		},
		{
			"DIV-25 name of internal", "internal",
			map[string]string{"MPICH": "native", "Open MPI": "UNSUPPORTED_DATAREP"},
			func(p *peers.Peer, dir string) string { return throughBytes(p, filepath.Join(dir, "name"), "internal") },
		},
		{
			"DIV-28 int through bytes", "00010203",
			map[string]string{"MPICH": "03020100", "Open MPI": "03020100"},
			func(p *peers.Peer, dir string) string {
				path := filepath.Join(dir, "bytes")
				if name := throughBytes(p, path, "external32"); name != "external32" {
					return name
				}
				b, err := os.ReadFile(path)
				return said(fmt.Sprintf("%x", b), err)
			},
		},
	} {
		for _, lib := range peers.All() {
			t.Run(row.name+" "+lib.Name, func(t *testing.T) {
				if err := lib.Missing(); err != nil {
					t.Skip(err)
				}
				p, err := alive[lib], error(nil)
				if p == nil {
					p, err = lib.Start()
					require.NoError(t, err)
					alive[lib] = p
				}
				want := row.standard
				if w, ok := row.theirs[lib.Name]; ok {
					want = w
				}
				got := row.ask(p, t.TempDir())
				if got == "error" { // some die of the question
					_ = p.Close()
					delete(alive, lib)
				}
				assert.Equal(t, want, got, "the standard says %s", row.standard)
			})
		}
	}
}

// exchange lets both sides write the file, compares the bytes and lets each
// read that of the other. It returns the differences.
func (s *sharedFile) exchange(t *testing.T, p *peers.Peer, fsys *iofile.FS, dir, ours, theirs string) (wrong []string) {
	t.Helper()
	mem := s.memory()
	if err := p.Build(s.ft); err != nil {
		return append(wrong, fmt.Sprintf("building: %v", err))
	}
	s.ours(t, fsys, ours, mem, true)
	mine, err := fs.ReadFile(fsys, ours)
	require.NoError(t, err)
	if n, err := p.Store(filepath.Join(dir, theirs), s.rep, s.etypeName(), s.n); err != nil || n != s.n {
		return append(wrong, fmt.Sprintf("writing: %d etypes, %v", n, err))
	}
	other, err := os.ReadFile(filepath.Join(dir, theirs))
	require.NoError(t, err)
	if a, b := s.data(mine), s.data(other); !bytes.Equal(a, b) || len(mine) != len(other) {
		wrong = append(wrong, fmt.Sprintf("ours %d bytes % x, theirs %d bytes % x", len(mine), a, len(other), b))
	}
	// The memory of an etype with holes keeps its zeros there.
	want := make([]byte, len(mem))
	packed := make([]byte, s.n*s.etype.Size(reps.LP64LE))
	types.Raw(mem, s.n, s.etype).Pack(packed, 0, reps.LP64LE)
	types.Raw(want, s.n, s.etype).Unpack(packed, 0, reps.LP64LE)
	if n, hash, err := p.Fetch(filepath.Join(dir, ours), s.rep, s.etypeName(), s.n); err != nil || n != s.n || hash != peers.Hash(want) {
		wrong = append(wrong, fmt.Sprintf("they read other values in our file: %d etypes, %v", n, err))
	}
	got := make([]byte, len(mem))
	if s.ours(t, fsys, theirs, got, false); !bytes.Equal(got, want) {
		wrong = append(wrong, fmt.Sprintf("we read other values in their file: % x, want % x", got, want))
	}
	return wrong
}
