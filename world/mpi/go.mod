module github.com/commworld/commworld/world/mpi

go 1.26.0

require github.com/commworld/commworld v0.0.0

require (
	github.com/tidwall/btree v1.8.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace github.com/commworld/commworld => ../..
