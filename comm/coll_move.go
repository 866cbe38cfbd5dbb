package comm

import "github.com/commworld/commworld/types"

// This file moves data between the calls that have met. The calls themselves are in
// coll_calls_*.go.

// InPlace represents a buffer whose data are already in the other buffer of the same call,
// or stay there.
//
// MPI_IN_PLACE
var InPlace = types.Raw(nil, 0, inPlace)

var inPlace = types.Dup(types.Byte)

func isInPlace(b *types.Buffer) bool {
	t, _ := b.Items()
	return t == inPlace
}

// The routines that move data differ in which rank sends to which and in how the buffers
// are cut into blocks.
var (
	barrier    = &routine{name: "Barrier", bare: true, across: meetAcross}
	bcast      = &routine{name: "Bcast", across: pairAcross, rooted: true, edge: fromRoot, agree: agreeFromRoot, volume: volumeFromRoot, share: shareFromRoot}
	scatter    = &routine{name: "Scatter", across: pairAcross, rooted: true, edge: fromRoot, agree: agreeFromRoot, volume: volumeFromRoot, share: shareFromRoot}
	scatterV   = &routine{name: "ScatterV", across: pairAcross, rooted: true, edge: fromRoot, agree: agreeFromRoot, volume: volumeFromRoot, share: shareFromRoot}
	gather     = &routine{name: "Gather", across: pairAcross, rooted: true, edge: toRoot, agree: agreeToRoot, volume: volumeToRoot, share: shareToRoot}
	gatherV    = &routine{name: "GatherV", across: pairAcross, rooted: true, edge: toRoot, agree: agreeToRoot, volume: volumeToRoot, share: shareToRoot}
	allGather  = &routine{name: "AllGather", across: pairAcross, agree: agreeEvenly, volume: volumeToAll, share: shareToAll}
	allGatherV = &routine{name: "AllGatherV", across: pairAcross, agree: agreeToAll, volume: volumeToAll, share: shareToAll}
	allToAll   = &routine{name: "AllToAll", across: pairAcross, agree: agreeEvenly, volume: volumeToAll, share: shareToAll}
	allToAllV  = &routine{name: "AllToAllV", across: pairAcross, agree: agreeToAll, volume: volumeToAll, share: shareToAll}
	allToAllW  = &routine{name: "AllToAllW", across: pairAcross, agree: agreeToAll, volume: volumeApart, share: shareToAll}
)

func agreeFromRoot(ks []*call) *fault {
	for d := range ks {
		if f := matchPair(ks, ks[0].root, d); f != nil {
			return f
		}
	}
	return nil
}

func agreeToRoot(ks []*call) *fault {
	for s := range ks {
		if f := matchPair(ks, s, ks[0].root); f != nil {
			return f
		}
	}
	return nil
}

// agreeToAll compares each block sent with the block received. Equal pairs are checked
// quickly, because there are many.
func agreeToAll(ks []*call) *fault {
	for d, to := range ks {
		for s, from := range ks {
			if from.sends.how != apart && from.send.typ == to.recv.typ && from.out(d).n == to.in(s).n {
				continue
			}
			if f := matchPair(ks, s, d); f != nil {
				return f
			}
		}
	}
	return nil
}

// agreeEvenly is agreeToAll for equal blocks on every rank: then it is enough to compare
// each rank with rank 0.
func agreeEvenly(ks []*call) *fault {
	for i := range ks {
		if f := matchPair(ks, i, 0); f != nil {
			return f
		}
		if f := matchPair(ks, 0, i); f != nil {
			return f
		}
	}
	return nil
}

func volumeFromRoot(ks []*call) int64 {
	root := ks[ks[0].root]
	n := root.send.size()
	if root.sends.how == uncut {
		n *= int64(len(ks) - 1)
	}
	return n
}

func volumeToRoot(ks []*call) int64 {
	root := ks[ks[0].root]
	return root.recv.size()
}

func volumeToAll(ks []*call) int64 {
	n := int64(0)
	for _, k := range ks {
		n += k.recv.size()
	}
	return n
}

func volumeApart(ks []*call) (n int64) {
	for i := range ks[0].recvs.each {
		n += ks[0].recvs.each[i].size()
	}
	return n * int64(len(ks))
}

func shareFromRoot(ks []*call, i, _ int) *fault { return movePair(ks, ks[0].root, i) }

func shareToRoot(ks []*call, i, _ int) *fault { return movePair(ks, i, ks[0].root) }

// shareToAll begins with a different sender on every rank, so that the ranks do not all read
// the same memory at once.
func shareToAll(ks []*call, i, _ int) *fault {
	for s := range ks {
		if f := movePair(ks, (s+i)%len(ks), i); f != nil {
			return f
		}
	}
	return nil
}

// matchPair compares the data that rank s sends to rank d with those that d expects from s.
func matchPair(ks []*call, s, d int) *fault {
	if s == d && ks[d].skipSelf {
		return nil
	}
	src, dst := ks[s].out(d), ks[d].in(s)
	f := match(dst, src, exactly)
	if f == nil {
		return nil
	}
	return broken(f.Class, "COLL-01", "what rank %d sends is not what rank %d receives: %w", s, d, f.Err)
}

// movePair moves the data that rank s sends to rank d.
func movePair(ks []*call, s, d int) *fault {
	if s == d && ks[d].skipSelf {
		return nil
	}
	src, dst := ks[s].out(d), ks[d].in(s)
	return move(dst, src)
}
