// Generate writes the files of the corpus that are derived from its scripts: the pairs
// from the twins of package consistency, all C and Go programs, and the table of labels.
//
//	go run ./suite/generate
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/commworld/commworld/suite/made"
)

func main() {
	if err := run("suite"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(2)
	}
}

func run(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "suite.go")); err != nil {
		return errors.New("run it in the folder of the module")
	}
	twins, err := made.Twins()
	if err != nil {
		return err
	}
	if err := write(dir, twins); err != nil {
		return err
	}
	programs, err := made.Programs(os.DirFS(dir))
	if err != nil {
		return err
	}
	if err := write(dir, programs); err != nil {
		return err
	}
	fmt.Println(len(twins)+len(programs), "files")
	return nil
}

// write writes the files whose content differs.
func write(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
