package iofile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/brief"
)

// otherHints are hints of ROMIO that have no effect here but are known.
var otherHints = []string{
	"romio_no_indep_rw", "romio_cb_fr_types", "romio_cb_fr_alignment", "romio_cb_pfr", "romio_cb_alltoall", "romio_cb_ds_threshold",
	"romio_min_fdomain_size", "romio_visibility_immediate", "romio_synchronized_flush", "romio_filesystem_type", "deferred_open",
	"romio_lustre_co_ratio", "romio_lustre_coll_threshold", "romio_lustre_ds_in_coll", "romio_lustre_cb_ds_threshold", "romio_lustre_start_iodevice",
	"start_iodevice", "direct_read", "direct_write", "overstriping_ratio",
}

// lintHints reports hints without effect: unknown keys and malformed values.
func (f *File) lintHints(op string, given *comm.Info) {
	for key, value := range given.All() {
		i := slices.IndexFunc(hintRules, func(r hintRule) bool { return r.key == key })
		switch {
		case i < 0 && !slices.Contains(otherHints, key):
			f.lint(op, "IO-INFO-04", "the hint %q is unknown, so it has no effect%s", brief.Name(key), likeHint(key))
		case i < 0 || hintRules[i].parse == nil:
		default:
			if _, ok := hintRules[i].parse(strings.TrimSpace(value)); !ok {
				f.lint(op, "IO-INFO-08", "the hint %q has the malformed value %q, so it has no effect", key, brief.Name(value))
			}
		}
	}
}

// likeHint returns "; did you mean cb_nodes?" if a known hint is spelled nearly like key.
func likeHint(key string) string {
	best, least := "", len(key)/3+1
	for _, r := range hintRules {
		if n := brief.Distance(strings.ToLower(key), r.key); n < least {
			best, least = r.key, n
		}
	}
	for _, other := range otherHints {
		if n := brief.Distance(strings.ToLower(key), other); n < least {
			best, least = other, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}
