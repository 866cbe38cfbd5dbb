package errclass

import (
	"fmt"
	"io/fs"
)

// A Class is an error class; its value is the number that the ABI of MPI-5.0
// gives it. A Class is itself an error, for use with errors.Is.
type Class int

// The classes of the standard.
const (
	Success              Class = 0
	Buffer               Class = 1
	Count                Class = 2
	Type                 Class = 3
	Tag                  Class = 4
	Comm                 Class = 5
	Rank                 Class = 6
	Request              Class = 7
	Root                 Class = 8
	Group                Class = 9
	Op                   Class = 10
	Topology             Class = 11
	Dims                 Class = 12
	Arg                  Class = 13
	Unknown              Class = 14
	Truncate             Class = 15
	Other                Class = 16
	Intern               Class = 17
	Pending              Class = 18
	InStatus             Class = 19
	Access               Class = 20
	Amode                Class = 21
	Assert               Class = 22
	BadFile              Class = 23
	Base                 Class = 24
	Conversion           Class = 25
	Disp                 Class = 26
	DupDatarep           Class = 27
	FileExists           Class = 28
	FileInUse            Class = 29
	File                 Class = 30
	InfoKey              Class = 31
	InfoNoKey            Class = 32
	InfoValue            Class = 33
	Info                 Class = 34
	IO                   Class = 35
	Keyval               Class = 36
	LockType             Class = 37
	Name                 Class = 38
	NoMem                Class = 39
	NotSame              Class = 40
	NoSpace              Class = 41
	NoSuchFile           Class = 42
	Port                 Class = 43
	Quota                Class = 44
	ReadOnly             Class = 45
	RMAAttach            Class = 46
	RMAConflict          Class = 47
	RMARange             Class = 48
	RMAShared            Class = 49
	RMASync              Class = 50
	Service              Class = 51
	Size                 Class = 52
	Spawn                Class = 53
	UnsupportedDatarep   Class = 54
	UnsupportedOperation Class = 55
	Win                  Class = 56
	RMAFlavor            Class = 57
	ProcAborted          Class = 58
	ValueTooLarge        Class = 59
	Session              Class = 60
	Errhandler           Class = 61
	ABI                  Class = 62
	LastCode             Class = 16383
)

// classes holds the name and the meaning of each class, by ABI number.
var classes = map[Class]struct{ name, text string }{
	Success:              {"MPI_SUCCESS", "no error"},
	Buffer:               {"MPI_ERR_BUFFER", "invalid buffer"},
	Count:                {"MPI_ERR_COUNT", "invalid count"},
	Type:                 {"MPI_ERR_TYPE", "invalid datatype"},
	Tag:                  {"MPI_ERR_TAG", "invalid tag"},
	Comm:                 {"MPI_ERR_COMM", "invalid communicator"},
	Rank:                 {"MPI_ERR_RANK", "invalid rank"},
	Request:              {"MPI_ERR_REQUEST", "invalid request"},
	Root:                 {"MPI_ERR_ROOT", "invalid root"},
	Group:                {"MPI_ERR_GROUP", "invalid group"},
	Op:                   {"MPI_ERR_OP", "invalid reduction operation"},
	Topology:             {"MPI_ERR_TOPOLOGY", "invalid topology"},
	Dims:                 {"MPI_ERR_DIMS", "invalid dimensions"},
	Arg:                  {"MPI_ERR_ARG", "invalid argument"},
	Unknown:              {"MPI_ERR_UNKNOWN", "unknown error"},
	Truncate:             {"MPI_ERR_TRUNCATE", "message truncated"},
	Other:                {"MPI_ERR_OTHER", "operation not possible now"},
	Intern:               {"MPI_ERR_INTERN", "internal error"},
	Pending:              {"MPI_ERR_PENDING", "still pending"},
	InStatus:             {"MPI_ERR_IN_STATUS", "error code is in the status"},
	Access:               {"MPI_ERR_ACCESS", "permission denied"},
	Amode:                {"MPI_ERR_AMODE", "invalid access mode"},
	Assert:               {"MPI_ERR_ASSERT", "invalid assertion"},
	BadFile:              {"MPI_ERR_BAD_FILE", "invalid file name"},
	Base:                 {"MPI_ERR_BASE", "invalid base"},
	Conversion:           {"MPI_ERR_CONVERSION", "data conversion failed"},
	Disp:                 {"MPI_ERR_DISP", "invalid displacement"},
	DupDatarep:           {"MPI_ERR_DUP_DATAREP", "data representation already defined"},
	FileExists:           {"MPI_ERR_FILE_EXISTS", "file exists"},
	FileInUse:            {"MPI_ERR_FILE_IN_USE", "file is in use"},
	File:                 {"MPI_ERR_FILE", "invalid file handle"},
	InfoKey:              {"MPI_ERR_INFO_KEY", "info key too long"},
	InfoNoKey:            {"MPI_ERR_INFO_NOKEY", "info key not defined"},
	InfoValue:            {"MPI_ERR_INFO_VALUE", "invalid info value"},
	Info:                 {"MPI_ERR_INFO", "invalid info object"},
	IO:                   {"MPI_ERR_IO", "input/output error"},
	Keyval:               {"MPI_ERR_KEYVAL", "invalid attribute key"},
	LockType:             {"MPI_ERR_LOCKTYPE", "invalid lock type"},
	Name:                 {"MPI_ERR_NAME", "invalid service name"},
	NoMem:                {"MPI_ERR_NO_MEM", "out of memory"},
	NotSame:              {"MPI_ERR_NOT_SAME", "ranks disagree"},
	NoSpace:              {"MPI_ERR_NO_SPACE", "no space left"},
	NoSuchFile:           {"MPI_ERR_NO_SUCH_FILE", "no such file"},
	Port:                 {"MPI_ERR_PORT", "invalid port"},
	Quota:                {"MPI_ERR_QUOTA", "quota exceeded"},
	ReadOnly:             {"MPI_ERR_READ_ONLY", "read-only file"},
	RMAAttach:            {"MPI_ERR_RMA_ATTACH", "memory cannot be attached"},
	RMAConflict:          {"MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window"},
	RMARange:             {"MPI_ERR_RMA_RANGE", "target memory outside the window"},
	RMAShared:            {"MPI_ERR_RMA_SHARED", "memory cannot be shared"},
	RMASync:              {"MPI_ERR_RMA_SYNC", "wrong synchronization of a window"},
	Service:              {"MPI_ERR_SERVICE", "unknown service"},
	Size:                 {"MPI_ERR_SIZE", "invalid size"},
	Spawn:                {"MPI_ERR_SPAWN", "could not spawn processes"},
	UnsupportedDatarep:   {"MPI_ERR_UNSUPPORTED_DATAREP", "unknown data representation"},
	UnsupportedOperation: {"MPI_ERR_UNSUPPORTED_OPERATION", "operation not supported"},
	Win:                  {"MPI_ERR_WIN", "invalid window"},
	RMAFlavor:            {"MPI_ERR_RMA_FLAVOR", "wrong kind of window"},
	ProcAborted:          {"MPI_ERR_PROC_ABORTED", "a peer process ended"},
	ValueTooLarge:        {"MPI_ERR_VALUE_TOO_LARGE", "value too large to store"},
	Session:              {"MPI_ERR_SESSION", "invalid session"},
	Errhandler:           {"MPI_ERR_ERRHANDLER", "invalid error handler"},
	ABI:                  {"MPI_ERR_ABI", "unsupported ABI"},
	LastCode:             {"MPI_ERR_LASTCODE", "last error code"},
}

// Error returns the meaning of the class in plain words.
func (c Class) Error() string {
	if d, ok := classes[c]; ok {
		return d.text
	}
	return fmt.Sprintf("error class %d", int(c))
}

// Name returns the name of the class in the standard, such as MPI_ERR_AMODE.
func (c Class) Name() string {
	if d, ok := classes[c]; ok {
		return d.name
	}
	return fmt.Sprintf("MPI_ERR_%d", int(c))
}

// Is lets errors.Is match a class with the corresponding error of package io/fs.
func (c Class) Is(target error) bool {
	switch c {
	case NoSuchFile:
		return target == fs.ErrNotExist
	case FileExists:
		return target == fs.ErrExist
	case Access, ReadOnly:
		return target == fs.ErrPermission
	case File:
		return target == fs.ErrClosed
	case Arg, BadFile:
		return target == fs.ErrInvalid
	}
	return false
}
