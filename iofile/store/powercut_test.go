package store

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A powerTree is a model of a file system below a directory store. The bytes of a file are
// on the device only after a sync of the file, and a name only after a sync of its
// directory. A power cut loses any part of the rest.
type powerTree struct{ root *inode }

// An inode is a file or, if names is not nil, a directory: as programs see it, and
// as the device has it.
type inode struct {
	data, synced       []byte
	names, syncedNames map[string]*inode
}

func newPowerTree() *powerTree {
	return &powerTree{&inode{names: map[string]*inode{}, syncedNames: map[string]*inode{}}}
}

func (t *powerTree) find(name string) (*inode, error) {
	at := t.root
	for part := range strings.SplitSeq(name, "/") {
		if part == "." {
			continue
		}
		if at = at.names[part]; at == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
	}
	return at, nil
}

func (t *powerTree) Name() string { return "power" }
func (t *powerTree) FS() fs.FS    { return nil }
func (t *powerTree) Close() error { return nil }

func (t *powerTree) Readlink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}
func (t *powerTree) Lstat(name string) (fs.FileInfo, error) { return t.Stat(name) }
func (t *powerTree) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find(name)
	if err != nil {
		return nil, err
	}
	return (&powerFile{n, name}).Stat()
}

func (t *powerTree) OpenFile(name string, flag int, _ fs.FileMode) (treeFile, error) {
	n, err := t.find(name)
	if err != nil && flag&os.O_CREATE != 0 {
		var dir *inode
		if dir, err = t.find(path.Dir(name)); err == nil {
			n = &inode{}
			dir.names[path.Base(name)] = n
		}
	}
	return &powerFile{n, name}, err
}

func (t *powerTree) Mkdir(name string, _ fs.FileMode) error {
	dir, err := t.find(path.Dir(name))
	if err == nil {
		dir.names[path.Base(name)] = &inode{names: map[string]*inode{}, syncedNames: map[string]*inode{}}
	}
	return err
}

func (t *powerTree) Remove(name string) error {
	dir, err := t.find(path.Dir(name))
	if err == nil {
		delete(dir.names, path.Base(name))
	}
	return err
}

func (t *powerTree) Rename(from, to string) error {
	n, err := t.find(from)
	if err != nil {
		return err
	}
	dir, err := t.find(path.Dir(to))
	if err != nil {
		return err
	}
	dir.names[path.Base(to)] = n
	return t.Remove(from)
}

type powerFile struct {
	*inode
	name string
}

func (f *powerFile) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	return copy(p, f.data[off:]), nil
}

func (f *powerFile) WriteAt(p []byte, off int64) (int, error) {
	if more := int(off) + len(p) - len(f.data); more > 0 {
		f.data = append(f.data, make([]byte, more)...)
	}
	return copy(f.data[off:], p), nil
}

func (f *powerFile) Truncate(n int64) error {
	f.data = append(f.data, make([]byte, max(0, int(n)-len(f.data)))...)[:n]
	return nil
}

func (f *powerFile) Sync() error {
	f.synced, f.syncedNames = slices.Clone(f.data), maps.Clone(f.names)
	return nil
}
func (f *powerFile) Close() error { return nil }
func (f *powerFile) Stat() (fs.FileInfo, error) {
	mode := fs.FileMode(0o644)
	if f.names != nil {
		mode = fs.ModeDir | 0o755
	}
	return Info(path.Base(f.name), int64(len(f.data)), mode, time.Time{}), nil
}

// cut returns a possible state of the device after a power cut: all that was synced, and a
// random part of the rest.
func (t *powerTree) cut(chance func() bool) map[string][]byte {
	left := map[string][]byte{}
	var walk func(at string, dir *inode)
	walk = func(at string, dir *inode) {
		all := map[string]bool{}
		for name := range dir.names {
			all[name] = true
		}
		for name := range dir.syncedNames {
			all[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			n := dir.syncedNames[name]
			if now := dir.names[name]; now != n && chance() {
				n = now
			}
			switch full := path.Join(at, name); {
			case n == nil:
			case n.syncedNames != nil:
				walk(full, n)
			default:
				b := slices.Clone(n.synced)
				for i := range min(len(b), len(n.data)) {
					if n.data[i] != b[i] && chance() {
						b[i] = n.data[i]
					}
				}
				left[full] = b
			}
		}
	}
	walk(".", t.root)
	return left
}

// If this fails, synced bytes are lost when the power fails.
func TestPowerCut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("directories cannot be synced there; NTFS logs changes of names itself")
	}
	none := func() bool { return false }
	open := func(t require.TestingT, s *Dir, name string) Backing {
		b, err := s.Open(name, FlagWrite|FlagCreate)
		require.NoError(t, err)
		return b
	}
	t.Run("CONS-SYNC-01 IO-CLOSE-01 the name of a file that was first opened for nothing", func(t *testing.T) {
		tree := newPowerTree()
		s := &Dir{root: tree}
		require.NoError(t, open(t, s, "f").Close())
		b := open(t, s, "f")
		_, err := b.WriteAt([]byte("abc"), 0)
		require.NoError(t, err)
		require.NoError(t, b.Sync())
		require.Equal(t, map[string][]byte{"f": []byte("abc")}, tree.cut(none))
	})
	t.Run("CONS-SYNC-01 the directories above a file, made by any call", func(t *testing.T) {
		for _, ours := range []bool{true, false} {
			tree := newPowerTree()
			s := &Dir{root: tree}
			made := s.Mkdir
			if !ours {
				made = func(name string) error { return tree.Mkdir(name, 0) }
			}
			require.NoError(t, made("dir"))
			require.NoError(t, made("dir/deep"))
			b := open(t, s, "dir/deep/f")
			_, err := b.WriteAt([]byte("abc"), 0)
			require.NoError(t, err)
			require.NoError(t, b.Sync())
			require.Equal(t, map[string][]byte{"dir/deep/f": []byte("abc")}, tree.cut(none), "made by this store: %v", ours)
		}
	})
	t.Run("CONS-SYNC-01 a file that another process made", func(t *testing.T) {
		tree := newPowerTree()
		tree.root.names["f"] = &inode{data: []byte("a")}
		b := open(t, &Dir{root: tree}, "f")
		require.NoError(t, b.Sync())
		require.Equal(t, map[string][]byte{"f": []byte("a")}, tree.cut(none))
	})
	t.Run("CONS-SYNC-01 a directory lasts when it is made", func(t *testing.T) {
		tree := newPowerTree()
		require.NoError(t, (&Dir{root: tree}).Mkdir("dir"))
		require.Contains(t, tree.root.syncedNames, "dir")
	})
	t.Run("CONS-SYNC-01 IO-DEL-01 histories", rapid.MakeCheck(powerCutHistory))
}

// powerCutHistory makes random calls, cuts the power, and checks that all promised bytes
// exist.
func powerCutHistory(t *rapid.T) {
	tree := newPowerTree()
	s := &Dir{root: tree}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	dirs, files := []string{"."}, map[string]*inode{}
	if rapid.Bool().Draw(t, "an older directory") {
		check(tree.Mkdir("old", 0))
		dirs = append(dirs, "old")
		if rapid.Bool().Draw(t, "with a file") {
			n := &inode{}
			tree.root.names["old"].names["f0"], files["old/f0"] = n, n
		}
	}
	promised := map[string][][]byte{} // of each byte: its value when synced, and those written since
	type handle struct {
		b    Backing
		name string
		file *inode
	}
	var open []*handle
	anyFile := func() string {
		return rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(t, "file")
	}
	newName := func() string {
		return path.Join(rapid.SampledFrom(dirs).Draw(t, "dir"), fmt.Sprintf("f%d", rapid.IntRange(0, 2).Draw(t, "name")))
	}
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		switch step := rapid.IntRange(0, 7).Draw(t, "step"); {
		case step == 0 && len(dirs) < 5:
			dir := path.Join(rapid.SampledFrom(dirs).Draw(t, "in"), fmt.Sprintf("d%d", len(dirs)))
			check(s.Mkdir(dir))
			dirs = append(dirs, dir)
		case step <= 2:
			name := newName()
			b, err := s.Open(name, FlagWrite|FlagCreate)
			check(err)
			n, err := tree.find(name)
			check(err)
			files[name], open = n, append(open, &handle{b, name, n})
		case step == 3 && len(files) > 0:
			name := anyFile()
			check(s.Remove(name))
			delete(files, name)
			delete(promised, name)
		case step == 4 && len(files) > 0:
			from, to := anyFile(), newName()
			if from == to {
				continue
			}
			check(s.Rename(from, to))
			files[to] = files[from]
			delete(promised, to)
			if p, ok := promised[from]; ok {
				promised[to] = p
			}
			delete(files, from)
			delete(promised, from)
		case len(open) == 0:
		case step <= 6:
			h := rapid.SampledFrom(open).Draw(t, "handle")
			off, v := rapid.IntRange(0, 5).Draw(t, "off"), rapid.Byte().Draw(t, "value")
			_, err := h.b.WriteAt([]byte{v, v}, int64(off))
			check(err)
			for name, n := range files {
				for i := off; n == h.file && i < min(off+2, len(promised[name])); i++ {
					promised[name][i] = append(promised[name][i], v)
				}
			}
		default:
			i := rapid.IntRange(0, len(open)-1).Draw(t, "handle")
			h := open[i]
			check(h.b.Sync())
			for name, n := range files {
				if n == h.file && name == h.name { // one renamed while open kept its promise
					p := make([][]byte, len(n.data))
					for i, v := range n.data {
						p[i] = []byte{v}
					}
					promised[name] = p
				}
			}
			if rapid.Bool().Draw(t, "close") {
				check(h.b.Close())
				open = slices.Delete(open, i, i+1)
			}
		}
	}
	left := tree.cut(func() bool { return rapid.Bool().Draw(t, "on the device") })
	for name, want := range promised {
		got, there := left[name]
		if !there || len(got) < len(want) {
			t.Fatalf("%s was synced and is lost; there is %v", name, left)
		}
		for i, may := range want {
			if !slices.Contains(may, got[i]) {
				t.Fatalf("byte %d of %s is %d, may be %v", i, name, got[i], may)
			}
		}
	}
	for name := range left {
		if files[name] == nil {
			t.Fatalf("%s was removed or renamed, and is there again", name)
		}
	}
}
