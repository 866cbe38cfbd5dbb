package pack

import (
	"errors"
	"fmt"
	"time"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

const x32 = "external32"

// contestExternal makes the sides of s in external32. All sizes are those in memory, so
// room is large enough for both.
func (s *shape) contestExternal(d direction, libs []*peers.Peer, buf types.Buffer, room []byte, end int64) (*result, error) {
	if n, err := reps.PackExternalSize(x32, reps.LP64LE, s.count, s.typ); err != nil || n != int64(len(room)) {
		return nil, fmt.Errorf("%d bytes in external32, %d in memory: %w", n, len(room), err)
	}
	if _, err := reps.PackExternal(x32, reps.LP64LE, buf, room, 0); err != nil {
		return nil, err
	}
	var failed error
	mine := timed(ours, func() {
		var err error
		if d == packingX {
			_, err = reps.PackExternal(x32, reps.LP64LE, buf, room, 0)
		} else {
			_, err = reps.UnpackExternal(x32, reps.LP64LE, room, 0, buf)
		}
		failed = errors.Join(failed, err)
	})
	all := []side{{ours, func(n int64) (time.Duration, error) {
		t, err := mine.run(n)
		return t, errors.Join(err, failed)
	}}}
	for _, p := range libs {
		if p.Library() == peers.MPICH && s.typ.Signature().Only() == types.KindNone {
			continue // it crashes on structs with several kinds
		}
		if err := agreeExternal(p, s, end, room); err != nil {
			return nil, err
		}
		run := p.PackExternal
		if d == unpackingX {
			run = p.UnpackExternal
		}
		all = append(all, side{p.Library().Name, run})
	}
	plain := here(d.native(), buf, room)
	plain.name = native
	all = append(all, plain)
	return &result{shape: s.name, bytes: int64(len(room)), sides: all}, nil
}

// agreeExternal builds s with p and compares the bytes that p packs with ours.
func agreeExternal(p *peers.Peer, s *shape, end int64, packed []byte) error {
	if err := p.Build(s.typ); err != nil {
		return err
	}
	if err := p.Window(s.count, 0, end); err != nil {
		return err
	}
	n, hash, err := p.External()
	if err != nil {
		return err
	}
	if n != int64(len(packed)) || hash != peers.Hash(packed) {
		return fmt.Errorf("%s packs other bytes in external32", p.Library().Name)
	}
	return nil
}
