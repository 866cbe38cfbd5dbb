package strategy

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
)

// The plan of a strategy of the program is checked before it is carried out, so that a mistake
// in it loses no byte.

// mostAround is how long a request may be although the access is shorter: a strategy may move
// whole blocks.
const mostAround = 64 << 20

// possible reports whether a request may be made, for an access that has bytes from lo to hi.
// It may end behind the last byte that a file can have. The buffer for it takes memory.
func (r *Request) possible(lo, hi int64) bool {
	return r.Off >= 0 && r.Len >= 0 && r.Off <= extent.MaxSize && r.Len <= min(max(hi-lo, mostAround), largestBuffer)
}

// checkAlone returns an error unless p, the plan of one rank, moves each byte of part once, in
// packed order.
func (p *Plan) checkAlone(part *Part) error {
	for i := range p.Requests {
		p.Requests[i].Rank = 0
	}
	for i := range p.Moves {
		p.Moves[i].Rank, p.Moves[i].Carrier = 0, 0
	}
	bytes, lo, hi := int64(0), int64(0), int64(0)
	if part.N > 0 {
		lo, hi = span(part)
	}
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Off < 0 || r.Len < 0 || len(p.Moves) > 0 && !r.possible(lo, hi) {
			return p.wrong("request %d is for %d bytes from byte %d; the access has bytes %d to %d, and a buffer at most %d", i, r.Len, r.Off, lo, hi-1, int64(largestBuffer))
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
		moves := p.MovesOf(r)
		if err := p.within(r, moves); err != nil {
			return err
		}
		switch {
		case r.Write == p.Write:
			seen += len(moves)
		case r.Write:
			return p.wrong("a request to write in an access that reads")
		}
	}
	next, err := p.movesOnce(p.Moves, part)
	if err != nil {
		return err
	}
	if next != len(p.Moves) || seen != len(p.Moves) {
		return p.wrong("%d moves, of which %d are in a round with a request for them and the access needs %d", len(p.Moves), seen, next)
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

// arrange puts moves and requests into the order of carriers and rounds, and counts the
// rounds.
func (p *Plan) arrange() {
	sort.SliceStable(p.Moves, func(i, j int) bool {
		a, b := &p.Moves[i], &p.Moves[j]
		switch {
		case a.Carrier != b.Carrier:
			return a.Carrier < b.Carrier
		case a.Round != b.Round:
			return a.Round < b.Round
		}
		return a.Off < b.Off
	})
	sort.SliceStable(p.Requests, func(i, j int) bool {
		a, b := &p.Requests[i], &p.Requests[j]
		switch {
		case a.Rank != b.Rank:
			return a.Rank < b.Rank
		case a.Round != b.Round:
			return a.Round < b.Round
		}
		return !a.Write && b.Write
	})
	for i := range p.Moves {
		p.Rounds = max(p.Rounds, p.Moves[i].Round+1)
	}
}

// checkTogether arranges p, the plan of a [JointPlanner] for a collective access, and returns
// an error unless it moves each byte of each rank's part once, and each carrier makes one
// request for its moves of a round.
func (p *Plan) checkTogether(parts []Part) error {
	for i := range p.Moves {
		if m := &p.Moves[i]; m.Rank < 0 || m.Rank >= p.Ranks || m.Carrier < 0 || m.Carrier >= p.Ranks || m.Round < 0 || m.Round >= math.MaxInt32 || m.Len <= 0 {
			return p.wrong("a move of %d bytes from rank %d to rank %d in round %d; the access has %d ranks, and rounds count from 0", m.Len, m.Rank, m.Carrier, m.Round, p.Ranks)
		}
	}
	p.arrange()
	if err := p.checkRequests(parts); err != nil {
		return err
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

// checkRequests returns an error unless each carrier makes one request for its moves of each
// round, which covers them; in a write it may first read the same bytes.
func (p *Plan) checkRequests(parts []Part) error {
	lo, hi := int64(math.MaxInt64), int64(0)
	for r := range parts {
		if parts[r].N > 0 {
			a, b := span(&parts[r])
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	moved := 0
	for i := range p.Requests {
		r := &p.Requests[i]
		moves := p.MovesOf(r)
		switch {
		case len(moves) == 0:
			return p.wrong("a request of rank %d in round %d, in which it moves no bytes", r.Rank, r.Round)
		case !r.possible(lo, hi):
			return p.wrong("a request for %d bytes from byte %d; the access has bytes %d to %d, and a buffer at most %d", r.Len, r.Off, lo, hi-1, int64(largestBuffer))
		case r.Write && !p.Write:
			return p.wrong("a request to write in an access that reads")
		case r.Write != p.Write && (i+1 == len(p.Requests) || p.Requests[i+1].Reading() != *r || !p.Requests[i+1].Write):
			return p.wrong("rank %d reads bytes in round %d that it does not write", r.Rank, r.Round)
		case r.Write != p.Write:
			continue
		case i > 0 && p.Requests[i-1].Rank == r.Rank && p.Requests[i-1].Round == r.Round && p.Requests[i-1].Write == r.Write:
			return p.wrong("rank %d makes two requests in round %d", r.Rank, r.Round)
		}
		if err := p.within(r, moves); err != nil {
			return err
		}
		moved += len(moves)
	}
	if moved != len(p.Moves) {
		return p.wrong("%d moves, of which %d are in a round with a request of their carrier", len(p.Moves), moved)
	}
	return nil
}
