package find

import "strings"

// fills reports whether a function of the standard library writes to memory that its
// first argument refers to.
func fills(pkg, name string) bool {
	switch pkg {
	case "sort":
		return !strings.HasPrefix(name, "Search") && !strings.HasSuffix(name, "AreSorted") && name != "IsSorted"
	case "slices":
		return strings.HasPrefix(name, "Sort") && !strings.HasPrefix(name, "Sorted") || name == "Reverse"
	case "maps":
		return name == "Copy" || name == "DeleteFunc"
	}
	return false
}

// prints reports whether a function of the standard library only reads its arguments.
func prints(pkg, name string) bool {
	switch pkg {
	case "fmt":
		return !strings.Contains(name, "can") // Scan, Sscan, Fscan
	case "log", "log/slog":
		return true
	}
	return false
}

// receives returns the index of the argument that a method of packages comm or iofile
// receives into; -1 if there is none.
func receives(pkg, name string) int {
	if pkg != "" {
		return -1
	}
	if len(name) > 1 && name[0] == 'I' && name[1] >= 'A' && name[1] <= 'Z' {
		name = name[1:]
	}
	for _, end := range []string{"Init", "Begin", "End"} {
		name = strings.TrimSuffix(name, end)
	}
	if at, ok := receivers[strings.TrimPrefix(name, "Neighbor")]; ok {
		return at
	}
	return -1
}

// once reports whether a function of the standard library returns a function that runs
// its argument only once.
func once(pkg, name string) bool { return pkg == "sync" && strings.HasPrefix(name, "Once") }

// receivers has the index of the argument that a call receives into, for waiting,
// nonblocking, persistent, split and neighbourhood calls.
var receivers = map[string]int{
	"Recv": 0, "MRecv": 0, "PRecv": 0, "Bcast": 0, "SendRecvReplace": 0, "SendRecv": 2,
	"AllGather": 1, "AllGatherV": 1, "Gather": 1, "GatherV": 1, "Scatter": 1, "ScatterV": 3,
	"AllToAll": 1, "AllToAllV": 3, "AllToAllW": 1,
	"Reduce": 1, "AllReduce": 1, "Scan": 1, "ExScan": 1, "ReduceScatter": 1, "ReduceScatterBlock": 1, "ReduceLocal": 1,
	"Unpack": 2,
	"Read":   0, "ReadAt": 0, "ReadAll": 0, "ReadAtAll": 0, "ReadShared": 0, "ReadOrdered": 0,
}
