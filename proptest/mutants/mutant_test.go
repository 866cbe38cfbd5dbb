package mutants

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// A bug describes the fault of a layer, as it appears in the table; empty: none.
type bug = string

// A Mutant is a layer with one bug, or with none.
type Mutant struct {
	Over  string // the storage under the layer
	Layer string
	Bug   string
	new   func(dir string) proptest.Maker

	// With lists the capabilities of the layer that no method shows.
	With []proptest.Capability
}

// Maker returns a maker of such layers. Their files, if any, are below dir.
func (m Mutant) Maker(dir string) proptest.Maker { return m.new(dir) }

// Origins says who wrote broken layers that were not written together with the suite.
const Origins = `One is after a layer of an author who had read only the public documentation, and wrote 59 over files, a map and a
journal: six were no bugs, and of the other 53 the suite found 43 at least once with up to three seeds. This one was
missed then, and the suite was changed: "set_size does not wait for the rank that sets it".`

// A family is one layer and the bugs that it can have.
type family struct {
	over, layer string
	new         func(dir string, b bug) proptest.Maker
	bugs        []bug
	with        []proptest.Capability
}

// Correct lists the layers without bugs.
func Correct() []Mutant {
	var all []Mutant
	for _, f := range families() {
		if f.layer != engineLayer {
			all = append(all, f.mutant(""))
		}
	}
	return all
}

// All lists the broken layers.
func All() []Mutant {
	var all []Mutant
	for _, f := range families() {
		for _, b := range f.bugs {
			all = append(all, f.mutant(b))
		}
	}
	return all
}

func (f family) mutant(b bug) Mutant {
	return Mutant{f.over, f.layer, b, func(dir string) proptest.Maker { return f.new(dir, b) }, f.with}
}

func families() []family {
	disk := func(layer string, open func(b bug) func(*comm.Comm, proptest.Disk, *shared) proptest.File, bugs []bug) family {
		return family{"os.File", layer, func(dir string, b bug) proptest.Maker { return folder(dir, open(b)) }, bugs, nil}
	}
	return []family{
		disk("plain", newPlain, plainBugs),
		disk("pages of 16", newPaged(16), pagedBugs),
		disk("pages of 4096", newPaged(4096), pagedBugs),
		disk("write-behind", newBehind, behindBugs),
		disk("framed", newFramed, framedBugs),
		{"os.File", "managed", newManaged, managedBugs, nil},
		{"faulty disk", "agreeing", newAgreeing, agreeingBugs, nil},
		{"crashing disk", "journal", func(_ string, b bug) proptest.Maker { return newJournal(b) }, journalBugs, nil},
		{"os.File", "clients", newClients, clientBugs, []proptest.Capability{proptest.TwoHandles, proptest.TwoFiles}},
		{"key-value store", "objects", func(_ string, b bug) proptest.Maker { return newObjects(b) }, objectBugs, nil},
		{"key-value store", "segments", func(_ string, b bug) proptest.Maker { return newSegments(b) }, segmentBugs, nil},
		{"iofile", "records", func(_ string, b bug) proptest.Maker { return newRecords(b) }, recordBugs, nil},
		{"iofile", "own shared pointer", newOwnShared, []bug{noBarrier}, nil},
		engineFamily(),
	}
}
