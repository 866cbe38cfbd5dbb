package comm

import "github.com/commworld/commworld/world"

// start is the verb of a row that starts and ends a world.
const start = "start"

// A row of the table.
type row struct {
	name  string
	verb  string
	arg   int
	ranks int
	per   float64 // divisor of a step's time
	goal  float64 // ratio to reach; 0: none
	alone bool    // too slow for the libraries
}

func rows() []*row {
	return []*row{
		{"8 B half round trip", "pingpong", 8, 2, 2, 1.3, false},
		{"64 KiB half round trip", "pingpong", 64 << 10, 2, 2, 2.5, false},
		{"8 B ISend/IRecv, window 64", "window", 8, 2, window, 1, false},
		{"8 B Send/Recv, 64 in a row", "stream", 8, 2, window, 1.2, false},
		{"100 unexpected, reverse tags", "unexpected", 100, 2, 100, 0, false},
		{"1,000 unexpected", "unexpected", 1000, 2, 1000, 0, false},
		{"10,000 unexpected", "unexpected", 10_000, 2, 10_000, 100, false},
		{"100,000 unexpected", "unexpected", 100_000, 2, 100_000, 0, true},
		{"barrier, 2 ranks", "barrier", 0, 2, 1, 0, false},
		{"barrier, 4 ranks", "barrier", 0, 4, 1, 0, false},
		{"allreduce of a double, 4 ranks", "allreduce", 1, 4, 1, 0, false},
		{"barrier, 16 ranks", "barrier", 0, 16, 1, 25, false},
		{"allreduce of a double, 16 ranks", "allreduce", 1, 16, 1, 0, false},
		{"alltoall of 4 KiB, 16 ranks", "alltoall", 4096, 16, 1, 0, false},
		{"barrier, 64 ranks", "barrier", 0, 64, 1, 25, false},
		{"allreduce of a double, 64 ranks", "allreduce", 1, 64, 1, 20, false},
		{"alltoall of 4 KiB, 64 ranks", "alltoall", 4096, 64, 1, 5, false},
		{"start + barrier + finish, 16 ranks", start, 0, 16, 1, 0, false},
		{"start + barrier + finish, 64 ranks", start, 0, 64, 1, 0, false},
		{"start + barrier + finish, 128 ranks", start, 0, 128, 1, 5000, false},
	}
}

// A pairing compares two settings of this module.
type pairing struct {
	row
	cores int // GOMAXPROCS during it; 0: unchanged
	b     string
	opts  []world.Option // of b
	goal  float64        // most that b may take, as a multiple of a's time
}

func pairings() []*pairing {
	seed := []world.Option{world.Seed(1)}
	bare := []world.Option{world.Unchecked()}
	on := func(verb string, arg, ranks int, per float64, name string) row {
		return row{name: name, verb: verb, arg: arg, ranks: ranks, per: per}
	}
	return []*pairing{
		{on("pingpong", 8, 2, 2, "8 B half round trip, one core, free"), 1, "seeded", seed, 1},
		{on("stream", 8, 2, window, "8 B Send/Recv, one core, free"), 1, "seeded", seed, 1},
		{on("barrier", 0, 16, 1, "barrier of 16, one core, free"), 1, "seeded", seed, 1},
		{on("barrier", 0, 64, 1, "barrier of 64, one core, free"), 1, "seeded", seed, 1},
		{on("pingpong", 8, 2, 2, "8 B half round trip, checked"), 0, "unchecked", bare, 0},
		{on("window", 8, 2, window, "8 B ISend/IRecv, checked"), 0, "unchecked", bare, 0},
		{on("pingpong", 64<<10, 2, 2, "64 KiB half round trip, checked"), 0, "unchecked", bare, 0},
		{on("barrier", 0, 16, 1, "barrier of 16, checked"), 0, "unchecked", bare, 0},
	}
}
