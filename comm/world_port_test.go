package comm_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
)

// No other module can call Internal: it can neither name the key nor write a value that Go
// converts to it.
func TestInternal(t *testing.T) {
	key := reflect.TypeOf(comm.Internal).In(0)
	assert.Contains(t, key.PkgPath(), "/internal/")
	for _, other := range []any{struct{}{}, struct{ _ struct{} }{}, (*int)(nil)} {
		assert.False(t, reflect.TypeOf(other).AssignableTo(key), "%T", other)
	}
}
