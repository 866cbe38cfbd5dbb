package strategy

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/commworld/commworld/errclass"
)

// mostAround is how long a request to read may be although the access is shorter: a strategy
// may read whole blocks.
const mostAround = 64 << 20

// CheckPlan returns an error unless p, the plan of one rank, moves each byte of part once, in
// packed order: ErrArg. The plans of this package do; that of a [Planner] is checked before it is carried
// out, so that a mistake in it loses no byte. (IO-OPEN-04)
func CheckPlan(p *Plan, part *Part) error {
	bytes, lo, hi := int64(0), int64(0), int64(0)
	if part.N > 0 {
		lo, hi = span(part)
	}
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Off < 0 || r.Len < 0 || len(p.Moves) > 0 && r.Len > max(hi-lo, mostAround) {
			return p.wrong("request %d is for %d bytes from byte %d, but the access has bytes %d to %d only", i, r.Len, r.Off, lo, hi-1)
		}
		if bytes += r.Len; bytes < 0 { // more than can be counted
			break
		}
	}
	if len(p.Moves) == 0 {
		if bytes != part.N {
			return p.wrong("the requests without moves have %d bytes and the access %d; plan each byte once", bytes, part.N)
		}
		return nil
	}
	seen := 0
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Write {
			continue
		}
		moves := p.MovesOf(r)
		seen += len(moves)
		if err := p.within(r, moves); err != nil {
			return err
		}
	}
	next, err := p.movesOnce(p.Moves, part)
	if err != nil {
		return err
	}
	if next != len(p.Moves) || seen != len(p.Moves) && !p.Write { // what a write covers whole need not be read before
		return p.wrong("%d moves, of which requests to read fill %d and the access needs %d", len(p.Moves), seen, next)
	}
	return nil
}

// wrong returns the error for a plan that must not be carried out.
func (p *Plan) wrong(format string, args ...any) error {
	return invalid(errclass.Arg, "IO-OPEN-04", "strategy %v: %w", p.Strategy, fmt.Errorf(format, args...))
}

// within returns an error unless the moves are of bytes of r.
func (p *Plan) within(r *Request, moves []Move) error {
	for _, m := range moves {
		if m.Off < r.Off || m.Len <= 0 || m.Len > r.Off+r.Len-m.Off {
			return p.wrong("a move of %d bytes at byte %d is not within the request for bytes %d to %d", m.Len, m.Off, r.Off, r.Off+r.Len-1)
		}
	}
	return nil
}

// movesOnce returns how many of the moves, from the first on, move each byte of part once in
// packed order, and an error if they do not.
func (p *Plan) movesOnce(moves []Move, part *Part) (next int, err error) {
	pos := int64(0)
	for off, n := range part.Runs() {
		for end := pos + n; pos < end; next++ {
			if next == len(moves) || moves[next].Pos != pos || moves[next].Off != off+n-(end-pos) || moves[next].Len <= 0 || moves[next].Len > end-pos {
				return next, p.wrong("no move, or a wrong one, for packed byte %d of the access, which is byte %d of the file", pos, off+n-(end-pos))
			}
			pos += moves[next].Len
		}
	}
	return next, nil
}

// CheckTogether returns an error unless p, the plan of a collective access that a
// [JointPlanner] made, moves each byte of each rank's part once, and each carrier makes one
// request for its moves of a round: ErrArg. (IO-OPEN-04)
func CheckTogether(p *Plan, parts []Part) error {
	lo, hi := int64(math.MaxInt64), int64(0)
	for r := range parts {
		if parts[r].N > 0 {
			a, b := span(&parts[r])
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	for i := range p.Moves {
		if m := &p.Moves[i]; m.Rank < 0 || m.Rank >= p.Ranks || m.Carrier < 0 || m.Carrier >= p.Ranks || m.Round < 0 || m.Len <= 0 {
			return p.wrong("a move of %d bytes from rank %d to rank %d in round %d; the access has %d ranks, and rounds count from 0", m.Len, m.Rank, m.Carrier, m.Round, p.Ranks)
		}
	}
	moved := 0
	for i := range p.Requests {
		r := &p.Requests[i]
		switch {
		case r.Rank < 0 || r.Rank >= p.Ranks || r.Round < 0 || r.Round >= p.Rounds:
			return p.wrong("a request of rank %d in round %d; the access has %d ranks and %d rounds", r.Rank, r.Round, p.Ranks, p.Rounds)
		case r.Off < 0 || r.Len < 0 || r.Len > max(hi-lo, mostAround):
			return p.wrong("a request for %d bytes from byte %d, but the access has bytes %d to %d only", r.Len, r.Off, lo, hi-1)
		case r.Write && !p.Write:
			return p.wrong("a request to write in an access that reads")
		case i > 0 && p.Requests[i-1].Rank == r.Rank && p.Requests[i-1].Round == r.Round && (!r.Write || p.Requests[i-1] != r.Reading()):
			return p.wrong("rank %d makes two requests in round %d; only one to read what the other writes may be the second", r.Rank, r.Round)
		case r.Write == p.Write:
			moves := p.MovesOf(r)
			if err := p.within(r, moves); err != nil {
				return err
			}
			moved += len(moves)
		}
	}
	if moved != len(p.Moves) {
		return p.wrong("%d moves, of which %d are in a round with a request of their carrier", len(p.Moves), moved)
	}
	moves := slices.Clone(p.Moves)
	sort.SliceStable(moves, func(i, j int) bool {
		a, b := &moves[i], &moves[j]
		return a.Rank < b.Rank || a.Rank == b.Rank && a.Pos < b.Pos
	})
	for r := range parts {
		next, err := p.movesOnce(moves, &parts[r])
		if err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
		if moves = moves[next:]; len(moves) > 0 && moves[0].Rank == r {
			return p.wrong("rank %d has %d bytes, and a move of more", r, parts[r].N)
		}
	}
	return nil
}
