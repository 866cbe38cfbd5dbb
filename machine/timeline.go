package machine

// A timeline records the load of a server or rank over time, in a bounded number of equal
// slots that grow as time passes.
type timeline struct {
	slot float64 // seconds
	busy [slots]float64
}

const slots = 512

// add adds work between times a and b; share is the busy part of that time.
func (t *timeline) add(a, b, share float64) {
	if t == nil || b <= a {
		return
	}
	if t.slot == 0 {
		t.slot = b / slots
	}
	for b > t.slot*slots {
		for i := range slots / 2 {
			t.busy[i] = t.busy[2*i] + t.busy[2*i+1]
		}
		clear(t.busy[slots/2:])
		t.slot *= 2
	}
	for i := int(a / t.slot); i < slots && float64(i)*t.slot < b; i++ {
		t.busy[i] += share * (min(b, float64(i+1)*t.slot) - max(a, float64(i)*t.slot))
	}
}

// at returns the busy share of the time from a to b.
func (t *timeline) at(a, b float64) float64 {
	if t.slot == 0 || b <= a {
		return 0
	}
	sum := 0.0
	for i := max(0, int(a/t.slot)); i < slots && float64(i)*t.slot < b; i++ {
		lo, hi := max(a, float64(i)*t.slot), min(b, float64(i+1)*t.slot)
		sum += t.busy[i] * (hi - lo) / t.slot
	}
	return min(1, sum/(b-a))
}
