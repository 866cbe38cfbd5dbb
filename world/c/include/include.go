// Package include contains the headers that C programs are compiled with.
package include

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"os"
	"path/filepath"
)

// Header is mpi.h; Functions is the file that it includes.
var (
	//go:embed mpi.h
	Header string

	//go:embed mpi_functions.h
	Functions string

	_ embed.FS
)

// Dir returns a directory with the headers. Its name, below dir, depends on their
// content; it is created if it does not exist. Errors: those of the file system.
func Dir(dir string) (string, error) {
	sum := sha256.Sum256([]byte(Header + Functions))
	dir = filepath.Join(dir, "commworld", "include-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"mpi.h": Header, "mpi_functions.h": Functions} {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// write creates a file in one step, because several compilers may run at the same time.
func write(path, text string) error {
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
