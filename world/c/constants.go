//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"regexp"
	"strconv"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world/c/include"
)

// Values of include/mpi.h that the library uses.
const (
	inPlace         = 1
	sectionBuffer   = 3 // not of the standard: what the Fortran interfaces pass for a section that they cannot use
	bufferAutomatic = 2
	unweighted      = 10
	weightsEmpty    = 11

	commNull, commWorld, commSelf        = 0x100, 0x101, 0x102
	groupNull, groupEmpty                = 0x108, 0x109
	fileNull                             = 0x118
	messageNull, messageNoProc           = 0x128, 0x129
	infoNull, infoEnv                    = 0x130, 0x131
	errhandlerNull                       = 0x140
	errorsFatal, errorsAbort, errorsBack = 0x141, 0x142, 0x143
	requestNull                          = 0x180
	datatypeNull                         = 0x200
	opNull                               = 0x20

	version, subversion       = 5, 0
	abiVersion, abiSubversion = 1, 0
	defaultArg                = 19
)

// named has the handles that the header names, by name.
var named = sync.OnceValue(func() map[string]int64 {
	all := map[string]int64{}
	for _, m := range regexp.MustCompile(`(?m)^#define (MPI_\w+) \(\(MPI_\w+\)(0x[0-9a-f]+)\)`).FindAllStringSubmatch(include.Header, -1) {
		n, err := strconv.ParseInt(m[2], 0, 64)
		if err != nil {
			panic(err)
		}
		all[m[1]] = n
	}
	return all
})

// namedDatatypes has the predefined datatypes by handle.
var namedDatatypes = sync.OnceValue(func() map[int64]*datatype {
	all := map[int64]*datatype{}
	add := func(name string, t *types.Type) {
		if h, ok := named()[name]; ok {
			all[h] = &datatype{t: t, committed: true}
		}
	}
	for _, k := range types.Kinds() {
		add(k.MPI(), types.OfKind(k))
	}
	for _, t := range types.Pairs() {
		add(t.Name(), t)
	}
	add("MPI_LB", types.LB)
	add("MPI_UB", types.UB)
	for synonym, name := range map[string]string{"MPI_LONG_LONG": "MPI_LONG_LONG_INT", "MPI_C_FLOAT_COMPLEX": "MPI_C_COMPLEX", "MPI_DOUBLE_COMPLEX": "MPI_DOUBLE_COMPLEX"} {
		if t, err := types.Parse(name); err == nil {
			add(synonym, t)
		}
	}
	return all
})

var namedOps = sync.OnceValue(func() map[int64]*comm.Op {
	all := map[int64]*comm.Op{}
	for name, op := range map[string]*comm.Op{
		"SUM": comm.Sum, "PROD": comm.Prod, "MAX": comm.Max, "MIN": comm.Min, "LAND": comm.LAnd, "LOR": comm.LOr, "LXOR": comm.LXor,
		"BAND": comm.BAnd, "BOR": comm.BOr, "BXOR": comm.BXor, "MAXLOC": comm.MaxLoc, "MINLOC": comm.MinLoc, "REPLACE": comm.Replace, "NO_OP": comm.NoOp,
	} {
		all[named()["MPI_"+name]] = op
	}
	return all
})

// prepare gives the rank the objects that the standard names.
func (r *rank) prepare() error {
	r.comms = newHandles(kindComm, map[int64]*comm.Comm{commWorld: r.world, commSelf: r.self})
	r.commOf = map[*comm.Comm]int64{r.world: commWorld, r.self: commSelf}
	r.groups = newHandles(kindGroup, map[int64]*comm.Group{groupEmpty: nil})
	r.datatypes = newHandles(kindDatatype, namedDatatypes())
	r.ops = newHandles(kindOp, namedOps())
	r.infos = newHandles(kindInfo, map[int64]*comm.Info{infoEnv: comm.InfoEnv(), infoNull: nil})
	r.requests = handles[*request]{kind: kindRequest}
	r.messages = newHandles(kindMessage, map[int64]*comm.Message{messageNoProc: comm.MessageNoProc})
	r.files = handles[*file]{kind: kindFile}
	r.fileOf = map[*iofile.File]int64{}
	r.dups, r.attrHandle = map[int64]*types.Type{}, map[*types.Type]int64{}
	r.named, r.ownNames = map[string]int64{}, map[int64]string{}
	r.errs = newHandles(kindErrhandler, map[int64]*errhandler{
		errorsFatal: r.fatal(),
		errorsAbort: r.fatal(),
		errorsBack:  {comm: comm.ErrorsReturn, file: iofile.ErrorsReturn},
	})
	r.comms.from, r.groups.from, r.datatypes.from, r.ops.from, r.infos.from = &r.lastPlace, &r.lastPlace, &r.lastPlace, &r.lastPlace, &r.lastPlace
	fatal := r.errs.named[errorsFatal].comm
	if err := r.world.SetErrhandler(fatal); err != nil {
		return err
	}
	return r.self.SetErrhandler(fatal)
}
