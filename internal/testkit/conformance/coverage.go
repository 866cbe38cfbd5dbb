package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/testkit/spec"
)

const module = "github.com/commworld/commworld/"

// needsPeers begins the names of tests that run only where other MPI libraries are
// installed. They are ignored here, because the table must be the same on every machine.
const needsPeers = "TestPeers"

// A coverage has, for each id, the subtests that cover it, or the reason why none does.
type coverage struct {
	tests map[string][]string // by id, sorted: package/Test/subtest
	gaps  map[string][]string // by id, sorted: reasons that skipped subtests give
}

var gapNote = regexp.MustCompile(`gap ([A-Z][A-Za-z0-9-]*): (.*)`)

// cover finds the ids in the names of tests. The second result names ids that are in no
// table, with the subtest that has them in its name.
func cover(tests []outcome) (coverage, []string) {
	alive := didSomething(tests)
	found := map[string]map[string]bool{}
	reasons := map[string]map[string]bool{}
	var unknown []string
	for _, o := range tests {
		parts := strings.Split(o.test, "/")
		last := len(parts) - 1
		if last == 0 || strings.HasPrefix(parts[0], needsPeers) {
			continue // a test's own name has no id; peers are not on every machine
		}
		where := strings.TrimPrefix(o.pkg, module) + "/" + o.test
		for _, id := range spec.IDs(parts[last]) {
			switch {
			case !spec.Known(id):
				unknown = append(unknown, fmt.Sprintf("%s is not an id that internal/testkit/spec/ids.txt knows, but names %s", id, where))
			case o.action == "pass" && alive[o.pkg+"/"+o.test]:
				add(found, id, where)
			}
		}
		if m := gapNote.FindStringSubmatch(o.output); o.action == "skip" && m != nil {
			add(reasons, m[1], strings.TrimSpace(m[2]))
		}
	}
	slices.Sort(unknown)
	return coverage{tests: sorted(found), gaps: sorted(reasons)}, unknown
}

// didSomething marks the passed tests that ran some code: a test whose subtests were all
// skipped also passes, but shows nothing.
func didSomething(tests []outcome) map[string]bool {
	parent := map[string]bool{}
	for _, o := range tests {
		if i := strings.LastIndex(o.test, "/"); i >= 0 {
			parent[o.pkg+"/"+o.test[:i]] = true
		}
	}
	alive := map[string]bool{}
	for _, o := range tests {
		name := o.pkg + "/" + o.test
		if o.action != "pass" || parent[name] {
			continue
		}
		for ; len(name) > len(o.pkg); name = name[:strings.LastIndex(name, "/")] {
			alive[name] = true
		}
	}
	return alive
}

func add(m map[string]map[string]bool, key, value string) {
	if m[key] == nil {
		m[key] = map[string]bool{}
	}
	m[key][value] = true
}

func sorted(m map[string]map[string]bool) map[string][]string {
	out := map[string][]string{}
	for k, set := range m {
		out[k] = slices.Sorted(maps.Keys(set))
	}
	return out
}

// mistakes lists the rules about which tests and tables disagree.
func (c coverage) mistakes(rules []spec.Rule) []string {
	var out []string
	for _, r := range rules {
		tests, skips := c.tests[r.ID], c.gaps[r.ID]
		_, listed := spec.Reason(r.ID)
		switch {
		case len(tests) > 0 && listed:
			out = append(out, fmt.Sprintf("%s is in internal/testkit/spec/gaps.txt, but %s covers it", r.ID, tests[0]))
		case len(tests) > 0 && len(skips) > 0:
			out = append(out, fmt.Sprintf("%s is skipped as a gap (%s), but %s covers it", r.ID, skips[0], tests[0]))
		case len(tests) == 0 && len(skips) == 0 && !listed:
			out = append(out, fmt.Sprintf("%s has neither a test nor a reason in internal/testkit/spec/gaps.txt: %s", r.ID, r.Title))
		}
	}
	return out
}

// reason says why a rule has no test. The reason of a test beside the code has priority over
// the table's reason, which a skipped subtest of package spec only repeats.
func (c coverage) reason(id string) string {
	listed, ok := spec.Reason(id)
	var own []string
	for _, r := range c.gaps[id] {
		if r != listed {
			own = append(own, r)
		}
	}
	if len(own) > 0 || !ok {
		return strings.Join(own, "; ")
	}
	return listed
}
