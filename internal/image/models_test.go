package image_test

import (
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/stretchr/testify/assert"
)

// If this fails, a model forgives a mistake that it should show, or breaks its own promise:
// then "works under POSIX" means nothing.
func TestModelStrength(t *testing.T) {
	for _, l := range []struct {
		model image.Rules
		steps [3]string // nothing, a sync of the writer, one of the reader
		text  string
	}{
		{image.Weakest, [3]string{"0", "0", "0"}, "weakest"},
		{image.Rules{}, [3]string{"0", "0", "0"}, "weakest"},
		{image.Session, [3]string{"0", "0", "5"}, "session"},
		{image.Commit, [3]string{"0", "5", "0"}, "commit"},
		{image.POSIX, [3]string{"5", "5", "5"}, "POSIX"},
	} {
		t.Run("CONS-ATOM-05 "+l.text, func(t *testing.T) {
			for i, want := range l.steps {
				im := image.NewImage(image.NewMemory('x'))
				w := im.Open()
				must(t, w.Write(bytesAt(0), 0, []byte("0")))
				must(t, w.Close())
				w, r := im.OpenAs(l.model), im.OpenAs(l.model)
				must(t, w.Write(bytesAt(0), 0, []byte("5")))
				if i == 1 {
					must(t, w.Publish())
					w.Adopt()
				}
				if i == 2 {
					r.Adopt()
				}
				got := make([]byte, 1)
				_, err := r.Read(bytesAt(0), 0, got)
				must(t, err)
				assert.Equal(t, want, string(got), "step %d", i)
				must(t, w.Publish())
				r.Adopt()
				_, err = r.Read(bytesAt(0), 0, got)
				must(t, err)
				assert.Equal(t, "5", string(got), "sync, order, sync is enough under every model")
			}
		})
	}
}

// chaotic runs a writer of two overlapping pieces and a reader, without syncs.
func chaotic(t testing.TB, seed uint64) string {
	im := image.NewImage(image.NewMemory('x'))
	a := im.Open()
	must(t, a.Write(bytesAt(0), 0, []byte("0000")))
	must(t, a.Close())
	w, r := im.OpenAs(image.Chaos(seed)), im.OpenAs(image.Chaos(seed))
	must(t, w.Write(bytesAt(0), 0, []byte("111")))
	must(t, w.Write(bytesAt(0), 1, []byte("222")))
	own, got := make([]byte, 4), make([]byte, 4)
	_, err := w.Read(bytesAt(0), 0, own)
	must(t, err)
	assert.Equal(t, "1222", string(own), "a rank sees its own writes")
	_, err = r.Read(bytesAt(0), 0, got)
	must(t, err)
	must(t, w.Publish())
	r.Adopt()
	_, err = r.Read(bytesAt(0), 0, own)
	must(t, err)
	assert.Equal(t, "1222", string(own), "after sync, order, sync nothing is left to chance")
	return string(got)
}

// If this fails, a program that races is shown only its luckiest outcomes.
func TestChaosShowsAllowedOutcomes(t *testing.T) {
	t.Run("CONS-C4 old, new, late, torn, out of order", func(t *testing.T) {
		seen := map[string]bool{}
		for seed := range uint64(2000) {
			got := chaotic(t, seed)
			assert.Equal(t, got, chaotic(t, seed), "the same seed, the same outcome")
			for i, c := range []byte(got) {
				assert.Contains(t, []string{"01", "012", "012", "02"}[i], string(c), "only what somebody wrote")
			}
			seen[got] = true
		}
		for _, want := range []string{"0000", "1222", "1110", "0222", "1000", "0020", "1112"} {
			assert.True(t, seen[want], "%s; seen: %v", want, seen)
		}
	})
}

// If this fails, a byte that a rank wrote and synced is lost, because the hole that a
// write behind it made passes for a write that races.
func TestChaosLosesNoSyncedByte(t *testing.T) {
	t.Run("CONS-C4 only bytes of another write stay", func(t *testing.T) {
		for _, poison := range []byte{0, image.Poison} {
			for _, b := range []image.Backing{image.NewMemory(poison), plain{image.NewMemory(poison)}} {
				for seed := range uint64(20) {
					must(t, b.SetSize(0))
					im := image.NewImage(b)
					a, z := im.OpenAs(image.Chaos(seed)), im.OpenAs(image.Chaos(seed+1))
					must(t, z.Write(bytesAt(0), 9, []byte("z")))
					must(t, z.Publish())
					must(t, a.Write(bytesAt(0), 0, []byte("aaaa")))
					must(t, a.Publish())
					got := make([]byte, 4)
					_, err := b.ReadAt(got, 0)
					must(t, err)
					assert.Equal(t, "aaaa", string(got), "poison %d, seed %d", poison, seed)
				}
			}
		}
	})
}
