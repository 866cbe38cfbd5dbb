//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/commworld/commworld/world/c/include"
)

// The sources of the library of ranks that are processes.
//
//go:embed stubs.c stubs.h posix.c frame.h process/library.c process/python.h process/threads.h process/mailbox.h process/host.c
var sources embed.FS

const (
	libraryName = "libmpi_abi.so.1" // by which programs of the standard ABI find it
	hostName    = "commworld-host"  // runs a shared object of commworldcc as a process
)

// otherNames lists the names by which programs find the library, too: MPICH 5.0 has the first.
var otherNames = []string{"libmpi_abi.so.0", "libmpi_abi.so"}

// Version identifies the library that belongs to this launcher.
var Version = sync.OnceValue(func() string {
	sum := sha256.New()
	sum.Write([]byte(include.Header + include.Functions))
	for _, name := range sourceNames {
		text, err := sources.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
})

var sourceNames = []string{"stubs.c", "stubs.h", "posix.c", "frame.h", "process/library.c", "process/python.h", "process/threads.h", "process/mailbox.h", "process/host.c"}

// Library returns the directory of the library of MPI's standard ABI for ranks that are
// processes, libmpi_abi.so.1. It is compiled at the first time, by the compiler that CC names or
// cc, and kept in the user's cache directory. Errors: those of the file system and the compiler.
var Library = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(os.TempDir(), fmt.Sprintf("commworld-%d", os.Getuid()))
	}
	top := filepath.Join(cache, "commworld")
	dir := filepath.Join(top, "library-"+Version())
	if _, err := os.Stat(filepath.Join(dir, libraryName)); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(top, 0o700); err != nil {
		return "", fmt.Errorf("the library of MPI cannot be made: %w; set XDG_CACHE_HOME to a directory that can be written", err)
	}
	work, err := os.MkdirTemp(top, "new-") // several launchers may run at the same time
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := build(work); err != nil {
		return "", err
	}
	if err := os.Rename(work, dir); err != nil {
		if _, made := os.Stat(filepath.Join(dir, libraryName)); made != nil {
			return "", err
		}
	}
	return dir, nil
})

// build compiles the library in a directory.
func build(dir string) error {
	src := filepath.Join(dir, "src")
	if err := os.MkdirAll(filepath.Join(src, "include"), 0o700); err != nil {
		return err
	}
	for _, name := range sourceNames {
		text, err := sources.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(src, filepath.Base(name)), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"mpi.h": include.Header, "mpi_functions.h": include.Functions} {
		if err := os.WriteFile(filepath.Join(src, "include", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	cc := strings.Fields(os.Getenv("COMMWORLD_CC"))
	if len(cc) == 0 {
		cc = []string{"cc"}
	}
	for _, args := range [][]string{
		{"-shared", "-DCOMMWORLD_VERSION=\"" + Version() + "\"", "-Wl,-soname," + libraryName, "library.c", "stubs.c", "posix.c", "-o", "../" + libraryName},
		{"host.c", "-Wl,--no-as-needed", "../" + libraryName, "-Wl,-rpath,$ORIGIN", "-o", "../" + hostName},
	} {
		line := append(append(cc[:len(cc):len(cc)], "-O2", "-g1", "-fPIC", "-fno-omit-frame-pointer", "-pthread"), append(args, "-ldl")...)
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = src
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the library of MPI cannot be compiled by %s: %w\n%s", strings.Join(cc, " "), err, out)
		}
	}
	for _, name := range otherNames {
		if err := os.Symlink(libraryName, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
