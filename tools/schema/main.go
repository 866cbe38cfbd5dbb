// Command schema writes the JSON Schema files of what commands print, from the structs that they
// print:
//
//	go -C tools run ./schema ../docs/schema
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/outputs"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schema DIR")
		os.Exit(2)
	}
	files, err := schemas()
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

// schemas returns the text of each file, by its name.
func schemas() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, value := range outputs.All() {
		file := fmt.Sprintf("%s.v%d.json", name, findings.Version)
		// Readers of one version accept fields that a later release adds.
		r := &jsonschema.Reflector{AllowAdditionalProperties: true, ExpandedStruct: true, Mapper: opaque, Namer: qualified}
		s := r.Reflect(value)
		s.ID = jsonschema.ID("https://github.com/commworld/commworld/docs/schema/" + file)
		s.Title = "commworld " + name
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return nil, err
		}
		files[file] = append(text, '\n')
	}
	return files, nil
}

// qualified returns the name of a type with that of its package: two packages have a Run.
func qualified(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.Name()
	}
	return filepath.Base(t.PkgPath()) + "." + t.Name()
}

// opaque describes types that write their JSON themselves, or any error of a program, as anything.
func opaque(t reflect.Type) *jsonschema.Schema {
	writes := reflect.TypeFor[json.Marshaler]()
	if t.Kind() == reflect.Interface || t.Implements(writes) || reflect.PointerTo(t).Implements(writes) {
		return &jsonschema.Schema{}
	}
	return nil
}
