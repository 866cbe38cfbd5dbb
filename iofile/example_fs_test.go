package iofile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// NewMem makes a file system in memory. It outlives the world that wrote to it, and it
// is an fs.FS, so that package io/fs reads what the ranks published.
func ExampleNewMem() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteOrdered(types.Of([]byte{'a' + byte(c.Rank())}))
		return errors.Join(err, f.Close())
	})
	text, e := fs.ReadFile(fsys, "f")
	fmt.Println(string(text), e, err)
	// Output: ab <nil> <nil>
}

// NewDir works on the real files below a directory. The directory is locked until Close,
// so that no second process changes its files.
func ExampleNewDir() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fsys, err := iofile.NewDir(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, second := iofile.NewDir(dir)
	fmt.Println("locked:", errors.Is(second, iofile.ErrFileInUse))
	err = world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteOrdered(types.Of([]byte{'a' + byte(c.Rank())}))
		return errors.Join(err, f.Close())
	})
	text, _ := os.ReadFile(filepath.Join(dir, "f"))
	fmt.Println(string(text), err, fsys.Close())
	// Output:
	// locked: true
	// ab <nil> <nil>
}

// Unlocked opens a directory that cannot be locked, or that is locked already. To keep other
// processes off it is then your task.
func ExampleWithDir() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	first, e1 := iofile.NewDir(dir, iofile.WithDir(iofile.DirSettings{Unlocked: true}))
	second, e2 := iofile.NewDir(dir, iofile.WithDir(iofile.DirSettings{Unlocked: true}))
	fmt.Println(e1, e2)
	fmt.Println(first.Close(), second.Close())
	// Output:
	// <nil> <nil>
	// <nil> <nil>
}

// Undurable does not wait for the storage device: the bytes still survive the end of this
// process.
func ExampleWithDir_undurable() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fsys, err := iofile.NewDir(dir, iofile.WithDir(iofile.DirSettings{Undurable: true}))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteOrdered(types.Of([]byte{'a' + byte(c.Rank())}))
		return errors.Join(err, f.Close())
	})
	text, _ := os.ReadFile(filepath.Join(dir, "f"))
	fmt.Println(string(text), err, fsys.Close())
	// Output:
	// ab <nil> <nil>
}

// NewDirStore and NewMemStore return the stores of NewDir and NewMem, so that a store of
// your own can wrap them. See the example of NewFS.
func ExampleNewDirStore() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := iofile.NewDirStore(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fsys := iofile.NewFS(store)
	err = fsys.Import("f", strings.NewReader("text"))
	text, _ := os.ReadFile(filepath.Join(dir, "f"))
	fmt.Println(string(text), err, fsys.Close())
	// Output: text <nil> <nil>
}

// A store of NewMemStore keeps its bytes in memory. FlagCreate makes a file, and
// FlagPerm says which permissions it gets.
func ExampleNewMemStore() {
	store := iofile.NewMemStore()
	b, err := store.Open("f", iofile.FlagWrite|iofile.FlagCreate|iofile.FlagPerm(0o640))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = b.WriteAt([]byte("text"), 0)
	fmt.Println(b.Size(), err, b.Close())
	_, err = store.Open("absent", iofile.FlagWrite)
	fmt.Println(iofile.ClassOf(err), store.Close())
	// Output:
	// 4 <nil> <nil>
	// no such file <nil>
}

// FlagPerm puts the permissions of a new file into the flag of Store.Open.
func ExampleFlagPerm() {
	flag := iofile.FlagWrite | iofile.FlagCreate | iofile.FlagPerm(0o640)
	fmt.Printf("%o\n", flag.Perm())
	// Output: 640
}

// Import makes a file of any reader, and Export copies a file to any writer, byte for
// byte.
func ExampleFS_Import() {
	fsys := iofile.NewMem()
	err := fsys.Import("f", strings.NewReader("from a reader"))
	var out strings.Builder
	n, e := fsys.Export("f", &out)
	fmt.Println(n, out.String(), err, e)
	// Output: 13 from a reader <nil> <nil>
}

// Export copies only published bytes: it does not contain writes that a rank has not synced.
func ExampleFS_Export() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, e1 := f.Write(types.Of([]byte("synced")))
		e2 := f.Sync()
		_, e3 := f.Write(types.Of([]byte(" and more")))
		_, e4 := fsys.Export("f", os.Stdout)
		fmt.Println()
		return errors.Join(e1, e2, e3, e4, f.Close())
	})
	fmt.Println(err)
	// Output:
	// synced
	// <nil>
}

// ExportFile writes a file of a memory file system as a real file.
func ExampleFS_ExportFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fsys := iofile.NewMem()
	e1 := fsys.Import("f", strings.NewReader("text"))
	e2 := fsys.ExportFile("f", filepath.Join(dir, "copy"))
	text, e3 := os.ReadFile(filepath.Join(dir, "copy"))
	fmt.Println(string(text), e1, e2, e3)
	// Output: text <nil> <nil> <nil>
}

// Snapshot copies all published bytes, so that a test can compare before and after.
func ExampleFS_Snapshot() {
	fsys := iofile.NewMem()
	e1 := fsys.Import("f", strings.NewReader("before"))
	was, e2 := fsys.Snapshot()
	e3 := fsys.Import("f", strings.NewReader("after"))
	old, _ := was.ReadFile("f")
	now, _ := fsys.ReadFile("f")
	fmt.Println(string(old), string(now), e1, e2, e3)
	// Output: before after <nil> <nil> <nil>
}

// Mkdir makes a directory. ReadDir and Stat are those of package io/fs.
func ExampleFS_Mkdir() {
	fsys := iofile.NewMem()
	e1 := fsys.Mkdir("out")
	e2 := fsys.Import("out/grid", strings.NewReader("text"))
	entries, e3 := fsys.ReadDir("out")
	about, e4 := fsys.Stat("out/grid")
	fmt.Println(entries[0].Name(), about.Size(), errors.Join(e1, e2, e3, e4))
	// Output: grid 4 <nil>
}

// WithCapacity limits the memory, to test the program's reaction to a full store. Here the
// bytes find no room when Sync publishes them.
func ExampleWithCapacity() {
	fsys := iofile.NewMem(iofile.WithCapacity(image.PageSize))
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of(make([]byte, 2*image.PageSize)), 0)
		fmt.Println("write:", err)
		fmt.Println("sync finds no room:", errors.Is(f.Sync(), iofile.ErrNoSpace))
		return errors.Join(f.SetSize(0), f.Close())
	})
	fmt.Println(err)
	// Output:
	// write: <nil>
	// sync finds no room: true
	// <nil>
}

// Crash returns a possible state after a power cut. Synced bytes are always there; the
// unsynced byte is there or not, depending on the seed.
func ExampleFS_Crash() {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Crashes))
	var left []string
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, e1 := f.Write(types.Of([]byte("safe")))
		e2 := f.Sync()
		_, e3 := f.Write(types.Of([]byte("?")))
		for seed := range uint64(20) {
			after, err := fsys.Crash(seed)
			if err != nil {
				return err
			}
			text, _ := after.ReadFile("f")
			left = append(left, string(text))
		}
		return errors.Join(e1, e2, e3, f.Close())
	})
	slices.Sort(left)
	fmt.Println(slices.Compact(left), err)
	// Output: [safe safe?] <nil>
}

// Crashes makes a file system track unsynced writes. Without it Crash is an error.
func ExampleWithTracking_crashes() {
	_, err := iofile.NewMem().Crash(1)
	fmt.Println("refused:", errors.Is(err, iofile.ErrUnsupportedOperation))
	_, err = iofile.NewMem(iofile.WithTracking(iofile.Crashes)).Crash(1)
	fmt.Println(err)
	// Output:
	// refused: true
	// <nil>
}

// WithFaults makes calls fail by rules, to test the program's reaction. Rules can change at
// any time: here the second try to sync works.
func ExampleWithFaults() {
	plan, err := faults.NewPlan(faults.Must("sync error=io")...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fsys := iofile.NewMem(iofile.WithFaults(plan))
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte("text")), 0)
		fmt.Println("first try fails:", errors.Is(f.Sync(), iofile.ErrIO))
		err = errors.Join(err, plan.Set()) // no rules any more
		fmt.Println("second try:", f.Sync())
		return errors.Join(err, f.Close())
	})
	fmt.Println(err)
	// Output:
	// first try fails: true
	// second try: <nil>
	// <nil>
}

// WithStrictDelete refuses to delete an open file, as some systems do. The default takes
// the name away at once. The standard allows both, so a program must work with both.
func ExampleWithStrictDelete() {
	for _, fsys := range []*iofile.FS{iofile.NewMem(), iofile.NewMem(iofile.WithStrictDelete())} {
		err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			err = iofile.Delete(fsys, "f")
			fmt.Println("refused:", errors.Is(err, iofile.ErrFileInUse))
			return f.Close()
		})
		fmt.Println(err)
	}
	// Output:
	// refused: false
	// <nil>
	// refused: true
	// <nil>
}

// Access is called for every data access, with the bytes of the file that it read or wrote: a
// start for tools that record or check accesses.
func ExampleWithCallbacks_access() {
	fsys := iofile.NewMem(iofile.WithCallbacks(iofile.Callbacks{Access: func(o *iofile.Observed) {
		fmt.Print(o.Op, " at ", o.Offset, ":")
		for off, n := range o.Runs() {
			fmt.Printf(" [%d, %d)", off, off+n)
		}
		fmt.Println()
	}}))
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		_, e1 := f.WriteAt(types.Of([]byte("abcdef")), 0)
		e2 := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 2)})
		_, e3 := f.ReadAt(types.Of(make([]byte, 2)), 1)
		return errors.Join(e1, e2, e3, f.Close())
	})
	fmt.Println(err)
	// Output:
	// WriteAt at 0: [0, 6)
	// ReadAt at 1: [2, 3) [4, 5)
	// <nil>
}

// Provenance makes a file system track who wrote every byte, to find out which rank is to
// blame for a wrong one.
func ExampleWithTracking() {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte("abc")), iofile.Offset(5*c.Rank()))
		return errors.Join(err, f.Close())
	})
	origins, e := fsys.Provenance("f", 0, 8)
	for _, o := range origins {
		fmt.Printf("[%d, %d) %s", o.Lo, o.Hi, o.From)
		if o.From == consistency.FromWrite {
			fmt.Printf(" by %s on rank %d", o.Op, o.Rank)
		}
		fmt.Println()
	}
	fmt.Println(e, err)
	// Output:
	// [0, 3) write by WriteAt on rank 0
	// [3, 5) hole
	// [5, 8) write by WriteAt on rank 1
	// <nil> <nil>
}

// ExportProvenance writes who wrote which byte as lines of JSON, for other programs and
// for commworld dump --who.
func ExampleFS_ExportProvenance() {
	fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte("abc")), iofile.Offset(3*c.Rank()))
		return errors.Join(err, f.Close())
	})
	var out bytes.Buffer
	err = errors.Join(err, fsys.ExportProvenance("f", &out))
	lines := json.NewDecoder(&out)
	var head iofile.ProvenanceHead
	err = errors.Join(err, lines.Decode(&head))
	fmt.Println(head.File, head.Size, "bytes", err)
	for {
		var o consistency.Origin
		if err := lines.Decode(&o); err != nil {
			fmt.Println(err == io.EOF)
			break
		}
		fmt.Println(o.Lo, o.Hi, "rank", o.Rank)
	}
	// Output:
	// f 6 bytes <nil>
	// 0 3 rank 0
	// 3 6 rank 1
	// true
}

// Lints returns calls of the program on the file that are legal, but probably not what you
// meant. Here a hint is misspelt.
func ExampleFile_Lints() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		hints := comm.NewInfo()
		if err := hints.Set("cb_node", "2"); err != nil {
			return err
		}
		f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.WriteOnly, iofile.WithInfo(hints))
		if err != nil {
			return err
		}
		for _, l := range f.Lints() {
			fmt.Println(l.Rule, l.Op, l.Text)
		}
		return f.Close()
	})
	fmt.Println(err)
	// Output:
	// IO-INFO-04 Open the hint "cb_node" is unknown, so it has no effect; did you mean cb_nodes?
	// <nil>
}

// WithoutBytes makes files that have a size and no bytes. With buffers of types.Fill, which
// have no memory, 100 ranks write 100 TiB here.
func ExampleWithoutBytes() {
	const each = 1 << 40
	fsys := iofile.NewMem(iofile.WithoutBytes())
	rep, err := world.RunReport(context.Background(), 100, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "checkpoint", iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		_, err = f.WriteAtAll(types.Fill(each/8, types.Double), iofile.Offset(c.Rank())*each)
		return errors.Join(err, f.Close())
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := fsys.Stat("checkpoint")
	fmt.Println(rep.Files[0].Requests.Writes, "requests,", info.Size()>>40, "TiB", err)
	// Output: 100 requests, 100 TiB <nil>
}
