package consistency

import "github.com/commworld/commworld/internal/image"

const (
	// MaxSize is the greatest size of a file.
	MaxSize = 1 << 62
	// Poison is what a byte that was never written reads as, unless the store or
	// the model has it otherwise. It is not 0, because a program must not rely on 0.
	Poison = image.Poison
)

// A Model says when a write becomes visible to other handles: when the image
// learns of it, and when a reader looks. A program that is right under the
// standard is right under every model, and reads the same bytes under each.
// The models differ in which wrong programs they forgive.
//
// The zero Model is [Weakest]. Models are comparable.
type Model struct {
	name  string
	early bool // a write is in the image when it returns
	fresh bool // a read sees the image as it is, not as it was adopted
	zero  bool // what was never written reads as 0
	chaos bool
	seed  uint64
}

var (
	// Weakest gives what the standard guarantees and not a byte more. What a
	// handle wrote is private until it syncs or closes; what others wrote is
	// seen after an open or a sync that came later than theirs, and stays so
	// until the next one. It forgives nothing.
	Weakest = Model{name: "weakest"}

	// Session is close-to-open, as network file systems have it: a session of a
	// handle is what lies between open, sync and close. What it writes goes to
	// the server without delay; what it reads is what the server had when the
	// session began. It forgives a writer that forgets to sync.
	Session = Model{name: "session", early: true}

	// Commit is that of burst buffers: a sync or close makes all that was
	// written before it visible, to everybody who reads after it. It forgives
	// a reader that forgets to sync.
	Commit = Model{name: "commit", fresh: true}

	// POSIX is what a file system on one machine does: every write is visible
	// at once and as a whole, and holes read as 0. It forgives every missing
	// sync, but not missing order. Holes are those of the store: in a store
	// that was made under another model they keep its poison.
	POSIX = Model{name: "POSIX", early: true, fresh: true, zero: true}
)

// Chaos returns the most hostile model that the standard allows: whatever was
// not synced may be seen by others now, later, in part, in pieces of any
// length, and not in the order in which it was written; of two writes that race
// some bytes of each may stay; and a handle may find
// what is new before it syncs. seed decides, so the same run can be seen again.
// Bytes that no race is about are as under [Weakest]: Chaos forgives nothing,
// but shows what could happen.
func Chaos(seed uint64) Model { return Model{name: "chaos", chaos: true, seed: seed} }

// String returns the name.
func (m Model) String() string {
	if m.name == "" {
		return Weakest.name
	}
	return m.name
}

// Poison returns what never-written bytes of a new store read as under m, given
// what they would read as otherwise.
func (m Model) Poison(otherwise byte) byte {
	if m.zero {
		return 0
	}
	return otherwise
}

// PublishesEarly reports whether a write is in the file when it returns, where
// those find it who look; else it is there after a sync or close.
func (m Model) PublishesEarly() bool { return m.early }

// ReadsFresh reports whether a read sees the file as it is; else it sees the
// file as of the last open or sync of the handle.
func (m Model) ReadsFresh() bool { return m.fresh }

// Seed returns the seed of a model that [Chaos] made. Of others ok is false.
func (m Model) Seed() (seed uint64, ok bool) { return m.seed, m.chaos }
