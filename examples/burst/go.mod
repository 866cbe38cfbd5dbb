module github.com/commworld/commworld/examples/burst

go 1.26.0

require (
	github.com/commworld/commworld v0.0.0
	github.com/stretchr/testify v1.12.1
	go.etcd.io/bbolt v1.4.3
)

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/tidwall/btree v1.8.2 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace github.com/commworld/commworld => ../..
