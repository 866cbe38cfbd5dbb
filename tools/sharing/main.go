// Sharing reports Go variables, locks and channels that the ranks of a program share: in
// one process they work, in processes of their own, as on a cluster, each rank would have
// its own. Start here:
//
//	go install github.com/commworld/commworld/tools/sharing@latest
//	sharing ./...
//	sharing -results ./...   also what ranks leave for after the run
//
// It works as a tool of go vet, too: go vet -vettool=PATH, which says nothing and finds
// nothing if PATH is empty. In a checkout of commworld, "go -C tools/sharing install ."
// installs it.
//
// It is a module of its own, so that no program that imports commworld links a type
// checker. Package find is the analyzer, for other drivers of analyzers.
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/commworld/commworld/tools/sharing/find"
)

func main() { singlechecker.Main(find.Analyzer) }
