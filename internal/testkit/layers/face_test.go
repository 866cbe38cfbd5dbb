package layers

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// A user of a public package can name every type that its exported names show: none of them
// belongs to an internal package. The one exception is the door of package comm for packages of
// this module, which only they can open.
func TestPublicFaces(t *testing.T) {
	thorough.Only(t)
	for _, p := range publicPackages(t) {
		for name, shows := range internalNames(p) {
			if p.Path() == module+"comm" && name == "Internal" && shows == "commport.Key" {
				continue
			}
			assert.Fail(t, strings.TrimPrefix(p.Path(), module)+"."+name+" shows "+shows)
		}
	}
}

// The check finds the names that it must find.
func TestPublicFacesFindsInternals(t *testing.T) {
	inner := types.NewPackage(module+"internal/sched", "sched")
	rank := types.NewNamed(types.NewTypeName(token.NoPos, inner, "Rank", nil), types.NewStruct(nil, nil), nil)
	outer := types.NewPackage(module+"comm", "comm")
	result := func(typ types.Type) *types.Signature {
		return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, outer, "", typ)), false)
	}
	outer.Scope().Insert(types.NewFunc(token.NoPos, outer, "Thread", result(types.NewSlice(types.NewPointer(rank)))))
	outer.Scope().Insert(types.NewFunc(token.NoPos, outer, "hidden", result(rank)))
	outer.Scope().Insert(types.NewFunc(token.NoPos, outer, "Size", result(types.Typ[types.Int])))
	outer.Scope().Insert(types.NewTypeName(token.NoPos, outer, "Alias", rank))
	handle := types.NewNamed(types.NewTypeName(token.NoPos, outer, "Handle", nil), types.NewStruct([]*types.Var{
		types.NewField(token.NoPos, outer, "Rank", rank, false), types.NewField(token.NoPos, outer, "rank", rank, false),
	}, nil), nil)
	outer.Scope().Insert(handle.Obj())
	want := []string{"Alias", "Handle.Rank", "Thread"}
	got := internalNames(outer)
	names := make([]string, 0, len(got))
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	assert.Equal(t, want, names)
}

// publicPackages loads the packages that programs may import, from what the
// compiler wrote.
func publicPackages(t *testing.T) []*types.Package {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}} {{.Name}}", "./...")
	cmd.Dir = root
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	require.NoError(t, err, wrong.String())
	export := map[string]string{}
	var paths []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue // unsafe
		}
		export[f[0]] = f[1]
		in, ours := strings.CutPrefix(f[0], module)
		if ours && f[2] != "main" && !strings.HasPrefix(in, "internal/") && !strings.Contains(in, "/internal/") {
			paths = append(paths, f[0])
		}
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(export[path])
	})
	var all []*types.Package
	for _, path := range paths {
		p, err := load.Import(path)
		require.NoError(t, err)
		all = append(all, p)
	}
	require.Greater(t, len(all), 8)
	return all
}

// internalNames returns the exported names of p, those of methods and fields too,
// whose types name internal packages, each with one of these types.
func internalNames(p *types.Package) map[string]string {
	found := map[string]string{}
	see := func(name string, t types.Type) {
		if shown := internalIn(t, true, map[types.Type]bool{}); shown != "" {
			found[name] = shown
		}
	}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		n, ok := types.Unalias(o.Type()).(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !ok {
			see(name, o.Type())
			continue
		}
		if n.Obj().Pkg() != p {
			see(name, n)
			continue
		}
		switch u := n.Underlying().(type) {
		case *types.Struct, *types.Interface:
			seeMembers(name, u, see)
		default:
			see(name, u)
		}
		set := types.NewMethodSet(types.NewPointer(n))
		for m := range set.Methods() {
			if m.Obj().Exported() {
				see(name+"."+m.Obj().Name(), m.Type())
			}
		}
	}
	return found
}

// seeMembers passes the exported fields of a struct, or all methods of an interface.
func seeMembers(name string, t types.Type, see func(string, types.Type)) {
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				see(name+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				see(name+"."+m.Name(), m.Type())
			}
		}
	}
}

// internalIn returns a type of an internal package that t names, or nothing.
// Members of named types are looked at where these are declared.
func internalIn(t types.Type, top bool, seen map[types.Type]bool) string {
	if t == nil || seen[t] {
		return ""
	}
	seen[t] = true
	in := func(ts ...types.Type) string {
		for _, t := range ts {
			if s := internalIn(t, false, seen); s != "" {
				return s
			}
		}
		return ""
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && strings.HasPrefix(p.Path(), module+"internal/") {
			return fmt.Sprintf("%s.%s", p.Name(), t.Obj().Name())
		}
		for a := range t.TypeArgs().Types() {
			if s := in(a); s != "" {
				return s
			}
		}
	case *types.Pointer:
		return in(t.Elem())
	case *types.Slice:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Chan:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key(), t.Elem())
	case *types.Signature:
		return in(t.Params(), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if s := in(v.Type()); s != "" {
				return s
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				if s := in(f.Type()); s != "" {
					return s
				}
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if s := in(m.Type()); s != "" {
				return s
			}
		}
	}
	return ""
}
