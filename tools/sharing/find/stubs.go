package find

import (
	"go/token"
	"go/types"
	"path"
	"regexp"
)

// A kind says how values of a type of the standard library change.
type kind uint8

const (
	stateful kind = iota // by calling their methods
	lock                 // it only orders goroutines
	harmless             // a value for each process works as well
)

// known lists types of the standard library whose values ranks share by calling their
// methods, and the functions that make them.
var known = map[string]map[string]kind{
	"sync": {"Mutex": lock, "RWMutex": lock, "WaitGroup": lock, "Cond": lock, "Locker": lock, "Map": stateful, "Once": harmless, "Pool": harmless},
	"sync/atomic": {
		"Bool": stateful, "Int32": stateful, "Int64": stateful, "Uint32": stateful, "Uint64": stateful,
		"Uintptr": stateful, "Value": stateful, "Pointer": stateful,
	},
	"bytes":          {"Buffer": stateful, "Reader": stateful},
	"strings":        {"Builder": stateful, "Reader": stateful},
	"bufio":          {"Reader": stateful, "Writer": stateful, "Scanner": stateful},
	"container/list": {"List": stateful},
	"math/rand":      {"Rand": stateful},
	"math/rand/v2":   {"Rand": stateful},
}

var makers = map[string]map[string]string{
	"sync":           {"NewCond": "Cond"},
	"bytes":          {"NewBuffer": "Buffer", "NewBufferString": "Buffer", "NewReader": "Reader"},
	"strings":        {"NewReader": "Reader"},
	"bufio":          {"NewReader": "Reader", "NewWriter": "Writer", "NewScanner": "Scanner"},
	"container/list": {"New": "List"},
	"math/rand":      {"New": "Rand"},
	"math/rand/v2":   {"New": "Rand"},
}

// looks lists methods of these types that change nothing.
var looks = map[string]bool{"Load": true, "Len": true, "String": true, "Bytes": true, "Cap": true, "Available": true, "Front": true, "Back": true, "Size": true, "Range": true, "ReadAt": true}

var version = regexp.MustCompile(`^v[0-9]+$`)

// stub makes a package that has only the known types.
func (l *loader) stub(where string) *types.Package {
	if p := l.stubs[where]; p != nil {
		return p
	}
	name := path.Base(where)
	if version.MatchString(name) {
		name = path.Base(path.Dir(where))
	}
	p := types.NewPackage(where, name)
	l.stubs[where] = p
	for is := range known[where] {
		tn := types.NewTypeName(token.NoPos, p, is, nil)
		t := types.NewNamed(tn, types.NewStruct(nil, nil), nil)
		if is == "Pointer" {
			any := types.Universe.Lookup("any").Type()
			t.SetTypeParams([]*types.TypeParam{types.NewTypeParam(types.NewTypeName(token.NoPos, p, "T", nil), any)})
		}
		p.Scope().Insert(tn)
	}
	for is, makes := range makers[where] {
		result := types.NewVar(token.NoPos, p, "", types.NewPointer(p.Scope().Lookup(makes).Type()))
		anything := types.NewVar(token.NoPos, p, "", types.NewSlice(types.Universe.Lookup("any").Type()))
		p.Scope().Insert(types.NewFunc(token.NoPos, p, is, types.NewSignatureType(nil, nil, nil, types.NewTuple(anything), types.NewTuple(result), true)))
	}
	p.MarkComplete()
	return p
}

// kindOf returns how values of t change; it follows pointers.
func kindOf(t types.Type) (k kind, ok bool) {
	if p, isPointer := types.Unalias(t).(*types.Pointer); isPointer {
		t = p.Elem()
	}
	n, isNamed := types.Unalias(t).(*types.Named)
	if !isNamed || n.Obj().Pkg() == nil {
		return 0, false
	}
	k, ok = known[n.Obj().Pkg().Path()][n.Obj().Name()]
	return k, ok
}
