package consistency

import "github.com/commworld/commworld/internal/image"

const (
	// MaxSize is the greatest size of a file.
	MaxSize = 1 << 62
	// Poison is the value of a byte that was never written, unless the store or the model
	// defines another value; see [Model.WithPoison]. It is not 0, because a program must not
	// rely on 0.
	Poison = image.Poison
)

// A Model says when a write becomes visible to other handles: when it gets into the shared
// file, and when a reader looks there. A program that is correct under the standard is
// correct under every model, and reads the same bytes under each. The models differ in
// which incorrect programs they forgive.
//
// The zero Model is [Weakest]. Models are comparable.
type Model struct {
	name  string
	early bool // a write is in the shared file when it returns
	fresh bool // a read sees the newest file, not that of the last sync
	known bool // hole is what bytes that were never written read as
	hole  byte
	chaos bool
	seed  uint64
}

var (
	// Weakest gives exactly what the standard guarantees. The writes of a handle are private
	// until it syncs or closes. A handle sees the writes of others as of its last open or
	// sync, and no later ones. Weakest forgives nothing.
	Weakest = Model{name: "weakest"}

	// Session is close-to-open consistency, as network file systems have it: a session of a
	// handle is the time from an open or sync to the next sync or close. Writes go to the
	// server without delay; reads see the server's state at the beginning of the session. A
	// store that is a directory gets the writes at the next sync or close, which returns the
	// errors. It forgives a writer that forgets to sync.
	Session = Model{name: "session", early: true}

	// Commit is the model of burst buffers: a sync or close makes all earlier writes of the
	// handle visible to every later read. It forgives a reader that forgets to sync.
	Commit = Model{name: "commit", fresh: true}

	// POSIX is the model of a file system on one machine: every write is visible at once and
	// as a whole, and holes read as 0. It forgives every missing sync, but not missing
	// order. Holes belong to the store: a store that was made under another model keeps its
	// poison.
	POSIX = Model{name: "POSIX", early: true, fresh: true, known: true}
)

// Chaos returns the most hostile model that the standard allows: others may see unsynced
// writes now, later, in part, in pieces of any length, and in another order than they were
// written; if two writes race, some bytes of each may stay; and a handle may see new bytes
// before it syncs. seed decides, so a run can be repeated. Bytes without a race are as
// under [Weakest]: Chaos forgives nothing, but shows what could happen.
func Chaos(seed uint64) Model { return Model{name: "chaos", chaos: true, seed: seed} }

// String returns the name.
func (m Model) String() string {
	if m.name == "" {
		return Weakest.name
	}
	return m.name
}

// Poison returns the value of never-written bytes in a new store under m; otherwise is the
// value without a model.
func (m Model) Poison(otherwise byte) byte {
	if m.known {
		return m.hole
	}
	return otherwise
}

// WithPoison returns m with b as the value of never-written bytes inside a file, in a new
// store in memory. A directory ignores it: there the operating system fills holes, with 0.
func (m Model) WithPoison(b byte) Model {
	m.name, m.known, m.hole = m.String(), true, b
	return m
}

// PublishesEarly reports whether a write is in the shared file when it returns; otherwise
// it gets there at a sync or close.
func (m Model) PublishesEarly() bool { return m.early }

// ReadsFresh reports whether a read sees the newest state of the file; otherwise it sees
// the state at the last open or sync of the handle.
func (m Model) ReadsFresh() bool { return m.fresh }

// Forgives reports whether a race cannot show under m, so that the program works there, although the
// standard does not promise it: POSIX forgives each missing sync, and Commit that of a reader. The
// other models forgive none: under Session, a race that lacks the sync of the writer may lack that
// of the reader, too. No model forgives a missing order.
func (m Model) Forgives(e *RaceError) bool {
	switch e.Missing {
	case ReaderSync:
		return m.fresh
	case WriterSync:
		return m.fresh && m.early
	}
	return false
}

// Seed returns the seed of a model that [Chaos] made; ok is false for other models.
func (m Model) Seed() (seed uint64, ok bool) { return m.seed, m.chaos }
