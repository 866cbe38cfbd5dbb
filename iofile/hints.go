package iofile

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/iofile/strategy"
)

// A hintRule describes one key: a key that the standard reserves, or one that ROMIO added
// and programs use.
type hintRule struct {
	key   string
	same  bool                                       // all ranks must give the same value
	fresh bool                                       // it takes effect when the file is opened, and is ignored later
	parse func(given string) (value string, ok bool) // nil: the hint is ignored

	// inUse returns the value in use of a handle that was given one, or "" if the hint has
	// no effect. If inUse is nil, it is the given value.
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
	{key: "cb_buffer_size", same: true, parse: count, inUse: func(_ *File, t *tuning) string { return number(t.Buffer) }},
	{key: "cb_nodes", same: true, parse: count, inUse: func(_ *File, t *tuning) string { return number(t.Nodes) }},
	{key: "chunked", same: true, parse: counts},
	{key: "chunked_item", same: true, parse: counts},
	{key: "chunked_size", same: true, parse: counts},
	{key: "filename", inUse: func(f *File, _ *tuning) string { return f.name }},
	{key: "file_perm", same: true, fresh: true, parse: permissions, inUse: func(f *File, _ *tuning) string { return f.permissions() }},
	// A store is one device, and its parts are unknown.
	{key: "io_node_list", same: true},
	{key: "nb_proc", same: true, fresh: true, parse: count, inUse: func(f *File, t *tuning) string { return number(t.processes) }},
	{key: "num_io_nodes", same: true, inUse: func(*File, *tuning) string { return "1" }},
	{key: "striping_factor", same: true, fresh: true, parse: count, inUse: func(f *File, _ *tuning) string { return number(int64(f.stripes())) }},
	{key: "striping_unit", same: true, fresh: true, parse: count},

	{key: "cb_config_list", same: true, parse: perHost},
	{key: "cray_cb_nodes_multiplier", same: true, parse: count},
	{key: "romio_cb_fr_alignment", same: true, parse: count},
	// Domains that stay from call to call: not carried out.
	{key: "romio_cb_pfr", same: true, parse: words1("enable", "disable"), inUse: func(*File, *tuning) string { return "disable" }},
	{key: "romio_lustre_co_ratio", same: true, parse: count},
	{key: "romio_lustre_coll_threshold", same: true, parse: countOrZero},
	{key: "romio_lustre_ds_in_coll", same: true, parse: words1("enable", "disable", "automatic")},
	{key: "romio_no_indep_rw", same: true, parse: words1("true", "false")},
	{key: "romio_cb_read", same: true, parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.CBRead.String() }},
	{key: "romio_cb_write", same: true, parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.CBWrite.String() }},
	{key: "romio_ds_read", parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.DSRead.String() }},
	{key: "romio_ds_write", parse: words1("enable", "disable", "automatic"), inUse: func(_ *File, t *tuning) string { return t.DSWrite.String() }},
	{key: "ind_rd_buffer_size", parse: count, inUse: func(_ *File, t *tuning) string { return number(t.ReadBuffer) }},
	{key: "ind_wr_buffer_size", parse: count, inUse: func(_ *File, t *tuning) string { return number(t.WriteBuffer) }},
}

// hintsIn returns the known and well-formed hints of info, nil if there are none. later
// says that the file is open already. (IO-INFO-04, IO-INFO-08)
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
			_ = in.Set(key, value) // it fits: it is not longer than before
		}
	}
	return in
}

// Hints that ask for aggregators, and for sieving.
var (
	togetherHints = []string{
		"cb_nodes", "cb_buffer_size", "cb_config_list", "collective_buffering", "romio_cb_read", "romio_cb_write", "romio_no_indep_rw",
		"romio_lustre_co_ratio", "romio_lustre_coll_threshold", "romio_lustre_ds_in_coll", "cray_cb_nodes_multiplier",
	}
	sievingHints = []string{"romio_ds_read", "romio_ds_write", "ind_rd_buffer_size", "ind_wr_buffer_size"}
)

// hintsChoose returns the strategy that hints ask for, nil if they ask for none. Hints that
// ask for aggregators are the same on all ranks, so all ranks choose the same strategy if
// it makes them meet.
func hintsChoose(hints *comm.Info) strategy.Strategy {
	given := func(key string) bool {
		_, ok := hints.Get(key)
		return ok
	}
	switch {
	case hints == nil:
		return nil
	case slices.ContainsFunc(togetherHints, given):
		if value, _ := hints.Get("collective_buffering"); value == "false" {
			return strategy.TwoPhase{Read: strategy.Disable, Write: strategy.Disable}
		}
		return strategy.ROMIO
	case slices.ContainsFunc(sievingHints, given):
		return strategy.Sieve{}
	}
	return nil
}

// chooseStrategy makes the handle use the world's strategy or that of its hints, unless the
// program chose a strategy when it opened the file.
func (f *File) chooseStrategy() {
	if f.how.strategy == nil {
		f.followWorld()
	}
	if f.log != nil && f.how.moves != nil {
		f.log.Moves(f.name, f.strategy().String())
	}
}

// followWorld makes the handle use the world's strategy, else that of its hints.
func (f *File) followWorld() {
	chosen, _ := port.Kept(f.c, commport.StrategyKey{}).(strategy.Strategy)
	if chosen == nil {
		chosen = hintsChoose(f.hints)
	}
	if chosen != f.how.moves {
		how := *f.how
		how.moves = chosen
		f.how = &how
	}
}

// sameHints checks that all ranks gave the same hints where they must: a missing or
// malformed hint differs from every value. (IO-INFO-07)
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
	return strconv.Quote(brief.Name(value))
}

// striping returns the striping that the hints of a new file ask for, 0 for what they leave
// to the machine.
func (f *File) striping() (size int64, count int) {
	value := func(key string) int64 {
		text, _ := f.hints.Get(key)
		n, _ := strconv.ParseInt(text, 10, 64)
		return n
	}
	return value("striping_unit"), int(min(value("striping_factor"), math.MaxInt32))
}

// stripes returns how many servers hold the file: one, unless the world has a machine.
func (f *File) stripes() int {
	m := f.cluster()
	if _, n := f.striping(); n > 0 && m.Servers > 0 {
		return min(n, m.Servers)
	}
	return max(1, m.Stripes)
}

// tuning is the values of the hints in use. None of them changes the result of an access.
// (IO-INFO-06)
type tuning struct {
	strategy.Hints
	collective bool // some ranks may access the file for all
	processes  int64
}

// tuning returns the values in use: those that were given, else ROMIO's defaults.
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
	toggled := func(key string) strategy.Switch {
		value, _ := f.hints.Get(key)
		return strategy.SwitchOf(value)
	}
	t := tuning{processes: number("nb_proc", size), Hints: strategy.Hints{
		Buffer: number("cb_buffer_size", 16<<20), Unit: number("striping_unit", f.cluster().Stripe),
		ReadBuffer: number("ind_rd_buffer_size", 4<<20), WriteBuffer: number("ind_wr_buffer_size", 512<<10),
		CBRead: toggled("romio_cb_read"), CBWrite: toggled("romio_cb_write"),
		DSRead: toggled("romio_ds_read"), DSWrite: toggled("romio_ds_write"),
	}}
	buffering, _ := f.hints.Get("collective_buffering")
	t.collective = buffering == "true"
	t.Nodes = number("cb_nodes", 0)
	if list, ok := f.hints.Get("cb_config_list"); ok {
		t.PerHost, _ = strategy.PerHost(list)
	}
	independent, _ := f.hints.Get("romio_no_indep_rw")
	t.NoIndependent = independent == "true"
	t.Driver = strategy.Driver(f.cluster().Driver)
	if two, ok := f.how.moves.(strategy.TwoPhase); ok {
		t.collective = two.Read != strategy.Disable || two.Write != strategy.Disable
		t.Driver = cmp.Or(two.Driver, t.Driver)
	}
	if t.Driver != strategy.UFS {
		if stripe := f.cluster().Stripe; stripe > 0 && t.Unit < minStripe { // the file system does not cut it so
			t.Unit = stripe
		}
		t.Stripes = number("striping_factor", int64(f.stripes()))
		t.PerServer, t.Multiplier = number("romio_lustre_co_ratio", 0), number("cray_cb_nodes_multiplier", 0)
		t.Threshold, t.DSTogether = number("romio_lustre_coll_threshold", 0), toggled("romio_lustre_ds_in_coll")
	}
	nodes, each := f.nodes()
	t.Hints = t.Hints.On(f.how.moves, int(size), nodes, each).Follow(f.how.moves)
	t.Nodes = min(t.Nodes, size)
	return t
}

// minStripe is the smallest size of a stripe.
const minStripe = 512

// cluster returns the machine that the rank sees.
func (f *File) cluster() commport.Cluster {
	if m, ok := port.Kept(f.c, commport.ClusterKey{}).(*commport.Cluster); ok {
		return *m
	}
	return commport.Cluster{}
}

// nodes returns how many nodes the ranks of the file are on, 0 if that is unknown, and how many ranks each has if
// they are in order, else 0.
func (f *File) nodes() (nodes, each int) {
	if f.set == nil {
		return 0, 0
	}
	return f.set.nodes, f.set.perNode
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// words returns a parser of a list, with commas, of one or more of the known words.
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

// words1 returns a parser of one of the known words.
func words1(known ...string) func(string) (string, bool) {
	return func(given string) (string, bool) { return given, slices.Contains(known, given) }
}

// count parses a number of at least 1.
func count(given string) (string, bool) {
	n, err := strconv.ParseInt(given, 10, 64)
	return number(n), err == nil && n > 0
}

// counts parses a list of such numbers.
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

// permissions parses the octal number that chmod takes.
func permissions(given string) (string, bool) {
	n, err := strconv.ParseUint(given, 8, 32)
	return octal(uint32(n)), err == nil && n > 0 && n <= 0o777
}

func octal(perm uint32) string { return "0" + strconv.FormatUint(uint64(perm), 8) }

// perHost parses how many ranks of a host may be used: *, *:* or *:4.
func perHost(given string) (string, bool) {
	n, ok := strategy.PerHost(given)
	if n == strategy.AllOfHost {
		return "*:*", ok
	}
	return "*:" + number(n), ok
}

// countOrZero parses a number of at least 0.
func countOrZero(given string) (string, bool) {
	n, err := strconv.ParseInt(given, 10, 64)
	return number(n), err == nil && n >= 0
}
