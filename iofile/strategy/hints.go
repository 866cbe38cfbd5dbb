package strategy

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
)

// AllOfHost is the value of [Hints.PerHost] for a list of hosts with all their ranks.
const AllOfHost = math.MaxInt32

// Keys lists the hints that [Hints.Set] accepts.
var Keys = []string{
	"cb_nodes", "cb_buffer_size", "cb_config_list", "striping_unit", "striping_factor", "ind_rd_buffer_size",
	"ind_wr_buffer_size", "romio_cb_read", "romio_cb_write", "romio_ds_read", "romio_ds_write", "romio_no_indep_rw",
	"romio_cb_pfr", "romio_cb_fr_alignment", "romio_lustre_co_ratio", "romio_lustre_coll_threshold",
	"romio_lustre_ds_in_coll", "cray_cb_nodes_multiplier",
}

// Set returns h with the value of one hint. Error: ErrArg for a hint that is none of [Keys],
// and for a value that the hint does not allow.
func (h Hints) Set(key, value string) (Hints, error) {
	var align int64 // has an effect on domains that stay from call to call only
	numbers := map[string]*int64{
		"cb_nodes": &h.Nodes, "cb_buffer_size": &h.Buffer, "striping_unit": &h.Unit, "striping_factor": &h.Stripes,
		"ind_rd_buffer_size": &h.ReadBuffer, "ind_wr_buffer_size": &h.WriteBuffer,
		"romio_lustre_co_ratio": &h.PerServer, "cray_cb_nodes_multiplier": &h.Multiplier, "romio_cb_fr_alignment": &align,
		"romio_lustre_coll_threshold": &h.Threshold,
	}
	words := map[string]*Switch{
		"romio_cb_read": &h.CBRead, "romio_cb_write": &h.CBWrite, "romio_ds_read": &h.DSRead, "romio_ds_write": &h.DSWrite,
		"romio_lustre_ds_in_coll": &h.DSTogether,
	}
	if n := numbers[key]; n != nil {
		least := int64(1)
		if key == "romio_lustre_coll_threshold" {
			least = 0
		}
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || v < least || v > largest {
			return h, invalid(errclass.Arg, "IO-INFO-08", "hint %s is %q; it needs a number from %d on", key, value, least)
		}
		*n = v
		return h, nil
	}
	if w := words[key]; w != nil {
		if !slices.Contains(switches[:], value) {
			return h, invalid(errclass.Arg, "IO-INFO-08", "hint %s is %q; it needs enable, disable or automatic", key, value)
		}
		*w = SwitchOf(value)
		return h, nil
	}
	return h.setOther(key, value)
}

// setOther is Set for hints that are neither a number nor a switch.
func (h Hints) setOther(key, value string) (Hints, error) {
	wrong := func(needs string) (Hints, error) {
		return h, invalid(errclass.Arg, "IO-INFO-08", "hint %s is %q; it needs %s", key, value, needs)
	}
	switch key {
	case "cb_config_list":
		n, ok := PerHost(value)
		if !ok {
			return wrong("*, *:* or a number of ranks of each node, such as *:2")
		}
		h.PerHost = n
	case "romio_no_indep_rw":
		if value != "true" && value != "false" {
			return wrong("true or false")
		}
		h.NoIndependent = value == "true"
	case "romio_cb_pfr":
		switch value {
		case "disable":
		case "enable":
			return wrong("disable: with enable file domains stay from call to call, and each call is planned by itself here")
		default:
			return wrong("disable or enable")
		}
	default:
		return h, invalid(errclass.Arg, "IO-INFO-04", "no strategy has the hint %q; there are %s", key, strings.Join(Keys, ", "))
	}
	return h, nil
}

// PerHost returns how many ranks of each node may be aggregators by a value of cb_config_list: *, *:* or *:N. Lists
// of names are not known here.
func PerHost(list string) (n int64, ok bool) {
	if list == "*" || list == "*:*" {
		return AllOfHost, true
	}
	text, ok := strings.CutPrefix(list, "*:")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return min(n, AllOfHost), err == nil && n > 0
}

// On returns h with the number of aggregators that the libraries use for a file of that many ranks. Consecutive ranks
// fill nodes of perNode ranks; 0: they are on nodes nodes in another way. nodes 0: unknown, then cb_nodes
// counts as if each rank had its own node, and without it all have one.
//
// By ROMIO's rules at most one rank of each node is an aggregator unless cb_config_list gives another number, by Cray's
// all are, and there is one for each stripe. A [Driver] of s has priority over that of h.
func (h Hints) On(s Strategy, ranks, nodes, perNode int) Hints {
	if two, ok := s.(TwoPhase); ok && two.Driver != UFS {
		h.Driver = two.Driver
	}
	want, host := h.Nodes, h.PerHost
	switch {
	case want > 0:
	case h.Driver == Cray:
		want = max(1, h.Stripes) * max(1, h.Multiplier)
	default:
		want = int64(ranks)
	}
	switch {
	case host > 0:
	case h.Driver == Cray, nodes == 0 && h.Nodes > 0:
		host = AllOfHost
	default:
		host = 1
	}
	most := int64(ranks)
	switch {
	case host >= int64(ranks):
	case nodes == 0:
		most = host
	case perNode == 0:
		most = min(most, host*int64(nodes))
	default:
		full, rest := int64(ranks/perNode), int64(ranks%perNode)
		most = full*min(host, int64(perNode)) + min(host, rest)
	}
	h.Nodes = min(want, most, int64(ranks))
	return h
}
