package comm

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// If the matcher were wrong, messages would overtake each other or reach the
// wrong receive, and every program above it would compute nonsense now and
// then. It is compared with two plain lists, searched from the front.
func TestMatcher(t *testing.T) {
	t.Run("P2P-04 matching by context, source, tag and order", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			var m matcher
			var naive lists
			all := map[int]*transfer{}
			id := 0
			for range rapid.IntRange(1, 200).Draw(t, "steps") {
				e := envelope{
					uint32(rapid.IntRange(1, 2).Draw(t, "context")),
					int32(rapid.IntRange(0, 3).Draw(t, "source")), int32(rapid.IntRange(0, 40).Draw(t, "tag")),
				}
				id++
				x := &transfer{rare: rare{number: int64(id)}}
				all[id] = x
				switch rapid.IntRange(0, 4).Draw(t, "what") {
				case 0, 1: // a message comes
					x.env = e
					got := m.receiver(e)
					if got == nil {
						m.arrive(x)
					} else {
						m.withdraw(got)
					}
					same(t, got, naive.receiver(e, id))
				case 2, 3: // a receive is posted
					x.env = e.as(rapid.IntRange(exact, anyBoth).Draw(t, "wildcards"))
					got := m.message(x.env)
					if got == nil {
						m.post(x)
					} else {
						m.withdraw(got)
					}
					same(t, got, naive.message(x.env, id))
				case 4: // something is taken back
					k := rapid.IntRange(1, id).Draw(t, "which")
					if got, want := m.withdraw(all[k]), naive.withdraw(k); got != want {
						t.Fatalf("withdrawn: %v, want %v", got, want)
					}
				}
			}
			if m.messages != len(naive.arrived) {
				t.Fatalf("%d messages, want %d", m.messages, len(naive.arrived))
			}
		})
	})
}

func same(t *rapid.T, got *transfer, want int) {
	if have := 0; got == nil && want != have || got != nil && int(got.number) != want {
		t.Fatalf("got %v, want number %d", got, want)
	}
}

type entry struct {
	env envelope
	id  int
}

type lists struct{ posted, arrived []entry }

func fits(receive, message envelope) bool { return receive == message.as(receive.shape()) }

func (l *lists) receiver(e envelope, id int) int {
	for i, p := range l.posted {
		if fits(p.env, e) {
			l.posted = slices.Delete(l.posted, i, i+1)
			return p.id
		}
	}
	l.arrived = append(l.arrived, entry{e, id})
	return 0
}

func (l *lists) message(e envelope, id int) int {
	for i, p := range l.arrived {
		if fits(e, p.env) {
			l.arrived = slices.Delete(l.arrived, i, i+1)
			return p.id
		}
	}
	l.posted = append(l.posted, entry{e, id})
	return 0
}

func (l *lists) withdraw(id int) bool {
	for _, list := range []*[]entry{&l.posted, &l.arrived} {
		for i, p := range *list {
			if p.id == id {
				*list = slices.Delete(*list, i, i+1)
				return true
			}
		}
	}
	return false
}

// If queues that no rank uses any more stayed for ever, a long run with fresh
// tags would eat all memory; if they went at once, each message would allocate.
func TestUnusedQueuesAreFreed(t *testing.T) {
	var m matcher
	for tag := range int32(100_000) {
		x := &transfer{env: envelope{1, 0, tag}}
		m.arrive(x)
		m.withdraw(x)
	}
	if n := len(m.arrived.buckets); n > 2*fewBuckets {
		t.Errorf("%d buckets for one message at a time", n)
	}
	spare := 0
	for l := m.arrived.spare; l != nil; l = l.next {
		spare++
	}
	if spare > 2*fewBuckets {
		t.Errorf("%d spare queues for one message at a time", spare)
	}
}

// The text for a rank in a deadlock report.
func TestWaitReasons(t *testing.T) {
	c := &Comm{core: &core{name: "COMM_WORLD"}}
	for want, x := range map[string]*transfer{
		"Recv from 3 tag 7 on COMM_WORLD":            {call: "Recv", comm: c, peer: 3, tag: 7},
		"Recv from any source tag any on COMM_WORLD": {call: "Recv", comm: c, peer: AnySource, tag: AnyTag},
		"Send to 1 tag 0 on COMM_WORLD":              {call: "Send", comm: c, sends: true, peer: 1},
		"Probe from any source tag 2 on COMM_WORLD":  {call: "Probe", comm: c, peer: AnySource, tag: 2},
	} {
		if got := x.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	k := &call{routine: allReduce, comm: c, nth: 3}
	if got, want := k.String(), "AllReduce (3rd collective) on COMM_WORLD"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 112: "112th", 103: "103rd"} {
		if got := ordinal(n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
