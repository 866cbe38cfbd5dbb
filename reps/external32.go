package reps

import "github.com/commworld/commworld/types"

// External32 gives the sizes of items in the representation "external32"; it
// aligns nothing. (REP-X32-02, -08)
var External32 types.Sizes = external32{}

type external32 struct{}

func (external32) Sizeof(k types.Kind) int64 {
	switch k {
	case types.KindLong, types.KindULong:
		return 4
	case types.KindWChar:
		return 2
	}
	return types.Host.Sizeof(k)
}

func (external32) Alignof(types.Kind) int64 { return 1 }
