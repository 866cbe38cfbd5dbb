// Generate writes names.txt and types.txt of cmd/commworld/internal/explain, and names.txt of internal/show/mpinames,
// from the doc comments.
//
//	go run ./cmd/commworld/internal/explain/generate
package main

import (
	"fmt"
	"os"

	"github.com/commworld/commworld/cmd/commworld/internal/explain"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(2)
	}
}

func run() error {
	names, err := explain.FromSource(os.DirFS("."))
	if err != nil {
		return err
	}
	forms, err := explain.TypeForms(os.DirFS("."))
	if err != nil {
		return err
	}
	if err := os.WriteFile("cmd/commworld/internal/explain/types.txt", []byte(explain.FormatTypeForms(forms)), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile("internal/show/mpinames/names.txt", []byte(explain.FormatMPINames(names)), 0o644); err != nil {
		return err
	}
	return os.WriteFile("cmd/commworld/internal/explain/names.txt", []byte(explain.FormatNames(names)), 0o644)
}
