package explain

import (
	"strings"
)

// absent lists routines of the standard that this module does not have, or has in another
// form: a name, or the beginning of names if it ends in *, and the explanation.
var absent = []struct{ names, text, instead string }{
	{"MPI_Init_thread MPI_Initialized MPI_Finalized MPI_Query_thread MPI_Is_thread_main", "world.Run starts the ranks and returns when all have ended, so a program need not initialize MPI or query its state. The goroutines of a rank may call MPI in turns, as under MPI_THREAD_SERIALIZED.", "world.Run"},
	{"MPI_Type_commit", "A Go datatype is a value, ready for use once it is constructed: there is nothing to commit.", "types.Type"},
	{"MPI_Group_free MPI_Info_free MPI_Op_free MPI_Errhandler_free", "Go's garbage collector frees these objects.", ""},
	{"MPI_Get_address MPI_Aint_add MPI_Aint_diff MPI_Address", "Displacements of a Go datatype count from the beginning of the buffer, so a program needs no addresses. For the fields of a struct, use unsafe.Offsetof.", "types.Struct"},
	{"MPI_Alloc_mem MPI_Free_mem", "Allocate memory with make; Go's garbage collector frees it.", ""},
	{"MPI_Pcontrol MPI_T_*", "There is no interface for tools. Reports, traces and observers show what ranks do.", "world.Report"},
	{"MPI_Win_* MPI_Put MPI_Get MPI_Accumulate MPI_Get_accumulate MPI_Fetch_and_op MPI_Compare_and_swap MPI_Rput MPI_Rget MPI_Raccumulate MPI_Rget_accumulate", "One-sided communication is not part of this module.", ""},
	{"MPI_Comm_spawn MPI_Comm_spawn_multiple MPI_Comm_get_parent MPI_Comm_accept MPI_Comm_connect MPI_Comm_disconnect MPI_Comm_join MPI_Open_port MPI_Close_port MPI_Publish_name MPI_Unpublish_name MPI_Lookup_name", "world.Run starts all ranks of a world: this module cannot start or connect processes later.", "world.Run"},
	{"MPI_Comm_create_from_group MPI_Intercomm_create_from_groups", "They create communicators for processes without one. In Go each rank starts with a communicator of all ranks: Comm.CreateGroup creates one for a group, and Comm.IntercommCreate connects two groups. C programs may call them.", "comm.Comm.CreateGroup"},
	{"MPI_Session_* MPI_Group_from_session_pset", "Sessions are not part of this module: there is one world, which world.Run starts.", "world.Run"},
	{"MPI_Type_struct", "Removed from the standard by MPI-3.0; use MPI_Type_create_struct.", "types.Struct"},
	{"MPI_Type_hindexed", "Removed from the standard by MPI-3.0; use MPI_Type_create_hindexed.", "types.HIndexed"},
	{"MPI_Type_hvector", "Removed from the standard by MPI-3.0; use MPI_Type_create_hvector.", "types.HVector"},
	{"MPI_Type_extent MPI_Type_lb MPI_Type_ub", "Removed from the standard by MPI-3.0; use MPI_Type_get_extent.", "types.Type.Extent"},
	{"MPI_Errhandler_create MPI_Errhandler_get MPI_Errhandler_set", "Removed from the standard by MPI-3.0; use MPI_Comm_create_errhandler and its like.", "comm.NewErrhandler"},
	{"MPI_Attr_get MPI_Attr_put MPI_Attr_delete MPI_Keyval_create MPI_Keyval_free", "Deprecated since MPI-2.0; use MPI_Comm_set_attr and its like.", "comm.NewKeyval"},
}

// absentRoutine explains a routine that this module does not have. A large-count routine (_c, _x)
// is explained by the routine without the suffix, because counts are 64 bits wide in Go.
func absentRoutine(name string) *Answer {
	if !strings.HasPrefix(strings.ToUpper(name), "MPI_") {
		return nil
	}
	for _, suffix := range []string{"_c2f", "_f2c", "_c2f08", "_f082c", "_f2f08", "_f082f"} {
		if strings.HasSuffix(name, suffix) {
			return &Answer{Name: name, Sort: "routine", Text: []string{"It converts a handle between C and Fortran; Go has no handles."}}
		}
	}
	for _, suffix := range []string{"_c", "_x"} {
		if plain, ok := strings.CutSuffix(name, suffix); ok {
			if a := routine(plain); a != nil {
				a.Name = name
				a.Text = append([]string{"The form of " + plain + " for large counts. Counts and displacements have 64 bits in Go, so there is one form."}, a.Text...)
				return a
			}
		}
	}
	for _, row := range absent {
		for known := range strings.FieldsSeq(row.names) {
			front, any := strings.CutSuffix(known, "*")
			if strings.EqualFold(known, name) || any && len(name) > len(front) && strings.EqualFold(name[:len(front)], front) {
				a := &Answer{Name: name, Sort: "routine", Text: []string{row.text}}
				if row.instead != "" {
					a.fact("see", "commworld explain "+row.instead)
				}
				return a
			}
		}
	}
	return nil
}
