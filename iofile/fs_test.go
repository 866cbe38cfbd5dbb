package iofile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

func init() { thorough.Fewer() }

// onAll runs f on a file system of each sort of store.
func onAll(t *testing.T, f func(t *testing.T, s *FS), opts ...Option) {
	for name, make := range storeMakers {
		t.Run(name, func(t *testing.T) { f(t, NewFS(make(t), opts...)) })
	}
}

// bytesFrom is the view of bytes from the first.
func bytesFrom() types.Tiling {
	l, err := types.Byte.Layout(types.Host)
	if err != nil {
		panic(err)
	}
	return types.Tiling{L: l}
}

// save writes a file by one open of its own.
func save(t *testing.T, s *FS, name, text string) {
	t.Helper()
	f, err := s.openFile(name, Create|WriteOnly, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := f.image.Open()
	assert.NoError(t, h.Write(bytesFrom(), 0, []byte(text)))
	assert.NoError(t, h.Close())
	assert.NoError(t, f.release(false))
}

func load(t *testing.T, f *openFile) string {
	t.Helper()
	p := make([]byte, f.image.Size())
	_, err := f.image.ReadAt(p, 0)
	assert.NoError(t, err)
	return string(p)
}

// If this fails, standard Go code cannot look at the files of an MPI world.
func TestGoFS(t *testing.T) {
	onAll(t, func(t *testing.T, s *FS) {
		assert.NoError(t, s.Mkdir("sub"))
		assert.NoError(t, s.Mkdir("sub/deep"))
		assert.NoError(t, s.Mkdir("empty"))
		names := []string{"a", "grid.dat", "sub/b", "sub/deep/c"}
		for _, name := range names {
			save(t, s, name, "bytes of "+name)
		}
		save(t, s, "none", "")
		if err := fstest.TestFS(s, append(names, "none", "empty")...); err != nil {
			t.Error(err)
		}
		p, err := fs.ReadFile(s, "sub/deep/c")
		assert.NoError(t, err)
		assert.Equal(t, "bytes of sub/deep/c", string(p))
		for _, err := range []error{
			second(fs.ReadFile(s, "nothing")), second(s.Open("nothing")), second(fs.Stat(s, "nothing")), second(fs.ReadDir(s, "nothing")),
		} {
			assert.ErrorIs(t, err, fs.ErrNotExist)
			assert.ErrorIs(t, err, ErrNoSuchFile)
		}
		assert.ErrorIs(t, second(s.Open("../a")), fs.ErrInvalid)
		assert.NoError(t, s.Close(), "all files that were opened are closed")
		assert.ErrorIs(t, second(s.Open("a")), fs.ErrClosed)
	})
}

func second[T any](_ T, err error) error { return err }

// If this fails, a reader outside the world sees unpublished bytes, or misses published
// ones.
func TestGoFSShowsPublishedBytes(t *testing.T) {
	onAll(t, func(t *testing.T, s *FS) {
		f, err := s.openFile("f", Create|ReadWrite, 0)
		assert.NoError(t, err)
		h := f.image.Open()
		assert.NoError(t, h.Write(bytesFrom(), 0, []byte("abc")))
		in, err := s.Open("f")
		assert.NoError(t, err)
		p, err := io.ReadAll(in)
		assert.NoError(t, err)
		assert.Empty(t, p)
		assert.NoError(t, h.Publish())
		info, err := in.Stat()
		assert.NoError(t, err)
		assert.EqualValues(t, 3, info.Size())
		p, err = io.ReadAll(in)
		assert.NoError(t, err)
		assert.Equal(t, "abc", string(p))
		_, err = in.(io.Seeker).Seek(-2, io.SeekEnd)
		assert.NoError(t, err)
		p, err = io.ReadAll(in)
		assert.NoError(t, err)
		assert.Equal(t, "bc", string(p))
		assert.NoError(t, h.Close())
		assert.NoError(t, f.release(false))
		assert.ErrorIs(t, s.Close(), ErrFileInUse)
		assert.NoError(t, in.Close())
		assert.ErrorIs(t, in.Close(), fs.ErrClosed)
		assert.NoError(t, s.Close())
	})
}

// If this fails, two opens of a name do not open the same file, or a deleted file ends
// before its last close or exists after it.
func TestFilesInUse(t *testing.T) {
	onAll(t, func(t *testing.T, s *FS) {
		t.Run("IO-OPEN-07 one image for all opens", func(t *testing.T) {
			a, err := s.openFile("f", Create|ReadWrite, 0)
			assert.NoError(t, err)
			b, err := s.openFile("f", ReadOnly, 0)
			assert.NoError(t, err)
			assert.Same(t, a.image, b.image)
			_, err = s.openFile("f", Create|Excl|ReadWrite, 0)
			classIs(t, ErrFileExists, err, "IO-AMODE-05 of an open file")
			assert.NoError(t, a.release(false))
			assert.NoError(t, b.release(false))
		})
		t.Run("IO-DEL-02 deleting an open file", func(t *testing.T) {
			save(t, s, "g", "old")
			f, err := s.openFile("g", ReadWrite, 0)
			assert.NoError(t, err)
			assert.NoError(t, s.remove("g"))
			classIs(t, ErrNoSuchFile, s.remove("g"), "IO-DEL-01 the name is gone")
			assert.Equal(t, "old", load(t, f))
			save(t, s, "g", "new one")
			assert.Equal(t, "old", load(t, f))
			assert.NoError(t, f.release(true), "its name is gone; the new file is not its own")
			p, err := fs.ReadFile(s, "g")
			assert.NoError(t, err)
			assert.Equal(t, "new one", string(p))
		})
		t.Run("IO-CLOSE-03 delete on close while others have it open", func(t *testing.T) {
			save(t, s, "h", "bytes")
			a, err := s.openFile("h", ReadWrite|DeleteOnClose, 0)
			assert.NoError(t, err)
			b, err := s.openFile("h", ReadWrite, 0)
			assert.NoError(t, err)
			assert.NoError(t, a.release(true))
			_, err = s.openFile("h", ReadOnly, 0)
			classIs(t, ErrNoSuchFile, err, "unlinked at once")
			assert.Equal(t, "bytes", load(t, b))
			assert.NoError(t, b.release(false))
		})
		t.Run("IO-CLOSE-03 delete on close of a file that somebody removed", func(t *testing.T) {
			save(t, s, "i", "bytes")
			f, err := s.openFile("i", ReadWrite|DeleteOnClose, 0)
			assert.NoError(t, err)
			assert.NoError(t, s.store.Remove("i"))
			assert.NoError(t, f.release(true), "it is gone, as it should be")
			assert.ErrorIs(t, second(s.Stat("i")), fs.ErrNotExist)
		})
		t.Run("IO-AMODE-07 unique open", func(t *testing.T) {
			a, err := s.openFile("u", Create|ReadWrite|UniqueOpen, 0)
			assert.NoError(t, err)
			_, err = s.openFile("u", ReadOnly, 0)
			classIs(t, ErrFileInUse, err, "the first is unique")
			assert.NoError(t, a.release(false))
			a, err = s.openFile("u", ReadOnly, 0)
			assert.NoError(t, err)
			_, err = s.openFile("u", ReadOnly|UniqueOpen, 0)
			classIs(t, ErrFileInUse, err, "the second would be unique")
			assert.NoError(t, a.release(false))
			a, err = s.openFile("u", ReadOnly|UniqueOpen, 0)
			assert.NoError(t, err)
			assert.NoError(t, a.release(false))
		})
		t.Run("closing is refused while a file is open", func(t *testing.T) {
			a, err := s.openFile("f", ReadOnly, 0)
			assert.NoError(t, err)
			assert.ErrorIs(t, s.Close(), ErrFileInUse)
			assert.NoError(t, a.release(false))
			assert.NoError(t, s.Close())
			assert.NoError(t, s.Close())
			_, err = s.openFile("f", ReadOnly, 0)
			classIs(t, ErrFile, err, "closed")
		})
	})
}

// If this fails, the option of IO-DEL-02 deletes bytes under ranks that use
// them.
func TestStrictDelete(t *testing.T) {
	onAll(t, func(t *testing.T, s *FS) {
		f, err := s.openFile("f", Create|ReadWrite, 0)
		assert.NoError(t, err)
		classIs(t, ErrFileInUse, s.remove("f"), "open")
		assert.NoError(t, f.release(false))
		assert.NoError(t, s.remove("f"))
		t.Run("IO-AMODE-06 delete on close is as delete", func(t *testing.T) {
			save(t, s, "g", "bytes")
			a, err := s.openFile("g", ReadWrite|DeleteOnClose, 0)
			assert.NoError(t, err)
			b, err := s.openFile("g", ReadWrite|DeleteOnClose, 0)
			assert.NoError(t, err)
			classIs(t, ErrFileInUse, a.release(true), "b has it open")
			_, err = s.Stat("g")
			assert.NoError(t, err, "still there")
			assert.NoError(t, b.release(true), "a is closed all the same")
			assert.ErrorIs(t, second(s.Stat("g")), fs.ErrNotExist)
			assert.NoError(t, s.Close())
		})
	}, WithStrictDelete())
}

// If this fails, an impossible name crashes a store or gets through.
func TestNames(t *testing.T) {
	onAll(t, func(t *testing.T, s *FS) {
		for _, name := range []string{"", ".", "/etc/passwd", "../x", "a/../../x", "a//b", "a\x00b", strings.Repeat("n", 256), strings.Repeat("d/", 2500) + "f"} {
			_, err := s.openFile(name, Create|ReadWrite, 0)
			classIs(t, ErrBadFile, err, "IO-NAME-01 "+name)
			classIs(t, ErrBadFile, s.remove(name), "IO-NAME-01 "+name)
		}
		_, err := s.openFile("nodir/f", Create|ReadWrite, 0)
		classIs(t, ErrNoSuchFile, err, "no such directory")
		for _, name := range []string{"/" + strings.Repeat("n", 1<<20), strings.Repeat("n", 1<<20), strings.Repeat("n/", 1<<20), strings.Repeat("n/", 2000) + "n"} {
			_, err := s.openFile(name, Create|ReadWrite, 0)
			assert.Error(t, err)
			assert.Less(t, len(err.Error()), 300, "a message is read by people")
		}
		assert.ErrorContains(t, second(s.openFile("", ReadOnly, 0)), `name ""`)
		var made *fs.PathError
		assert.ErrorAs(t, s.Mkdir(""), &made)
		assert.Empty(t, made.Path, "as it was given")
	})
}

// If this fails, a file that may only be read cannot be opened at all, or can
// be opened for writing behind a reader's back.
func TestReadOnlyFile(t *testing.T) {
	w := &wrapped{inner: NewMemStore()}
	s := NewFS(w)
	save(t, s, "f", "bytes")
	w.denied = fault.WithClass(ErrReadOnly, errors.New("read-only file system"))
	_, err := s.openFile("f", ReadWrite, 0)
	classIs(t, ErrReadOnly, err, "for writing")
	f, err := s.openFile("f", ReadOnly, 0)
	assert.NoError(t, err)
	_, err = s.openFile("f", ReadWrite, 0)
	classIs(t, ErrReadOnly, err, "for writing while it is open for reading")
	assert.Equal(t, "bytes", load(t, f))
	assert.NoError(t, f.release(false))
	_, err = s.openFile("new", ReadWrite|Create, 0)
	classIs(t, ErrReadOnly, err, "create")
}

// unusable checks that every method of s fails with an error of both classes.
func unusable(t *testing.T, s *FS, want errclass.Class, cousin error) {
	t.Helper()
	for what, err := range map[string]error{
		"open file": second(s.openFile("f", Create|ReadWrite, 0)), "delete": s.remove("f"), "mkdir": s.Mkdir("d"),
		"open": second(s.Open("f")), "stat": second(s.Stat("f")), "read dir": second(s.ReadDir(".")), "read file": second(s.ReadFile("f")),
	} {
		classIs(t, want, err, what)
		if what != "open file" && what != "delete" {
			assert.ErrorIs(t, err, want, what)
			assert.ErrorIs(t, err, cousin, what)
		}
	}
}

// If this fails, a file system that was never made crashes the program.
func TestNilFS(t *testing.T) {
	for _, s := range []*FS{nil, new(FS), NewFS(nil)} {
		unusable(t, s, ErrArg, fs.ErrInvalid)
		assert.ErrorIs(t, s.Close(), ErrArg)
		assert.NotEmpty(t, s.String())
	}
	assert.NoError(t, NewMem(nil, WithStrictDelete(), nil).Mkdir("d"))
}

// If this fails, files turn up in a file system that was given up.
func TestClosedFS(t *testing.T) {
	onAll(t, func(t *testing.T, s *FS) {
		save(t, s, "f", "bytes")
		assert.NoError(t, s.Close())
		unusable(t, s, ErrFile, fs.ErrClosed)
		assert.NoError(t, s.Close())
	})
}

// If this fails, looking at a sparse file kills the process.
func TestReadFileTooLarge(t *testing.T) {
	s := NewMem()
	f, err := s.openFile("f", Create|ReadWrite, 0)
	assert.NoError(t, err)
	for _, n := range []int64{1<<40 + 1, 1 << 61, extent.MaxSize} {
		assert.NoError(t, f.image.SetSize(n))
		_, err = fs.ReadFile(s, "f")
		assert.ErrorIs(t, err, ErrNoMem)
		var path *fs.PathError
		if assert.ErrorAs(t, err, &path) {
			assert.Equal(t, "f", path.Path)
		}
	}
	assert.NoError(t, f.release(false))
	assert.NoError(t, s.Close(), "a failed read leaves nothing open")
}

// If this fails, a program cannot be read while it runs, though reading it
// disturbs no rank.
func TestReadDuringRun(t *testing.T) {
	self, err := os.Executable()
	assert.NoError(t, err)
	s, err := NewDir(filepath.Dir(self), WithDir(DirSettings{Unlocked: true}))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(self)
	f, err := s.openFile(name, ReadOnly, 0)
	if assert.NoError(t, err, "IO-AMODE-01 reading only") {
		assert.NotZero(t, f.image.Size())
		assert.NoError(t, f.release(false))
	}
	in, err := s.Open(name)
	if assert.NoError(t, err) {
		assert.NoError(t, in.Close())
	}
	_, err = s.ReadFile(name)
	assert.NoError(t, err)
	assert.NoError(t, s.Close())
}

// If this fails, a full store is reported as another error, or at another time than when
// bytes are published.
func TestFullStore(t *testing.T) {
	w := &wrapped{inner: NewMemStore()}
	s := NewFS(w)
	f, err := s.openFile("f", ReadWrite|Create, 0)
	assert.NoError(t, err)
	assert.True(t, f.fallible)
	w.full = fault.WithClass(ErrNoSpace, errors.New("disk full"))
	h := f.image.Open()
	assert.NoError(t, h.Write(bytesFrom(), 0, []byte("abc")))
	assert.ErrorIs(t, h.Publish(), errclass.NoSpace)
	w.full = nil
	assert.NoError(t, h.Close())
	assert.Equal(t, "abc", load(t, f))
	assert.NoError(t, f.release(false))
}

// If this fails, one real file under two names has two images, and ranks lose
// each other's bytes.
func TestFileWithTwoNames(t *testing.T) {
	dir := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("bytes"), 0o600))
	assert.NoError(t, os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "hard")))
	assert.NoError(t, os.Symlink("f", filepath.Join(dir, "soft")))
	s, err := NewDir(dir)
	assert.NoError(t, err)
	var fs []*openFile
	for _, name := range []string{"f", "hard", "soft"} {
		f, err := s.openFile(name, ReadWrite, 0)
		assert.NoError(t, err)
		fs = append(fs, f)
	}
	assert.Same(t, fs[0].image, fs[1].image)
	assert.Same(t, fs[0].image, fs[2].image)
	assert.NoError(t, fs[1].release(true))
	_, err = os.Stat(filepath.Join(dir, "hard"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	for _, f := range []*openFile{fs[0], fs[2]} {
		assert.Equal(t, "bytes", load(t, f))
		assert.NoError(t, f.release(false))
	}
	assert.NoError(t, s.Close())
}

// child is the name of the variable that makes this test binary act as another
// process, on the directory that is its value.
const child = "COMMWORLD_TEST_DIR"

// role is the name of the variable that selects another action of the other process;
// roles has the actions, which return the exit status.
const role = "COMMWORLD_TEST_ROLE"

var roles = map[string]func(dir string) int{}

// TestMain lets the binary be the other process of TestOtherProcess: it
// publishes, writes more without publishing, says so, and waits to be killed.
func TestMain(m *testing.M) {
	dir := os.Getenv(child)
	if dir == "" {
		os.Exit(m.Run())
	}
	if act := roles[os.Getenv(role)]; act != nil {
		os.Exit(act(dir))
	}
	if seed, err := strconv.ParseUint(os.Getenv(program), 10, 64); err == nil {
		os.Stderr.WriteString(killed(dir, seed).Error() + "\n")
		os.Exit(6)
	}
	s, err := NewDir(dir)
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(3)
	}
	f, err := s.openFile("f", Create|ReadWrite, 0)
	if err != nil {
		os.Exit(4)
	}
	h := f.image.Open()
	if h.Write(bytesFrom(), 0, []byte("safe")) != nil || h.Publish() != nil || h.Write(bytesFrom(), 4, []byte("lost")) != nil {
		os.Exit(5)
	}
	os.Stdout.WriteString("ready\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	select {}
}

// If this fails, two processes write one directory at once and corrupt it, or
// bytes that were synced do not survive the death of a process, or a dead
// process keeps a directory locked.
func TestOtherProcess(t *testing.T) {
	dir := t.TempDir()
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), child+"="+dir)
	in, err := other.StdinPipe()
	assert.NoError(t, err)
	defer in.Close()
	out, err := other.StdoutPipe()
	assert.NoError(t, err)
	if err := other.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("SKIPPED: this program runs under an emulator that cannot start another")
	} else if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 6)
	_, err = io.ReadFull(out, line)
	assert.NoError(t, err)
	assert.Equal(t, "ready\n", string(line))
	_, err = NewDir(dir)
	assert.ErrorIs(t, err, ErrFileInUse)
	assert.ErrorContains(t, err, "another process")
	assert.NoError(t, other.Process.Kill())
	_ = other.Wait()
	s, err := NewDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.ReadFile("f")
	assert.NoError(t, err)
	assert.Equal(t, "safe", string(p))
	_, err = NewDir(dir)
	assert.ErrorIs(t, err, ErrFileInUse, "also within a process")
	assert.NoError(t, s.Close())
	s, err = NewDir(dir)
	assert.NoError(t, err)
	assert.NoError(t, s.Close())
	entries, err := os.ReadDir(dir)
	assert.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Len(t, entries, 1, "no lock file is left behind")
	}
}

// If this fails, a wrong path gets the error of a directory that is in use.
func TestNewDirErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := NewDir(filepath.Join(dir, "nothing"))
	assert.ErrorIs(t, err, ErrNoSuchFile)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = NewDir(filepath.Join(dir, "file"))
	assert.ErrorIs(t, err, ErrBadFile)
	a, err := NewDir(dir, WithDir(DirSettings{Unlocked: true}))
	assert.NoError(t, err)
	b, err := NewDir(dir)
	assert.NoError(t, err)
	assert.NoError(t, a.Close())
	assert.NoError(t, b.Close())
}

// If this fails, a directory does not do what its documentation says of holes
// and of directories below it.
func TestDirectoryAsDocumented(t *testing.T) {
	dir := t.TempDir()
	outer, err := NewDir(dir, WithModel(consistency.Weakest.WithPoison('x')))
	assert.NoError(t, err)
	assert.NoError(t, outer.Mkdir("sub"))
	inner, err := NewDir(filepath.Join(dir, "sub"))
	assert.NoError(t, err, "the lock is on one directory")
	f, err := inner.openFile("f", Create|ReadWrite, 0)
	assert.NoError(t, err)
	assert.NoError(t, f.image.SetSize(3))
	assert.NoError(t, f.release(false))
	p, err := outer.ReadFile("sub/f")
	assert.NoError(t, err)
	assert.Equal(t, "\x00\x00\x00", string(p), "not poison")
	assert.NoError(t, inner.Close())
	assert.NoError(t, outer.Close())
}

// If this fails, cutting a sparse file reads every hole of it, for hours.
func TestTruncateSparseFile(t *testing.T) {
	s, err := NewDir(t.TempDir())
	assert.NoError(t, err)
	f, err := s.openFile("f", ReadWrite|Create, 0)
	assert.NoError(t, err)
	a := f.image.Open()
	const far = 1 << 40
	assert.NoError(t, a.Write(bytesFrom(), far, []byte("far")))
	assert.NoError(t, a.Publish())
	b := f.image.Open()
	assert.NoError(t, f.image.SetSize(0))
	p := make([]byte, 3)
	n, err := b.Read(bytesFrom(), far, p)
	assert.NoError(t, err)
	assert.Equal(t, "far", string(p[:n]), "b has not adopted the new size")
	assert.NoError(t, b.Close())
	assert.NoError(t, a.Close())
	assert.NoError(t, f.release(false))
	assert.NoError(t, s.Close())
}
