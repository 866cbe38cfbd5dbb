module github.com/commworld/commworld/world/mpi

go 1.26.0

// The lowest version there is, so that the one a program requires is taken: what
// replaces it here is nothing for programs. A release names its own version.
require github.com/commworld/commworld v0.0.0-00010101000000-000000000000

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/tidwall/btree v1.8.2 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace github.com/commworld/commworld => ../..
