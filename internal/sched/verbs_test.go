package sched_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// A rank with many verbs hides which of them decide who runs. A new one takes the place of
// another, or gets a parameter; what concerns the whole world belongs to Sched.
func TestVerbsOfRank(t *testing.T) {
	const most = 28
	rank := reflect.TypeFor[*sched.Rank]()
	var names []string
	for m := range rank.Methods() {
		names = append(names, m.Name)
	}
	t.Logf("%d exported methods of Rank, %d of Sched", len(names), reflect.TypeFor[*sched.Sched]().NumMethod())
	assert.LessOrEqual(t, len(names), most, "%v", names)
}
