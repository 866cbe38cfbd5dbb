package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

var (
	mu      sync.Mutex
	drivers = map[string]Driver{}
)

// Register makes a driver known by a name. A binding calls it when it is initialized. If
// the name is taken it panics: the program imports two bindings of one name.
func Register(name string, d Driver) {
	mu.Lock()
	defer mu.Unlock()
	if drivers[name] != nil {
		panic("engine: two drivers are called " + name)
	}
	drivers[name] = d
}

// Any reports whether a driver is linked in.
func Any() bool {
	mu.Lock()
	defer mu.Unlock()
	return len(drivers) > 0
}

// Lookup returns the driver of that name, or an error that says which package to import.
func Lookup(name string) (Driver, error) {
	mu.Lock()
	defer mu.Unlock()
	if d := drivers[name]; d != nil {
		return d, nil
	}
	there := "none is linked in"
	if len(drivers) > 0 {
		there = "there are " + strings.Join(slices.Sorted(maps.Keys(drivers)), ", ")
	}
	return nil, fmt.Errorf("no engine %q: %s; import _ \"github.com/commworld/commworld/world/%s\" links it in", name, there, name)
}
