//go:build !race

package sched

import "iter"

// pull is [iter.Pull] without values and without stop.
func pull(body func(yield func(struct{}) bool)) (resume func() (struct{}, bool)) {
	resume, _ = iter.Pull(body)
	return resume
}
