package proptest

import (
	"fmt"
	"sync"

	"github.com/commworld/commworld/proptest/gen"
)

// A promised has the values that each byte of a file may have after a crash, by the results
// of the ranks' calls. A byte has a base, of which no rank knows more than that it was
// written before the last sync of all, and the writes since, by rank.
type promised struct {
	mu    sync.Mutex
	base  []baseByte
	ranks []map[int64]*sinceByte
	end   int64 // 1 + the last byte that a write ever began to write
	syncs int   // the operation of the last sync of all
}

// A baseByte is a byte as it may have been at the last sync of all.
type baseByte struct {
	may   values
	known bool // it has one of these values; otherwise it may have any, or be missing
}

// A sinceByte is a byte that one rank has written since the last sync of all.
type sinceByte struct {
	synced bool
	was    byte   // synced
	since  values // written since then
	last   byte   // written last, and completely
	whole  bool   // last counts
}

func newPromised(ranks int) *promised {
	m := &promised{ranks: make([]map[int64]*sinceByte, ranks), syncs: -1}
	for r := range m.ranks {
		m.ranks[r] = map[int64]*sinceByte{}
	}
	return m
}

// begin records that a rank begins a write.
func (m *promised) begin(rank int, off int64, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, b := range data {
		at := off + int64(i)
		c := m.ranks[rank][at]
		if c == nil {
			c = new(sinceByte)
			m.ranks[rank][at] = c
		}
		c.since.add(b)
		m.end = max(m.end, at+1)
	}
	for int64(len(m.base)) < m.end {
		m.base = append(m.base, baseByte{})
	}
}

// completed records that a write has returned without an error.
func (m *promised) completed(rank int, off int64, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, b := range data {
		c := m.ranks[rank][off+int64(i)]
		c.last, c.whole = b, true
	}
}

// synced records that a sync or a close of a rank has returned without an error.
func (m *promised) synced(rank int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.ranks[rank] {
		if c.whole {
			c.synced, c.was, c.since = true, c.last, values{}
		}
	}
}

// ordered records that operation k has ordered all writes before it, which were synced, before
// all that come. The first rank that is through it records it.
func (m *promised) ordered(k int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k > m.syncs {
		m.syncs = k
		m.close()
	}
}

// crashed records that the ranks are dead: what they wrote may be there, and is all in the
// past.
func (m *promised) crashed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.close()
}

// close makes the writes of all ranks a part of the base.
func (m *promised) close() {
	for r := range m.ranks {
		for at := range m.ranks[r] {
			m.base[at] = m.at(at)
		}
	}
	for r := range m.ranks {
		clear(m.ranks[r])
	}
}

// at returns what a byte may be now: a synced write excludes what was before it.
func (m *promised) at(at int64) baseByte {
	var all baseByte
	synced := false
	for r := range m.ranks {
		if c := m.ranks[r][at]; c != nil {
			all.may.join(c.since)
			if c.synced {
				synced = true
				all.may.add(c.was)
			}
		}
	}
	all.known = synced || m.base[at].known
	if !synced {
		all.may.join(m.base[at].may)
	}
	return all
}

// check compares a file with what was promised.
func (m *promised) check(p *gen.Program, file []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if int64(len(file)) > m.end {
		return &Disagreement{
			Program: p, Op: len(p.Ops), Rank: -1, Rule: "IO-SIZE-08",
			What: fmt.Sprintf("the file has %d bytes, but no rank ever wrote a byte beyond %d", len(file), m.end),
		}
	}
	for i := range m.base {
		now := m.at(int64(i))
		if !now.known {
			continue
		}
		if i >= len(file) {
			return &Disagreement{
				Program: p, Op: len(p.Ops), Rank: -1, Rule: "CONS-SYNC-01",
				What: fmt.Sprintf("byte %d was synced and is lost: the file has %d bytes", i, len(file)),
			}
		}
		if !now.may.has(file[i]) {
			return m.wrong(p, file, i)
		}
	}
	return nil
}

// wrong reports the impossible bytes from byte i on.
func (m *promised) wrong(p *gen.Program, file []byte, i int) error {
	d := &Disagreement{Program: p, Op: len(p.Ops), Rank: -1, Rule: "CONS-SYNC-01", Lo: int64(i)}
	for ; i < len(file); i++ {
		now := m.at(int64(i))
		if !now.known || now.may.has(file[i]) {
			break
		}
		d.Want, d.Got = append(d.Want, now.may.first()), append(d.Got, file[i])
	}
	d.Hi = int64(i)
	d.What = fmt.Sprintf("bytes [%d, %d) are neither those that were synced last nor written since", d.Lo, d.Hi)
	ref := reference{p: p}
	d.Origin = ref.writerOf(d.Got, d.Want)
	return d
}
