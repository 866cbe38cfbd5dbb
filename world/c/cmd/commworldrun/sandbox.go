package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// mostCopied bounds the files that each of many runs gets a copy of, in bytes.
const mostCopied = 64 << 20

// A sandbox gives each run its own copy of a directory, so that no run sees what another one
// has left.
type sandbox struct {
	from  string // the directory
	top   string // of the copies
	moves bool   // runs have the copy as working directory

	lock    *os.File // on top, while this process runs
	remover *remover
}

// newSandbox returns a sandbox for a directory, the working directory if dir is empty.
func newSandbox(dir string) (*sandbox, error) {
	s := &sandbox{from: dir, moves: dir == ""}
	var err error
	if s.from, err = filepath.Abs(s.from); err != nil {
		return nil, err
	}
	size := int64(0)
	err = filepath.WalkDir(s.from, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		if size > mostCopied {
			return fmt.Errorf("each run gets a copy of the files in %s, and they have more than %d MiB: run in a directory with the program's input only, or name one by --dir", s.from, mostCopied>>20)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	removeOrphans()
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return nil, err
	}
	for s.lock == nil {
		if s.top, err = os.MkdirTemp(temp, sandboxOf(os.Getpid())); err != nil {
			return nil, err
		}
		if s.lock, err = locked(s.top); err != nil {
			return nil, err
		}
	}
	if s.remover, err = newRemover(s.top); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.top), s.lock.Close())
	}
	return s, nil
}

// locked locks a directory until this process ends, nil if another process has locked or removed it.
func locked(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if _, gone := os.Stat(dir); err != nil || gone != nil {
		return nil, f.Close()
	}
	return f, nil
}

// A remover is a process that removes a directory when this process ends, also by SIGKILL.
type remover struct {
	cmd   *exec.Cmd
	alive *os.File // ends with this process
}

// removal waits for the end of standard input. Ranks that end at the same time may still make files.
const removal = `while read -r line; do :; done; i=0; until rm -rf "$0" 2>/dev/null || [ $i -eq 50 ]; do i=$((i+1)); sleep 0.1; done`

func newRemover(dir string) (*remover, error) {
	in, alive, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cmd := exec.Command("/bin/sh", "-c", removal, dir)
	cmd.Stdin, cmd.Dir = in, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what ends the group of this process leaves it
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, alive.Close())
	}
	return &remover{cmd, alive}, nil
}

// close ends the remover, which has nothing left to do.
func (r *remover) close() {
	_ = r.cmd.Process.Kill() // it waits
	_ = r.cmd.Wait()
	_ = r.alive.Close()
}

// removeOrphans removes the directories of processes that have ended and whose removers have, too.
func removeOrphans() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), "commworldrun-*-*")) // the pattern is valid
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !own(info) {
			continue
		}
		if lock, err := locked(dir); err == nil && lock != nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}

// own reports whether a directory is this user's.
func own(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}

// sandboxOf returns how the directory of a process begins.
func sandboxOf(process int) string { return fmt.Sprintf("commworldrun-%d-", process) }

// removeSandbox removes what a process that was ended has left.
func removeSandbox(process int) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), sandboxOf(process)+"*")) // the pattern is valid
	for _, dir := range dirs {
		_ = os.RemoveAll(dir)
	}
}

// next removes what the last run has left, and returns the directories of the files and of the
// output of a new one.
func (s *sandbox) next() (files, output string, err error) {
	files, output = filepath.Join(s.top, "files"), filepath.Join(s.top, "output")
	if s.moves {
		if err = os.Chdir(s.from); err != nil {
			return "", "", err
		}
	}
	for _, dir := range []string{files, output} {
		if err = os.RemoveAll(dir); err != nil {
			return "", "", err
		}
	}
	if err = os.CopyFS(files, os.DirFS(s.from)); err != nil {
		return "", "", err
	}
	if s.moves {
		if err = os.Chdir(files); err != nil {
			return "", "", err
		}
		files = ""
	}
	return files, output, os.Mkdir(output, 0o700)
}

// close removes all copies.
func (s *sandbox) close() error {
	defer s.lock.Close()
	defer s.remover.close()
	if s.moves {
		if err := os.Chdir(s.from); err != nil {
			return err
		}
	}
	return os.RemoveAll(s.top)
}

// left describes what the last run printed, rank by rank, and the files that it made or changed,
// a line each.
func (s *sandbox) left() (lines []string, err error) {
	top := filepath.Join(s.top, "files") // texts of Python name its sources there
	for rank := 0; ; rank++ {
		for _, stream := range []struct{ suffix, name string }{{"out", ""}, {"err", ", standard error"}} {
			text, err := os.ReadFile(filepath.Join(s.top, "output", fmt.Sprintf("rank.%d.%s", rank, stream.suffix)))
			switch {
			case errors.Is(err, fs.ErrNotExist) && stream.suffix == "out":
				return s.changed(lines)
			case err != nil:
				return nil, err
			}
			for line := range strings.Lines(strings.ReplaceAll(string(text), top+"/", "")) {
				lines = append(lines, fmt.Sprintf("rank %d%s: %s", rank, stream.name, strings.TrimRight(line, "\n")))
			}
		}
	}
}

// changed appends the files that the last run made or changed.
func (s *sandbox) changed(lines []string) ([]string, error) {
	top := filepath.Join(s.top, "files")
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if before, err := os.ReadFile(filepath.Join(s.from, rel)); err == nil && bytes.Equal(before, text) {
			return nil
		}
		lines = append(lines, fmt.Sprintf("file %s: %s", rel, content(text)))
		return nil
	})
	return lines, err
}

// content returns the size of a file and its bytes, or their first ones and a sum of all.
func content(text []byte) string {
	const most = 32
	if len(text) <= most {
		return strings.TrimSpace(fmt.Sprintf("%d bytes %x", len(text), text))
	}
	return fmt.Sprintf("%d bytes %x... (sum %08x)", len(text), text[:most], sumOf(text))
}
