package strategy

import "github.com/commworld/commworld/errclass"

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
			return invalid(errclass.Arg, "IO-OPEN-04", "strategy %v: request %d is for %d bytes from byte %d, but the access has bytes %d to %d only", p.Strategy, i, r.Len, r.Off, lo, hi-1)
		}
		if bytes += r.Len; bytes < 0 { // more than can be counted
			break
		}
	}
	if len(p.Moves) == 0 {
		if bytes != part.N {
			return invalid(errclass.Arg, "IO-OPEN-04", "strategy %v: the requests without moves have %d bytes and the access %d; plan each byte once", p.Strategy, bytes, part.N)
		}
		return nil
	}
	pos, seen := int64(0), 0
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Write {
			continue
		}
		moves := p.MovesOf(r)
		seen += len(moves)
		for _, m := range moves {
			if m.Off < r.Off || m.Len <= 0 || m.Len > r.Off+r.Len-m.Off {
				return invalid(errclass.Arg, "IO-OPEN-04", "strategy %v: a move of %d bytes at byte %d is not within the request that reads bytes %d to %d", p.Strategy, m.Len, m.Off, r.Off, r.Off+r.Len-1)
			}
		}
	}
	moves, next := p.Moves, 0
	for off, n := range part.Runs() {
		for end := pos + n; pos < end; next++ {
			if next == len(moves) || moves[next].Pos != pos || moves[next].Off != off+n-(end-pos) || moves[next].Len > end-pos {
				return invalid(errclass.Arg, "IO-OPEN-04", "strategy %v: no move, or a wrong one, for packed byte %d of the access, which is byte %d of the file", p.Strategy, pos, off+n-(end-pos))
			}
			pos += moves[next].Len
		}
	}
	if next != len(moves) || seen != len(moves) && !p.Write { // what a write covers whole need not be read before
		return invalid(errclass.Arg, "IO-OPEN-04", "strategy %v: %d moves, of which requests to read fill %d and the access needs %d", p.Strategy, len(moves), seen, next)
	}
	return nil
}
