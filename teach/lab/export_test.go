package lab

import (
	"os"
	"testing"
	"time"
)

// ordinary holds the times of the page itself. The tests wait longer, so that a slow or busy
// machine gives the same answers; those about the times themselves call InTime.
var ordinary = longest

func TestMain(m *testing.M) {
	longest.exploring *= 40
	longest.model *= 40
	longest.models *= 40
	longest.fixing *= 40
	os.Exit(m.Run())
}

// InTime lets answers take as long as on the page until t ends.
func InTime(t testing.TB) {
	patient := longest
	longest = ordinary
	t.Cleanup(func() { longest = patient })
}

// Hurry ends explorations before they are complete.
func Hurry(t testing.TB) {
	InTime(t)
	longest.exploring = time.Millisecond
}
