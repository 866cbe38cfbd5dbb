package iofile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
)

// A hintRule is what is known of one key: those that the standard reserves, and
// those that ROMIO added and programs give.
type hintRule struct {
	key   string
	same  bool                                       // all ranks give the same value
	fresh bool                                       // it counts when the file is opened, and is ignored later
	parse func(given string) (value string, ok bool) // nil: it is not taken

	// inUse is the value in use of a handle that has been given one, or "" if it
	// has not. Without it that is the value given.
	inUse func(f *File, t *tuning) string
}

// hintRules are the known keys, in the order in which [File.Info] shows them.
// (IO-HINT-01..15)
var hintRules = []hintRule{
	{key: "access_style", parse: words(
		"read_once", "write_once", "read_mostly", "write_mostly", "sequential", "reverse_sequential", "random")},
	{key: "collective_buffering", same: true, parse: words1("true", "false"), inUse: func(_ *File, t *tuning) string {
		return strconv.FormatBool(t.collective)
	}},
	{key: "cb_block_size", same: true, parse: count},
	{key: "cb_buffer_size", same: true, parse: count, inUse: func(_ *File, t *tuning) string { return number(t.buffer) }},
	{key: "cb_nodes", same: true, parse: count, inUse: func(_ *File, t *tuning) string { return number(t.nodes) }},
	{key: "chunked", same: true, parse: counts},
	{key: "chunked_item", same: true, parse: counts},
	{key: "chunked_size", same: true, parse: counts},
	{key: "filename", inUse: func(f *File, _ *tuning) string { return f.name }},
	{key: "file_perm", same: true, fresh: true, parse: permissions, inUse: func(f *File, _ *tuning) string { return f.permissions() }},
	// A store is one device, and nothing is known about what it is made of.
	{key: "io_node_list", same: true},
	{key: "nb_proc", same: true, fresh: true, parse: count, inUse: func(f *File, t *tuning) string { return number(t.processes) }},
	{key: "num_io_nodes", same: true, inUse: func(*File, *tuning) string { return "1" }},
	{key: "striping_factor", same: true, inUse: func(*File, *tuning) string { return "1" }},
	{key: "striping_unit", same: true, fresh: true, parse: count},

	{key: "cb_config_list", same: true, parse: perHost},
	{key: "romio_cb_read", same: true, parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.cbRead.String() }},
	{key: "romio_cb_write", same: true, parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.cbWrite.String() }},
	{key: "romio_ds_read", parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.dsRead.String() }},
	{key: "romio_ds_write", parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.dsWrite.String() }},
	{key: "ind_rd_buffer_size", parse: count, inUse: func(_ *File, t *tuning) string { return number(t.readBuffer) }},
	{key: "ind_wr_buffer_size", parse: count, inUse: func(_ *File, t *tuning) string { return number(t.writeBuffer) }},
}

// hintsIn are the known and well-formed hints of info, nil if there is none.
// Later says that the file is open already. (IO-INFO-04, IO-INFO-08)
func hintsIn(info *comm.Info) *comm.Info {
	var in *comm.Info
	for key, given := range info.All() {
		i := slices.IndexFunc(hintRules, func(r hintRule) bool { return r.key == key })
		if i < 0 || hintRules[i].parse == nil {
			continue
		}
		if value, ok := hintRules[i].parse(strings.TrimSpace(given)); ok {
			if in == nil {
				in = comm.NewInfo()
			}
			_ = in.Set(key, value) // no longer than it was
		}
	}
	return in
}

// sameHints checks that all ranks gave the same hints where they must: one that
// a rank did not give, or not well-formed, is another one. (IO-INFO-07)
func sameHints(of func(rank int) *comm.Info, ranks int) error {
	first := of(0)
	for r := 1; r < ranks; r++ {
		other := of(r)
		if other == nil && first == nil {
			continue
		}
		for _, rule := range hintRules {
			a, has := first.Get(rule.key)
			b, had := other.Get(rule.key)
			if rule.same && (a != b || has != had) {
				return broken(ErrNotSame, "IO-INFO-07", "hint %q differs: %s on rank 0, %s on rank %d; it is the same on all ranks",
					rule.key, given(a, has), given(b, had), r)
			}
		}
	}
	return nil
}

func given(value string, ok bool) string {
	if !ok {
		return "none"
	}
	return strconv.Quote(short(value))
}

// tuning is the hints in use as numbers, for whoever carries accesses out. No
// value of it changes what an access does. (IO-INFO-06)
type tuning struct {
	collective                       bool  // some ranks may access the file for all
	nodes                            int64 // how many
	buffer, block, unit              int64 // bytes; block and unit may be 0
	readBuffer, writeBuffer          int64 // bytes, for a rank's own accesses
	cbRead, cbWrite, dsRead, dsWrite Switch
	processes                        int64
}

// tuning returns the values in use: those that were given, and ROMIO's defaults.
func (f *File) tuning() tuning {
	size := int64(f.c.Size())
	number := func(key string, none int64) int64 {
		value, ok := f.hints.Get(key)
		if !ok {
			return none
		}
		n, _ := strconv.ParseInt(value, 10, 64)
		return n
	}
	toggled := func(key string) Switch {
		value, _ := f.hints.Get(key)
		return Switch(max(0, slices.Index(switches[:], value)))
	}
	t := tuning{
		buffer: number("cb_buffer_size", 16<<20), block: number("cb_block_size", 0), unit: number("striping_unit", 0),
		readBuffer: number("ind_rd_buffer_size", 4<<20), writeBuffer: number("ind_wr_buffer_size", 512<<10),
		cbRead: toggled("romio_cb_read"), cbWrite: toggled("romio_cb_write"),
		dsRead: toggled("romio_ds_read"), dsWrite: toggled("romio_ds_write"),
		processes: number("nb_proc", size),
	}
	buffering, _ := f.hints.Get("collective_buffering")
	t.collective = buffering == "true"
	// All ranks are on one host, so that the list of hosts says how many of them
	// there may be: one, unless the program says another number.
	most := int64(1)
	if list, ok := f.hints.Get("cb_config_list"); ok {
		most = size
		if n, err := strconv.ParseInt(strings.TrimPrefix(list, "*:"), 10, 64); err == nil {
			most = n
		}
	} else if _, ok := f.hints.Get("cb_nodes"); ok {
		most = size
	}
	t.nodes = min(number("cb_nodes", size), most)
	t.follow(f.how.strategy)
	t.nodes = min(t.nodes, size)
	return t
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// words takes a list of one or more of some words, with commas.
func words(known ...string) func(string) (string, bool) {
	return func(given string) (string, bool) {
		list := strings.Split(given, ",")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
			if !slices.Contains(known, list[i]) {
				return "", false
			}
		}
		return strings.Join(list, ","), true
	}
}

// words1 takes one of some words.
func words1(known ...string) func(string) (string, bool) {
	return func(given string) (string, bool) { return given, slices.Contains(known, given) }
}

// count takes a number from 1 on.
func count(given string) (string, bool) {
	n, err := strconv.ParseInt(given, 10, 64)
	return number(n), err == nil && n > 0
}

// counts takes a list of them.
func counts(given string) (string, bool) {
	list := strings.Split(given, ",")
	for i := range list {
		n, ok := count(strings.TrimSpace(list[i]))
		if !ok {
			return "", false
		}
		list[i] = n
	}
	return strings.Join(list, ","), true
}

// permissions takes the octal number that chmod takes.
func permissions(given string) (string, bool) {
	n, err := strconv.ParseUint(given, 8, 32)
	return octal(uint32(n)), err == nil && n > 0 && n <= 0o777
}

func octal(perm uint32) string { return "0" + strconv.FormatUint(uint64(perm), 8) }

// perHost takes how many ranks of a host may be used: *, *:* or *:4.
func perHost(given string) (string, bool) {
	if given == "*" || given == "*:*" {
		return "*:*", true
	}
	n, ok := strings.CutPrefix(given, "*:")
	if !ok {
		return "", false
	}
	n, ok = count(n)
	return "*:" + n, ok
}
