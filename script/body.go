package script

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
)

// Body returns s as a program for the ranks of a world that the caller runs: on an engine,
// or beside other programs. The program can be run once. Body adds to the file system the
// script's files that it does not have. In a job each process calls Body. If ranks open files
// by themselves in a shared directory, rank 0 must call it first, and no rank may start
// before all have called it. After the world has ended, account returns the text of a rank
// of this process: the data it read, and its failed statements with their error classes, in
// the same words on every engine. files returns the contents of the files.
func Body(s *Script, fsys *iofile.FS) (body func(ctx context.Context, c *comm.Comm) error, account func(rank int) string, files func() (map[string][]byte, error), err error) {
	if err := s.sound(); err != nil {
		return nil, nil, nil, err
	}
	r, err := newRunIn(s, newPlan(s), fsys)
	if err != nil {
		return nil, nil, nil, err
	}
	files = func() (map[string][]byte, error) {
		all := map[string][]byte{}
		err := fs.WalkDir(r.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				all[name], err = fs.ReadFile(r.fsys, name)
			}
			return err
		})
		return all, err
	}
	return r.body, r.account, files, nil
}

// account returns a text with the data that a rank read and its statements that failed.
func (r *run) account(rank int) string {
	var b strings.Builder
	k := r.ranks[rank]
	for _, name := range slices.Sorted(maps.Keys(k.results)) {
		x := k.results[name]
		fmt.Fprintf(&b, "%s = ", name)
		if x.IsData {
			fmt.Fprintf(&b, "%s, %d copies, pointer %d\n", hex.EncodeToString(x.Data), x.Count, x.Pos)
		} else {
			fmt.Fprintln(&b, x.Number)
		}
	}
	failures := slices.Clone(k.failures)
	slices.SortStableFunc(failures, func(a, b *Failure) int { return cmp.Compare(a.Stmt.Line, b.Stmt.Line) })
	for _, f := range failures {
		fmt.Fprintf(&b, "line %d: %v\n", f.Stmt.Line, iofile.ClassOf(f.Err))
	}
	return b.String()
}
