package main

// A record is what is known of a library's answers to the random programs of a
// property, by their numbers.
type record struct {
	parts []int // come to something else than the definition, now and then at least
	stuck []int // come to no end, and are not played
}

// knownPrograms are the records by library and property. They come from runs with
// -v, which says of each program what parts: with MPICH it is the count of a read
// that the end of the file cuts, with Open MPI that and the pointers after it
// (DIV-03, DIV-04).
var knownPrograms = map[string]map[string]record{
	mpich: {
		"IO-AT-03 CONS-ORD-03 collective accesses":                                          {parts: []int{2, 5}},
		"IO-VIEW-01 IO-VIEW-02 IO-VIEW-20 views":                                            {parts: []int{2, 8, 9, 10}},
		"IO-IND-01 IO-IND-02 IO-IND-03 IO-SEEK-01 IO-SEEK-03 IO-POS-01 individual pointers": {parts: []int{2, 3, 8, 9}},
		"IO-SHP-01 IO-SHP-04 IO-SHP-05 shared pointer":                                      {parts: []int{3, 9, 10}},
		"IO-SHP-06 IO-SHP-07 rank order":                                                    {parts: []int{1}},
		"IO-AT-04 IO-IND-04 IO-NBC-04 nonblocking accesses":                                 {parts: []int{7, 10}},
		"IO-SPLIT-02 IO-SPLIT-09 split collectives":                                         {parts: []int{2, 5, 10}},
		"IO-INFO-06 hints change nothing":                                                   {parts: []int{1, 5, 9}},
		"IO-DA-15 CONS-C4 everything together":                                              {parts: []int{1, 3, 7, 8}},
	},
	openMPI: {
		"IO-IND-01 IO-IND-02 IO-IND-03 IO-SEEK-01 IO-SEEK-03 IO-POS-01 individual pointers": {parts: []int{1, 2, 5, 9}},
		"IO-AT-04 IO-IND-04 IO-NBC-04 nonblocking accesses":                                 {parts: []int{1}, stuck: []int{7, 10}},
		"IO-SPLIT-02 IO-SPLIT-09 split collectives":                                         {parts: []int{5}, stuck: []int{1, 2}},
		"IO-INFO-06 hints change nothing":                                                   {parts: []int{1, 5}},
		"IO-DA-15 CONS-C4 everything together":                                              {parts: []int{1}, stuck: []int{3, 4, 5, 7}},
	},
}
