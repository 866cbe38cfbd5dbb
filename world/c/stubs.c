//go:build linux && cgo && (amd64 || arm64)

/* Made by go generate from functions.txt: edit that. */

#include "stubs.h"

int PMPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set)
{
	int64_t a[] = {WORD(logical_size), WORD(logical_true), WORD(logical_false), WORD(is_set)};
	return (int)(commworld_call(0, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Abi_get_fortran_booleans)

int PMPI_Abi_get_fortran_info(MPI_Info *info)
{
	int64_t a[] = {WORD(info)};
	return (int)(commworld_call(1, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Abi_get_fortran_info)

int PMPI_Abi_get_info(MPI_Info *info)
{
	int64_t a[] = {WORD(info)};
	return (int)(commworld_call(2, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Abi_get_info)

int PMPI_Abi_get_version(int *abi_major, int *abi_minor)
{
	int64_t a[] = {WORD(abi_major), WORD(abi_minor)};
	return (int)(commworld_call(3, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Abi_get_version)

int PMPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
	int64_t a[] = {WORD(logical_size), WORD(logical_true), WORD(logical_false)};
	return (int)(commworld_call(4, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Abi_set_fortran_booleans)

int PMPI_Abi_set_fortran_info(MPI_Info info)
{
	int64_t a[] = {WORD(info)};
	return (int)(commworld_call(5, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Abi_set_fortran_info)

int PMPI_Abort(MPI_Comm comm, int errorcode)
{
	int64_t a[] = {WORD(comm), WORD(errorcode)};
	return (int)(commworld_call(6, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Abort)

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
	int64_t a[] = {WORD(base), WORD(disp)};
	return (MPI_Aint)(commworld_call(7, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Aint_add)

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
	int64_t a[] = {WORD(addr1), WORD(addr2)};
	return (MPI_Aint)(commworld_call(8, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Aint_diff)

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	int64_t a[] = {WORD(size), WORD(info), WORD(baseptr)};
	return (int)(commworld_call(9, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Alloc_mem)

int PMPI_Finalize(void)
{
	int64_t a[] = {0};
	return (int)(commworld_call(10, 0, a, 0, __builtin_frame_address(0)));
}
TWIN(Finalize)

int PMPI_Finalized(int *flag)
{
	int64_t a[] = {WORD(flag)};
	return (int)(commworld_call(11, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Finalized)

int PMPI_Free_mem(void *base)
{
	int64_t a[] = {WORD(base)};
	return (int)(commworld_call(12, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Free_mem)

int PMPI_Get_address(const void *location, MPI_Aint *address)
{
	int64_t a[] = {WORD(location), WORD(address)};
	return (int)(commworld_call(13, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Get_address)

int PMPI_Get_hw_resource_info(MPI_Info *hw_info)
{
	int64_t a[] = {WORD(hw_info)};
	return (int)(commworld_call(14, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Get_hw_resource_info)

int PMPI_Get_library_version(char *version, int *resultlen)
{
	int64_t a[] = {WORD(version), WORD(resultlen)};
	return (int)(commworld_call(15, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Get_library_version)

int PMPI_Get_processor_name(char *name, int *resultlen)
{
	int64_t a[] = {WORD(name), WORD(resultlen)};
	return (int)(commworld_call(16, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Get_processor_name)

int PMPI_Get_version(int *version, int *subversion)
{
	int64_t a[] = {WORD(version), WORD(subversion)};
	return (int)(commworld_call(17, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Get_version)

int PMPI_Init(int *argc, char ***argv)
{
	int64_t a[] = {WORD(argc), WORD(argv)};
	return (int)(commworld_call(18, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Init)

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int64_t a[] = {WORD(argc), WORD(argv), WORD(required), WORD(provided)};
	return (int)(commworld_call(19, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Init_thread)

int PMPI_Initialized(int *flag)
{
	int64_t a[] = {WORD(flag)};
	return (int)(commworld_call(20, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Initialized)

int PMPI_Is_thread_main(int *flag)
{
	int64_t a[] = {WORD(flag)};
	return (int)(commworld_call(21, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Is_thread_main)

int PMPI_Pcontrol(const int level, ...)
{
	int64_t a[] = {WORD(level)};
	return (int)(commworld_call(22, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Pcontrol)

int PMPI_Query_thread(int *provided)
{
	int64_t a[] = {WORD(provided)};
	return (int)(commworld_call(23, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Query_thread)

double PMPI_Wtick(void)
{
	int64_t a[] = {0};
	return commworld_double(commworld_call(24, 0, a, 0, __builtin_frame_address(0)));
}
TWIN(Wtick)

double PMPI_Wtime(void)
{
	int64_t a[] = {0};
	return commworld_double(commworld_call(25, 0, a, 0, __builtin_frame_address(0)));
}
TWIN(Wtime)

int PMPI_Add_error_class(int *errorclass)
{
	int64_t a[] = {WORD(errorclass)};
	return (int)(commworld_call(26, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Add_error_class)

int PMPI_Add_error_code(int errorclass, int *errorcode)
{
	int64_t a[] = {WORD(errorclass), WORD(errorcode)};
	return (int)(commworld_call(27, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Add_error_code)

int PMPI_Add_error_string(int errorcode, const char *string)
{
	int64_t a[] = {WORD(errorcode), WORD(string)};
	return (int)(commworld_call(28, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Add_error_string)

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
	int64_t a[] = {WORD(comm), WORD(errorcode)};
	return (int)(commworld_call(29, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_call_errhandler)

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(comm_errhandler_fn), WORD(errhandler)};
	return (int)(commworld_call(30, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_create_errhandler)

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(comm), WORD(errhandler)};
	return (int)(commworld_call(31, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_get_errhandler)

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
	int64_t a[] = {WORD(comm), WORD(errhandler)};
	return (int)(commworld_call(32, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_set_errhandler)

int PMPI_Errhandler_free(MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(errhandler)};
	return (int)(commworld_call(33, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Errhandler_free)

int PMPI_Error_class(int errorcode, int *errorclass)
{
	int64_t a[] = {WORD(errorcode), WORD(errorclass)};
	return (int)(commworld_call(34, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Error_class)

int PMPI_Error_string(int errorcode, char *string, int *resultlen)
{
	int64_t a[] = {WORD(errorcode), WORD(string), WORD(resultlen)};
	return (int)(commworld_call(35, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Error_string)

int PMPI_File_call_errhandler(MPI_File fh, int errorcode)
{
	int64_t a[] = {WORD(fh), WORD(errorcode)};
	return (int)(commworld_call(36, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_call_errhandler)

int PMPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(file_errhandler_fn), WORD(errhandler)};
	return (int)(commworld_call(37, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_create_errhandler)

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(file), WORD(errhandler)};
	return (int)(commworld_call(38, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_errhandler)

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
	int64_t a[] = {WORD(file), WORD(errhandler)};
	return (int)(commworld_call(39, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_set_errhandler)

int PMPI_Remove_error_class(int errorclass)
{
	int64_t a[] = {WORD(errorclass)};
	return (int)(commworld_call(40, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Remove_error_class)

int PMPI_Remove_error_code(int errorcode)
{
	int64_t a[] = {WORD(errorcode)};
	return (int)(commworld_call(41, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Remove_error_code)

int PMPI_Remove_error_string(int errorcode)
{
	int64_t a[] = {WORD(errorcode)};
	return (int)(commworld_call(42, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Remove_error_string)

int PMPI_Session_call_errhandler(MPI_Session session, int errorcode)
{
	int64_t a[] = {WORD(session), WORD(errorcode)};
	return (int)(commworld_call(43, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Session_call_errhandler)

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(session_errhandler_fn), WORD(errhandler)};
	return (int)(commworld_call(44, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Session_create_errhandler)

int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(session), WORD(errhandler)};
	return (int)(commworld_call(45, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Session_get_errhandler)

int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
	int64_t a[] = {WORD(session), WORD(errhandler)};
	return (int)(commworld_call(46, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Session_set_errhandler)

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
	int64_t a[] = {WORD(win), WORD(errorcode)};
	return (int)(commworld_call(47, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_call_errhandler)

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(win_errhandler_fn), WORD(errhandler)};
	return (int)(commworld_call(48, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_create_errhandler)

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(win), WORD(errhandler)};
	return (int)(commworld_call(49, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_get_errhandler)

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
	int64_t a[] = {WORD(win), WORD(errhandler)};
	return (int)(commworld_call(50, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_set_errhandler)

int PMPI_File_close(MPI_File *fh)
{
	int64_t a[] = {WORD(fh)};
	return (int)(commworld_call(51, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(File_close)

int PMPI_File_delete(const char *filename, MPI_Info info)
{
	int64_t a[] = {WORD(filename), WORD(info)};
	return (int)(commworld_call(52, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_delete)

int PMPI_File_get_amode(MPI_File fh, int *amode)
{
	int64_t a[] = {WORD(fh), WORD(amode)};
	return (int)(commworld_call(53, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_amode)

int PMPI_File_get_atomicity(MPI_File fh, int *flag)
{
	int64_t a[] = {WORD(fh), WORD(flag)};
	return (int)(commworld_call(54, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_atomicity)

int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(disp)};
	return (int)(commworld_call(55, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_get_byte_offset)

int PMPI_File_get_group(MPI_File fh, MPI_Group *group)
{
	int64_t a[] = {WORD(fh), WORD(group)};
	return (int)(commworld_call(56, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_group)

int PMPI_File_get_info(MPI_File fh, MPI_Info *info_used)
{
	int64_t a[] = {WORD(fh), WORD(info_used)};
	return (int)(commworld_call(57, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_info)

int PMPI_File_get_position(MPI_File fh, MPI_Offset *offset)
{
	int64_t a[] = {WORD(fh), WORD(offset)};
	return (int)(commworld_call(58, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_position)

int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset)
{
	int64_t a[] = {WORD(fh), WORD(offset)};
	return (int)(commworld_call(59, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_position_shared)

int PMPI_File_get_size(MPI_File fh, MPI_Offset *size)
{
	int64_t a[] = {WORD(fh), WORD(size)};
	return (int)(commworld_call(60, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_get_size)

int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent)
{
	int64_t a[] = {WORD(fh), WORD(datatype), WORD(extent)};
	return (int)(commworld_call(61, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_get_type_extent)

int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent)
{
	int64_t a[] = {WORD(fh), WORD(datatype), WORD(extent)};
	return (int)(commworld_call(61, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(File_get_type_extent_c)

int PMPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep)
{
	int64_t a[] = {WORD(fh), WORD(disp), WORD(etype), WORD(filetype), WORD(datarep)};
	return (int)(commworld_call(62, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_get_view)

int PMPI_File_iread(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(63, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iread)

int PMPI_File_iread_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(63, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iread_c)

int PMPI_File_iread_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(64, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iread_all)

int PMPI_File_iread_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(64, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iread_all_c)

int PMPI_File_iread_at(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(65, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iread_at)

int PMPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(65, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iread_at_c)

int PMPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(66, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iread_at_all)

int PMPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(66, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iread_at_all_c)

int PMPI_File_iread_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(67, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iread_shared)

int PMPI_File_iread_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(67, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iread_shared_c)

int PMPI_File_iwrite(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(68, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iwrite)

int PMPI_File_iwrite_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(68, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iwrite_c)

int PMPI_File_iwrite_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(69, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iwrite_all)

int PMPI_File_iwrite_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(69, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iwrite_all_c)

int PMPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(70, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iwrite_at)

int PMPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(70, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iwrite_at_c)

int PMPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(71, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iwrite_at_all)

int PMPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(71, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_iwrite_at_all_c)

int PMPI_File_iwrite_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(72, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iwrite_shared)

int PMPI_File_iwrite_shared_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(request)};
	return (int)(commworld_call(72, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_iwrite_shared_c)

int PMPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
	int64_t a[] = {WORD(comm), WORD(filename), WORD(amode), WORD(info), WORD(fh)};
	return (int)(commworld_call(73, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_open)

int PMPI_File_preallocate(MPI_File fh, MPI_Offset size)
{
	int64_t a[] = {WORD(fh), WORD(size)};
	return (int)(commworld_call(74, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_preallocate)

int PMPI_File_read(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(75, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read)

int PMPI_File_read_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(75, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_c)

int PMPI_File_read_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(76, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_all)

int PMPI_File_read_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(76, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_all_c)

int PMPI_File_read_all_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(77, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(File_read_all_begin)

int PMPI_File_read_all_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(77, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(File_read_all_begin_c)

int PMPI_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(status)};
	return (int)(commworld_call(78, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_read_all_end)

int PMPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(79, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_read_at)

int PMPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(79, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_read_at_c)

int PMPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(80, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_read_at_all)

int PMPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(80, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_read_at_all_c)

int PMPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(81, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_at_all_begin)

int PMPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(81, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_at_all_begin_c)

int PMPI_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(status)};
	return (int)(commworld_call(82, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_read_at_all_end)

int PMPI_File_read_ordered(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(83, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_ordered)

int PMPI_File_read_ordered_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(83, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_ordered_c)

int PMPI_File_read_ordered_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(84, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(File_read_ordered_begin)

int PMPI_File_read_ordered_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(84, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(File_read_ordered_begin_c)

int PMPI_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(status)};
	return (int)(commworld_call(85, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_read_ordered_end)

int PMPI_File_read_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(86, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_shared)

int PMPI_File_read_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(86, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_read_shared_c)

int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(whence)};
	return (int)(commworld_call(87, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_seek)

int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(whence)};
	return (int)(commworld_call(88, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_seek_shared)

int PMPI_File_set_atomicity(MPI_File fh, int flag)
{
	int64_t a[] = {WORD(fh), WORD(flag)};
	return (int)(commworld_call(89, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_set_atomicity)

int PMPI_File_set_info(MPI_File fh, MPI_Info info)
{
	int64_t a[] = {WORD(fh), WORD(info)};
	return (int)(commworld_call(90, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_set_info)

int PMPI_File_set_size(MPI_File fh, MPI_Offset size)
{
	int64_t a[] = {WORD(fh), WORD(size)};
	return (int)(commworld_call(91, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(File_set_size)

int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
	int64_t a[] = {WORD(fh), WORD(disp), WORD(etype), WORD(filetype), WORD(datarep), WORD(info)};
	return (int)(commworld_call(92, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_set_view)

int PMPI_File_sync(MPI_File fh)
{
	int64_t a[] = {WORD(fh)};
	return (int)(commworld_call(93, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(File_sync)

int PMPI_File_write(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(94, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write)

int PMPI_File_write_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(94, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_c)

int PMPI_File_write_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(95, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_all)

int PMPI_File_write_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(95, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_all_c)

int PMPI_File_write_all_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(96, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(File_write_all_begin)

int PMPI_File_write_all_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(96, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(File_write_all_begin_c)

int PMPI_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(status)};
	return (int)(commworld_call(97, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_write_all_end)

int PMPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(98, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_write_at)

int PMPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(98, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_write_at_c)

int PMPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(99, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(File_write_at_all)

int PMPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(99, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(File_write_at_all_c)

int PMPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(100, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_at_all_begin)

int PMPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(offset), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(100, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_at_all_begin_c)

int PMPI_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(status)};
	return (int)(commworld_call(101, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_write_at_all_end)

int PMPI_File_write_ordered(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(102, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_ordered)

int PMPI_File_write_ordered_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(102, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_ordered_c)

int PMPI_File_write_ordered_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(103, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(File_write_ordered_begin)

int PMPI_File_write_ordered_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype)};
	return (int)(commworld_call(103, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(File_write_ordered_begin_c)

int PMPI_File_write_ordered_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(status)};
	return (int)(commworld_call(104, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(File_write_ordered_end)

int PMPI_File_write_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(105, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_shared)

int PMPI_File_write_shared_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status)
{
	int64_t a[] = {WORD(fh), WORD(buf), WORD(count), WORD(datatype), WORD(status)};
	return (int)(commworld_call(105, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(File_write_shared_c)

int PMPI_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn, MPI_Datarep_conversion_function *write_conversion_fn, MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
	int64_t a[] = {WORD(datarep), WORD(read_conversion_fn), WORD(write_conversion_fn), WORD(dtype_file_extent_fn), WORD(extra_state)};
	return (int)(commworld_call(106, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Register_datarep)

int PMPI_Register_datarep_c(const char *datarep, MPI_Datarep_conversion_function_c *read_conversion_fn, MPI_Datarep_conversion_function_c *write_conversion_fn, MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
	int64_t a[] = {WORD(datarep), WORD(read_conversion_fn), WORD(write_conversion_fn), WORD(dtype_file_extent_fn), WORD(extra_state)};
	return (int)(commworld_call(106, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Register_datarep_c)

int PMPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win)};
	return (int)(commworld_call(107, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Accumulate)

int PMPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win)};
	return (int)(commworld_call(107, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Accumulate_c)

int PMPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(compare_addr), WORD(result_addr), WORD(datatype), WORD(target_rank), WORD(target_disp), WORD(win)};
	return (int)(commworld_call(108, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Compare_and_swap)

int PMPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(result_addr), WORD(datatype), WORD(target_rank), WORD(target_disp), WORD(op), WORD(win)};
	return (int)(commworld_call(109, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Fetch_and_op)

int PMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win)};
	return (int)(commworld_call(110, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Get)

int PMPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win)};
	return (int)(commworld_call(110, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Get_c)

int PMPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(result_addr), WORD(result_count), WORD(result_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win)};
	return (int)(commworld_call(111, 0, a, 12, __builtin_frame_address(0)));
}
TWIN(Get_accumulate)

int PMPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(result_addr), WORD(result_count), WORD(result_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win)};
	return (int)(commworld_call(111, 1, a, 12, __builtin_frame_address(0)));
}
TWIN(Get_accumulate_c)

int PMPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win)};
	return (int)(commworld_call(112, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Put)

int PMPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win)};
	return (int)(commworld_call(112, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Put_c)

int PMPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win), WORD(request)};
	return (int)(commworld_call(113, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Raccumulate)

int PMPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win), WORD(request)};
	return (int)(commworld_call(113, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Raccumulate_c)

int PMPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win), WORD(request)};
	return (int)(commworld_call(114, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Rget)

int PMPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win), WORD(request)};
	return (int)(commworld_call(114, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Rget_c)

int PMPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(result_addr), WORD(result_count), WORD(result_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win), WORD(request)};
	return (int)(commworld_call(115, 0, a, 13, __builtin_frame_address(0)));
}
TWIN(Rget_accumulate)

int PMPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(result_addr), WORD(result_count), WORD(result_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(op), WORD(win), WORD(request)};
	return (int)(commworld_call(115, 1, a, 13, __builtin_frame_address(0)));
}
TWIN(Rget_accumulate_c)

int PMPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win), WORD(request)};
	return (int)(commworld_call(116, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Rput)

int PMPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	int64_t a[] = {WORD(origin_addr), WORD(origin_count), WORD(origin_datatype), WORD(target_rank), WORD(target_disp), WORD(target_count), WORD(target_datatype), WORD(win), WORD(request)};
	return (int)(commworld_call(116, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Rput_c)

int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	int64_t a[] = {WORD(size), WORD(disp_unit), WORD(info), WORD(comm), WORD(baseptr), WORD(win)};
	return (int)(commworld_call(117, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Win_allocate)

int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	int64_t a[] = {WORD(size), WORD(disp_unit), WORD(info), WORD(comm), WORD(baseptr), WORD(win)};
	return (int)(commworld_call(117, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Win_allocate_c)

int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	int64_t a[] = {WORD(size), WORD(disp_unit), WORD(info), WORD(comm), WORD(baseptr), WORD(win)};
	return (int)(commworld_call(118, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Win_allocate_shared)

int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	int64_t a[] = {WORD(size), WORD(disp_unit), WORD(info), WORD(comm), WORD(baseptr), WORD(win)};
	return (int)(commworld_call(118, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Win_allocate_shared_c)

int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	int64_t a[] = {WORD(win), WORD(base), WORD(size)};
	return (int)(commworld_call(119, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Win_attach)

int PMPI_Win_complete(MPI_Win win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(120, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_complete)

int PMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	int64_t a[] = {WORD(base), WORD(size), WORD(disp_unit), WORD(info), WORD(comm), WORD(win)};
	return (int)(commworld_call(121, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Win_create)

int PMPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	int64_t a[] = {WORD(base), WORD(size), WORD(disp_unit), WORD(info), WORD(comm), WORD(win)};
	return (int)(commworld_call(121, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Win_create_c)

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	int64_t a[] = {WORD(info), WORD(comm), WORD(win)};
	return (int)(commworld_call(122, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Win_create_dynamic)

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn, MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval, void *extra_state)
{
	int64_t a[] = {WORD(win_copy_attr_fn), WORD(win_delete_attr_fn), WORD(win_keyval), WORD(extra_state)};
	return (int)(commworld_call(123, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Win_create_keyval)

int PMPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
	int64_t a[] = {WORD(win), WORD(win_keyval)};
	return (int)(commworld_call(124, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_delete_attr)

int PMPI_Win_detach(MPI_Win win, const void *base)
{
	int64_t a[] = {WORD(win), WORD(base)};
	return (int)(commworld_call(125, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_detach)

int PMPI_Win_fence(int assert, MPI_Win win)
{
	int64_t a[] = {WORD(assert), WORD(win)};
	return (int)(commworld_call(126, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_fence)

int PMPI_Win_flush(int rank, MPI_Win win)
{
	int64_t a[] = {WORD(rank), WORD(win)};
	return (int)(commworld_call(127, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_flush)

int PMPI_Win_flush_all(MPI_Win win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(128, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_flush_all)

int PMPI_Win_flush_local(int rank, MPI_Win win)
{
	int64_t a[] = {WORD(rank), WORD(win)};
	return (int)(commworld_call(129, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_flush_local)

int PMPI_Win_flush_local_all(MPI_Win win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(130, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_flush_local_all)

int PMPI_Win_free(MPI_Win *win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(131, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_free)

int PMPI_Win_free_keyval(int *win_keyval)
{
	int64_t a[] = {WORD(win_keyval)};
	return (int)(commworld_call(132, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_free_keyval)

int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
	int64_t a[] = {WORD(win), WORD(win_keyval), WORD(attribute_val), WORD(flag)};
	return (int)(commworld_call(133, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Win_get_attr)

int PMPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
	int64_t a[] = {WORD(win), WORD(group)};
	return (int)(commworld_call(134, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_get_group)

int PMPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
	int64_t a[] = {WORD(win), WORD(info_used)};
	return (int)(commworld_call(135, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_get_info)

int PMPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
	int64_t a[] = {WORD(win), WORD(win_name), WORD(resultlen)};
	return (int)(commworld_call(136, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Win_get_name)

int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
	int64_t a[] = {WORD(lock_type), WORD(rank), WORD(assert), WORD(win)};
	return (int)(commworld_call(137, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Win_lock)

int PMPI_Win_lock_all(int assert, MPI_Win win)
{
	int64_t a[] = {WORD(assert), WORD(win)};
	return (int)(commworld_call(138, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_lock_all)

int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
	int64_t a[] = {WORD(group), WORD(assert), WORD(win)};
	return (int)(commworld_call(139, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Win_post)

int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
	int64_t a[] = {WORD(win), WORD(win_keyval), WORD(attribute_val)};
	return (int)(commworld_call(140, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Win_set_attr)

int PMPI_Win_set_info(MPI_Win win, MPI_Info info)
{
	int64_t a[] = {WORD(win), WORD(info)};
	return (int)(commworld_call(141, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_set_info)

int PMPI_Win_set_name(MPI_Win win, const char *win_name)
{
	int64_t a[] = {WORD(win), WORD(win_name)};
	return (int)(commworld_call(142, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_set_name)

int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
	int64_t a[] = {WORD(win), WORD(rank), WORD(size), WORD(disp_unit), WORD(baseptr)};
	return (int)(commworld_call(143, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Win_shared_query)

int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr)
{
	int64_t a[] = {WORD(win), WORD(rank), WORD(size), WORD(disp_unit), WORD(baseptr)};
	return (int)(commworld_call(143, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Win_shared_query_c)

int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
	int64_t a[] = {WORD(group), WORD(assert), WORD(win)};
	return (int)(commworld_call(144, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Win_start)

int PMPI_Win_sync(MPI_Win win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(145, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_sync)

int PMPI_Win_test(MPI_Win win, int *flag)
{
	int64_t a[] = {WORD(win), WORD(flag)};
	return (int)(commworld_call(146, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_test)

int PMPI_Win_unlock(int rank, MPI_Win win)
{
	int64_t a[] = {WORD(rank), WORD(win)};
	return (int)(commworld_call(147, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Win_unlock)

int PMPI_Win_unlock_all(MPI_Win win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(148, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_unlock_all)

int PMPI_Win_wait(MPI_Win win)
{
	int64_t a[] = {WORD(win)};
	return (int)(commworld_call(149, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_wait)

int PMPI_Close_port(const char *port_name)
{
	int64_t a[] = {WORD(port_name)};
	return (int)(commworld_call(150, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Close_port)

int PMPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(port_name), WORD(info), WORD(root), WORD(comm), WORD(newcomm)};
	return (int)(commworld_call(151, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Comm_accept)

int PMPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(port_name), WORD(info), WORD(root), WORD(comm), WORD(newcomm)};
	return (int)(commworld_call(152, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Comm_connect)

int PMPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(group), WORD(stringtag), WORD(info), WORD(errhandler), WORD(newcomm)};
	return (int)(commworld_call(153, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Comm_create_from_group)

int PMPI_Comm_disconnect(MPI_Comm *comm)
{
	int64_t a[] = {WORD(comm)};
	return (int)(commworld_call(154, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_disconnect)

int PMPI_Comm_get_parent(MPI_Comm *parent)
{
	int64_t a[] = {WORD(parent)};
	return (int)(commworld_call(155, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_get_parent)

int PMPI_Comm_join(int fd, MPI_Comm *intercomm)
{
	int64_t a[] = {WORD(fd), WORD(intercomm)};
	return (int)(commworld_call(156, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_join)

int PMPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
	int64_t a[] = {WORD(command), WORD(argv), WORD(maxprocs), WORD(info), WORD(root), WORD(comm), WORD(intercomm), WORD(array_of_errcodes)};
	return (int)(commworld_call(157, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Comm_spawn)

int PMPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
	int64_t a[] = {WORD(count), WORD(array_of_commands), WORD(array_of_argv), WORD(array_of_maxprocs), WORD(array_of_info), WORD(root), WORD(comm), WORD(intercomm), WORD(array_of_errcodes)};
	return (int)(commworld_call(158, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Comm_spawn_multiple)

int PMPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
	int64_t a[] = {WORD(session), WORD(pset_name), WORD(newgroup)};
	return (int)(commworld_call(159, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Group_from_session_pset)

int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
	int64_t a[] = {WORD(local_group), WORD(local_leader), WORD(remote_group), WORD(remote_leader), WORD(stringtag), WORD(info), WORD(errhandler), WORD(newintercomm)};
	return (int)(commworld_call(160, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Intercomm_create_from_groups)

int PMPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
	int64_t a[] = {WORD(service_name), WORD(info), WORD(port_name)};
	return (int)(commworld_call(161, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Lookup_name)

int PMPI_Open_port(MPI_Info info, char *port_name)
{
	int64_t a[] = {WORD(info), WORD(port_name)};
	return (int)(commworld_call(162, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Open_port)

int PMPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
	int64_t a[] = {WORD(service_name), WORD(info), WORD(port_name)};
	return (int)(commworld_call(163, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Publish_name)

int PMPI_Session_attach_buffer(MPI_Session session, void *buffer, int size)
{
	int64_t a[] = {WORD(session), WORD(buffer), WORD(size)};
	return (int)(commworld_call(164, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_attach_buffer)

int PMPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size)
{
	int64_t a[] = {WORD(session), WORD(buffer), WORD(size)};
	return (int)(commworld_call(164, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_attach_buffer_c)

int PMPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size)
{
	int64_t a[] = {WORD(session), WORD(buffer_addr), WORD(size)};
	return (int)(commworld_call(165, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_detach_buffer)

int PMPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size)
{
	int64_t a[] = {WORD(session), WORD(buffer_addr), WORD(size)};
	return (int)(commworld_call(165, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_detach_buffer_c)

int PMPI_Session_finalize(MPI_Session *session)
{
	int64_t a[] = {WORD(session)};
	return (int)(commworld_call(166, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Session_finalize)

int PMPI_Session_flush_buffer(MPI_Session session)
{
	int64_t a[] = {WORD(session)};
	return (int)(commworld_call(167, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Session_flush_buffer)

int PMPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
	int64_t a[] = {WORD(session), WORD(info_used)};
	return (int)(commworld_call(168, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Session_get_info)

int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name)
{
	int64_t a[] = {WORD(session), WORD(info), WORD(n), WORD(pset_len), WORD(pset_name)};
	return (int)(commworld_call(169, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Session_get_nth_pset)

int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
	int64_t a[] = {WORD(session), WORD(info), WORD(npset_names)};
	return (int)(commworld_call(170, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_get_num_psets)

int PMPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
	int64_t a[] = {WORD(session), WORD(pset_name), WORD(info)};
	return (int)(commworld_call(171, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_get_pset_info)

int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
	int64_t a[] = {WORD(session), WORD(request)};
	return (int)(commworld_call(172, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Session_iflush_buffer)

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
	int64_t a[] = {WORD(info), WORD(errhandler), WORD(session)};
	return (int)(commworld_call(173, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Session_init)

int PMPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
	int64_t a[] = {WORD(service_name), WORD(info), WORD(port_name)};
	return (int)(commworld_call(174, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Unpublish_name)

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	int64_t a[] = {WORD(comm), WORD(rank), WORD(maxdims), WORD(coords)};
	return (int)(commworld_call(175, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Cart_coords)

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart)
{
	int64_t a[] = {WORD(comm_old), WORD(ndims), WORD(dims), WORD(periods), WORD(reorder), WORD(comm_cart)};
	return (int)(commworld_call(176, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Cart_create)

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
	int64_t a[] = {WORD(comm), WORD(maxdims), WORD(dims), WORD(periods), WORD(coords)};
	return (int)(commworld_call(177, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Cart_get)

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
	int64_t a[] = {WORD(comm), WORD(ndims), WORD(dims), WORD(periods), WORD(newrank)};
	return (int)(commworld_call(178, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Cart_map)

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	int64_t a[] = {WORD(comm), WORD(coords), WORD(rank)};
	return (int)(commworld_call(179, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Cart_rank)

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
	int64_t a[] = {WORD(comm), WORD(direction), WORD(disp), WORD(rank_source), WORD(rank_dest)};
	return (int)(commworld_call(180, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Cart_shift)

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(remain_dims), WORD(newcomm)};
	return (int)(commworld_call(181, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Cart_sub)

int PMPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
	int64_t a[] = {WORD(comm), WORD(ndims)};
	return (int)(commworld_call(182, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Cartdim_get)

int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
	int64_t a[] = {WORD(nnodes), WORD(ndims), WORD(dims)};
	return (int)(commworld_call(183, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Dims_create)

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
	int64_t a[] = {WORD(comm_old), WORD(n), WORD(sources), WORD(degrees), WORD(destinations), WORD(weights), WORD(info), WORD(reorder), WORD(comm_dist_graph)};
	return (int)(commworld_call(184, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Dist_graph_create)

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
	int64_t a[] = {WORD(comm_old), WORD(indegree), WORD(sources), WORD(sourceweights), WORD(outdegree), WORD(destinations), WORD(destweights), WORD(info), WORD(reorder), WORD(comm_dist_graph)};
	return (int)(commworld_call(185, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Dist_graph_create_adjacent)

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[])
{
	int64_t a[] = {WORD(comm), WORD(maxindegree), WORD(sources), WORD(sourceweights), WORD(maxoutdegree), WORD(destinations), WORD(destweights)};
	return (int)(commworld_call(186, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Dist_graph_neighbors)

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
	int64_t a[] = {WORD(comm), WORD(indegree), WORD(outdegree), WORD(weighted)};
	return (int)(commworld_call(187, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Dist_graph_neighbors_count)

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm *comm_graph)
{
	int64_t a[] = {WORD(comm_old), WORD(nnodes), WORD(indx), WORD(edges), WORD(reorder), WORD(comm_graph)};
	return (int)(commworld_call(188, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Graph_create)

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])
{
	int64_t a[] = {WORD(comm), WORD(maxindex), WORD(maxedges), WORD(indx), WORD(edges)};
	return (int)(commworld_call(189, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Graph_get)

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int *newrank)
{
	int64_t a[] = {WORD(comm), WORD(nnodes), WORD(indx), WORD(edges), WORD(newrank)};
	return (int)(commworld_call(190, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Graph_map)

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
	int64_t a[] = {WORD(comm), WORD(rank), WORD(maxneighbors), WORD(neighbors)};
	return (int)(commworld_call(191, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Graph_neighbors)

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
	int64_t a[] = {WORD(comm), WORD(rank), WORD(nneighbors)};
	return (int)(commworld_call(192, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Graph_neighbors_count)

int PMPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
	int64_t a[] = {WORD(comm), WORD(nnodes), WORD(nedges)};
	return (int)(commworld_call(193, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Graphdims_get)

int PMPI_Topo_test(MPI_Comm comm, int *status)
{
	int64_t a[] = {WORD(comm), WORD(status)};
	return (int)(commworld_call(194, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Topo_test)

int PMPI_Attr_delete(MPI_Comm comm, int keyval)
{
	int64_t a[] = {WORD(comm), WORD(keyval)};
	return (int)(commworld_call(195, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Attr_delete)

int PMPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
	int64_t a[] = {WORD(comm), WORD(keyval), WORD(attribute_val), WORD(flag)};
	return (int)(commworld_call(196, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Attr_get)

int PMPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
	int64_t a[] = {WORD(comm), WORD(keyval), WORD(attribute_val)};
	return (int)(commworld_call(197, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Attr_put)

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn, MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval, void *extra_state)
{
	int64_t a[] = {WORD(comm_copy_attr_fn), WORD(comm_delete_attr_fn), WORD(comm_keyval), WORD(extra_state)};
	return (int)(commworld_call(198, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Comm_create_keyval)

int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
	int64_t a[] = {WORD(comm), WORD(comm_keyval)};
	return (int)(commworld_call(199, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_delete_attr)

int PMPI_Comm_free_keyval(int *comm_keyval)
{
	int64_t a[] = {WORD(comm_keyval)};
	return (int)(commworld_call(200, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_free_keyval)

int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
	int64_t a[] = {WORD(comm), WORD(comm_keyval), WORD(attribute_val), WORD(flag)};
	return (int)(commworld_call(201, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Comm_get_attr)

int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
	int64_t a[] = {WORD(comm), WORD(comm_keyval), WORD(attribute_val)};
	return (int)(commworld_call(202, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_set_attr)

int PMPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state)
{
	int64_t a[] = {WORD(copy_fn), WORD(delete_fn), WORD(keyval), WORD(extra_state)};
	return (int)(commworld_call(203, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Keyval_create)

int PMPI_Keyval_free(int *keyval)
{
	int64_t a[] = {WORD(keyval)};
	return (int)(commworld_call(204, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Keyval_free)

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn, MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval, void *extra_state)
{
	int64_t a[] = {WORD(type_copy_attr_fn), WORD(type_delete_attr_fn), WORD(type_keyval), WORD(extra_state)};
	return (int)(commworld_call(205, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Type_create_keyval)

int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
	int64_t a[] = {WORD(datatype), WORD(type_keyval)};
	return (int)(commworld_call(206, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_delete_attr)

int PMPI_Type_free_keyval(int *type_keyval)
{
	int64_t a[] = {WORD(type_keyval)};
	return (int)(commworld_call(207, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_free_keyval)

int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
	int64_t a[] = {WORD(datatype), WORD(type_keyval), WORD(attribute_val), WORD(flag)};
	return (int)(commworld_call(208, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Type_get_attr)

int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
	int64_t a[] = {WORD(datatype), WORD(type_keyval), WORD(attribute_val)};
	return (int)(commworld_call(209, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_set_attr)

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	int64_t a[] = {WORD(comm), WORD(group)};
	return (int)(commworld_call(210, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_group)

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
	int64_t a[] = {WORD(comm), WORD(group)};
	return (int)(commworld_call(211, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_remote_group)

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
	int64_t a[] = {WORD(group1), WORD(group2), WORD(result)};
	return (int)(commworld_call(212, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Group_compare)

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group1), WORD(group2), WORD(newgroup)};
	return (int)(commworld_call(213, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Group_difference)

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group), WORD(n), WORD(ranks), WORD(newgroup)};
	return (int)(commworld_call(214, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Group_excl)

int PMPI_Group_free(MPI_Group *group)
{
	int64_t a[] = {WORD(group)};
	return (int)(commworld_call(215, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Group_free)

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group), WORD(n), WORD(ranks), WORD(newgroup)};
	return (int)(commworld_call(216, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Group_incl)

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group1), WORD(group2), WORD(newgroup)};
	return (int)(commworld_call(217, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Group_intersection)

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group), WORD(n), WORD(ranges), WORD(newgroup)};
	return (int)(commworld_call(218, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Group_range_excl)

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group), WORD(n), WORD(ranges), WORD(newgroup)};
	return (int)(commworld_call(219, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Group_range_incl)

int PMPI_Group_rank(MPI_Group group, int *rank)
{
	int64_t a[] = {WORD(group), WORD(rank)};
	return (int)(commworld_call(220, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Group_rank)

int PMPI_Group_size(MPI_Group group, int *size)
{
	int64_t a[] = {WORD(group), WORD(size)};
	return (int)(commworld_call(221, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Group_size)

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
	int64_t a[] = {WORD(group1), WORD(n), WORD(ranks1), WORD(group2), WORD(ranks2)};
	return (int)(commworld_call(222, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Group_translate_ranks)

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	int64_t a[] = {WORD(group1), WORD(group2), WORD(newgroup)};
	return (int)(commworld_call(223, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Group_union)

int PMPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size)
{
	int64_t a[] = {WORD(comm), WORD(buffer), WORD(size)};
	return (int)(commworld_call(224, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_attach_buffer)

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size)
{
	int64_t a[] = {WORD(comm), WORD(buffer), WORD(size)};
	return (int)(commworld_call(224, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_attach_buffer_c)

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	int64_t a[] = {WORD(comm1), WORD(comm2), WORD(result)};
	return (int)(commworld_call(225, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_compare)

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(group), WORD(newcomm)};
	return (int)(commworld_call(226, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_create)

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(group), WORD(tag), WORD(newcomm)};
	return (int)(commworld_call(227, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Comm_create_group)

int PMPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size)
{
	int64_t a[] = {WORD(comm), WORD(buffer_addr), WORD(size)};
	return (int)(commworld_call(228, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_detach_buffer)

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
	int64_t a[] = {WORD(comm), WORD(buffer_addr), WORD(size)};
	return (int)(commworld_call(228, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_detach_buffer_c)

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(newcomm)};
	return (int)(commworld_call(229, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_dup)

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(info), WORD(newcomm)};
	return (int)(commworld_call(230, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_dup_with_info)

int PMPI_Comm_flush_buffer(MPI_Comm comm)
{
	int64_t a[] = {WORD(comm)};
	return (int)(commworld_call(231, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_flush_buffer)

int PMPI_Comm_free(MPI_Comm *comm)
{
	int64_t a[] = {WORD(comm)};
	return (int)(commworld_call(232, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_free)

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
	int64_t a[] = {WORD(comm), WORD(info_used)};
	return (int)(commworld_call(233, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_get_info)

int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
	int64_t a[] = {WORD(comm), WORD(comm_name), WORD(resultlen)};
	return (int)(commworld_call(234, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_get_name)

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	int64_t a[] = {WORD(comm), WORD(newcomm), WORD(request)};
	return (int)(commworld_call(235, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Comm_idup)

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
	int64_t a[] = {WORD(comm), WORD(info), WORD(newcomm), WORD(request)};
	return (int)(commworld_call(236, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Comm_idup_with_info)

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(comm), WORD(request)};
	return (int)(commworld_call(237, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_iflush_buffer)

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
	int64_t a[] = {WORD(comm), WORD(rank)};
	return (int)(commworld_call(238, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_rank)

int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
	int64_t a[] = {WORD(comm), WORD(size)};
	return (int)(commworld_call(239, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_remote_size)

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
	int64_t a[] = {WORD(comm), WORD(info)};
	return (int)(commworld_call(240, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_set_info)

int PMPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
	int64_t a[] = {WORD(comm), WORD(comm_name)};
	return (int)(commworld_call(241, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_set_name)

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
	int64_t a[] = {WORD(comm), WORD(size)};
	return (int)(commworld_call(242, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_size)

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(color), WORD(key), WORD(newcomm)};
	return (int)(commworld_call(243, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Comm_split)

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
	int64_t a[] = {WORD(comm), WORD(split_type), WORD(key), WORD(info), WORD(newcomm)};
	return (int)(commworld_call(244, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Comm_split_type)

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
	int64_t a[] = {WORD(comm), WORD(flag)};
	return (int)(commworld_call(245, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Comm_test_inter)

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm)
{
	int64_t a[] = {WORD(local_comm), WORD(local_leader), WORD(peer_comm), WORD(remote_leader), WORD(tag), WORD(newintercomm)};
	return (int)(commworld_call(246, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Intercomm_create)

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
	int64_t a[] = {WORD(intercomm), WORD(high), WORD(newintracomm)};
	return (int)(commworld_call(247, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Intercomm_merge)

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(248, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Get_count)

int PMPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(248, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Get_count_c)

int PMPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(249, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Get_elements)

int PMPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(249, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Get_elements_c)

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(250, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Get_elements_x)

int PMPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize, int *position, MPI_Comm comm)
{
	int64_t a[] = {WORD(inbuf), WORD(incount), WORD(datatype), WORD(outbuf), WORD(outsize), WORD(position), WORD(comm)};
	return (int)(commworld_call(251, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Pack)

int PMPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
	int64_t a[] = {WORD(inbuf), WORD(incount), WORD(datatype), WORD(outbuf), WORD(outsize), WORD(position), WORD(comm)};
	return (int)(commworld_call(251, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Pack_c)

int PMPI_Pack_external(const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
	int64_t a[] = {WORD(datarep), WORD(inbuf), WORD(incount), WORD(datatype), WORD(outbuf), WORD(outsize), WORD(position)};
	return (int)(commworld_call(252, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Pack_external)

int PMPI_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position)
{
	int64_t a[] = {WORD(datarep), WORD(inbuf), WORD(incount), WORD(datatype), WORD(outbuf), WORD(outsize), WORD(position)};
	return (int)(commworld_call(252, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Pack_external_c)

int PMPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size)
{
	int64_t a[] = {WORD(datarep), WORD(incount), WORD(datatype), WORD(size)};
	return (int)(commworld_call(253, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Pack_external_size)

int PMPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size)
{
	int64_t a[] = {WORD(datarep), WORD(incount), WORD(datatype), WORD(size)};
	return (int)(commworld_call(253, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(Pack_external_size_c)

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
	int64_t a[] = {WORD(incount), WORD(datatype), WORD(comm), WORD(size)};
	return (int)(commworld_call(254, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Pack_size)

int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
	int64_t a[] = {WORD(incount), WORD(datatype), WORD(comm), WORD(size)};
	return (int)(commworld_call(254, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(Pack_size_c)

int PMPI_Status_get_error(const MPI_Status *status, int *error)
{
	int64_t a[] = {WORD(status), WORD(error)};
	return (int)(commworld_call(255, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_get_error)

int PMPI_Status_get_source(const MPI_Status *status, int *source)
{
	int64_t a[] = {WORD(status), WORD(source)};
	return (int)(commworld_call(256, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_get_source)

int PMPI_Status_get_tag(const MPI_Status *status, int *tag)
{
	int64_t a[] = {WORD(status), WORD(tag)};
	return (int)(commworld_call(257, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_get_tag)

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
	int64_t a[] = {WORD(status), WORD(flag)};
	return (int)(commworld_call(258, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_set_cancelled)

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(259, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Status_set_elements)

int PMPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(259, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Status_set_elements_c)

int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	int64_t a[] = {WORD(status), WORD(datatype), WORD(count)};
	return (int)(commworld_call(260, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Status_set_elements_x)

int PMPI_Status_set_error(MPI_Status *status, int error)
{
	int64_t a[] = {WORD(status), WORD(error)};
	return (int)(commworld_call(261, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_set_error)

int PMPI_Status_set_source(MPI_Status *status, int source)
{
	int64_t a[] = {WORD(status), WORD(source)};
	return (int)(commworld_call(262, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_set_source)

int PMPI_Status_set_tag(MPI_Status *status, int tag)
{
	int64_t a[] = {WORD(status), WORD(tag)};
	return (int)(commworld_call(263, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_set_tag)

int PMPI_Type_commit(MPI_Datatype *datatype)
{
	int64_t a[] = {WORD(datatype)};
	return (int)(commworld_call(264, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_commit)

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(265, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_contiguous)

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(265, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_contiguous_c)

int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(size), WORD(rank), WORD(ndims), WORD(array_of_gsizes), WORD(array_of_distribs), WORD(array_of_dargs), WORD(array_of_psizes), WORD(order), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(266, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Type_create_darray)

int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(size), WORD(rank), WORD(ndims), WORD(array_of_gsizes), WORD(array_of_distribs), WORD(array_of_dargs), WORD(array_of_psizes), WORD(order), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(266, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Type_create_darray_c)

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(p), WORD(r), WORD(newtype)};
	return (int)(commworld_call(267, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_create_f90_complex)

int PMPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(r), WORD(newtype)};
	return (int)(commworld_call(268, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_create_f90_integer)

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(p), WORD(r), WORD(newtype)};
	return (int)(commworld_call(269, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_create_f90_real)

int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(270, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_hindexed)

int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(270, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_hindexed_c)

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(271, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_hindexed_block)

int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(271, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_hindexed_block_c)

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(stride), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(272, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_hvector)

int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(stride), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(272, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_hvector_c)

int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(273, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_indexed_block)

int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(273, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_indexed_block_c)

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(oldtype), WORD(lb), WORD(extent), WORD(newtype)};
	return (int)(commworld_call(274, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Type_create_resized)

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(oldtype), WORD(lb), WORD(extent), WORD(newtype)};
	return (int)(commworld_call(274, 1, a, 4, __builtin_frame_address(0)));
}
TWIN(Type_create_resized_c)

int PMPI_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(array_of_types), WORD(newtype)};
	return (int)(commworld_call(275, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_struct)

int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(array_of_types), WORD(newtype)};
	return (int)(commworld_call(275, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_create_struct_c)

int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[], const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(ndims), WORD(array_of_sizes), WORD(array_of_subsizes), WORD(array_of_starts), WORD(order), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(276, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Type_create_subarray)

int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(ndims), WORD(array_of_sizes), WORD(array_of_subsizes), WORD(array_of_starts), WORD(order), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(276, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Type_create_subarray_c)

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(277, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_dup)

int PMPI_Type_free(MPI_Datatype *datatype)
{
	int64_t a[] = {WORD(datatype)};
	return (int)(commworld_call(278, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_free)

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[])
{
	int64_t a[] = {WORD(datatype), WORD(max_integers), WORD(max_addresses), WORD(max_datatypes), WORD(array_of_integers), WORD(array_of_addresses), WORD(array_of_datatypes)};
	return (int)(commworld_call(279, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Type_get_contents)

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[])
{
	int64_t a[] = {WORD(datatype), WORD(max_integers), WORD(max_addresses), WORD(max_large_counts), WORD(max_datatypes), WORD(array_of_integers), WORD(array_of_addresses), WORD(array_of_large_counts), WORD(array_of_datatypes)};
	return (int)(commworld_call(280, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Type_get_contents_c)

int PMPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner)
{
	int64_t a[] = {WORD(datatype), WORD(num_integers), WORD(num_addresses), WORD(num_datatypes), WORD(combiner)};
	return (int)(commworld_call(281, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_get_envelope)

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers, MPI_Count *num_addresses, MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner)
{
	int64_t a[] = {WORD(datatype), WORD(num_integers), WORD(num_addresses), WORD(num_large_counts), WORD(num_datatypes), WORD(combiner)};
	return (int)(commworld_call(282, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Type_get_envelope_c)

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
	int64_t a[] = {WORD(datatype), WORD(lb), WORD(extent)};
	return (int)(commworld_call(283, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_extent)

int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	int64_t a[] = {WORD(datatype), WORD(lb), WORD(extent)};
	return (int)(commworld_call(283, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_extent_c)

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	int64_t a[] = {WORD(datatype), WORD(lb), WORD(extent)};
	return (int)(commworld_call(284, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_extent_x)

int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
	int64_t a[] = {WORD(datatype), WORD(type_name), WORD(resultlen)};
	return (int)(commworld_call(285, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_name)

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
	int64_t a[] = {WORD(datatype), WORD(true_lb), WORD(true_extent)};
	return (int)(commworld_call(286, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_true_extent)

int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
	int64_t a[] = {WORD(datatype), WORD(true_lb), WORD(true_extent)};
	return (int)(commworld_call(286, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_true_extent_c)

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
	int64_t a[] = {WORD(datatype), WORD(true_lb), WORD(true_extent)};
	return (int)(commworld_call(287, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_true_extent_x)

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type)
{
	int64_t a[] = {WORD(value_type), WORD(index_type), WORD(pair_type)};
	return (int)(commworld_call(288, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_get_value_index)

int PMPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(289, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_indexed)

int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(289, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_indexed_c)

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype)
{
	int64_t a[] = {WORD(typeclass), WORD(size), WORD(datatype)};
	return (int)(commworld_call(290, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Type_match_size)

int PMPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
	int64_t a[] = {WORD(datatype), WORD(type_name)};
	return (int)(commworld_call(291, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_set_name)

int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
	int64_t a[] = {WORD(datatype), WORD(size)};
	return (int)(commworld_call(292, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_size)

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
	int64_t a[] = {WORD(datatype), WORD(size)};
	return (int)(commworld_call(292, 1, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_size_c)

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
	int64_t a[] = {WORD(datatype), WORD(size)};
	return (int)(commworld_call(293, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_size_x)

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(stride), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(294, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_vector)

int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(stride), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(294, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_vector_c)

int PMPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	int64_t a[] = {WORD(inbuf), WORD(insize), WORD(position), WORD(outbuf), WORD(outcount), WORD(datatype), WORD(comm)};
	return (int)(commworld_call(295, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Unpack)

int PMPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	int64_t a[] = {WORD(inbuf), WORD(insize), WORD(position), WORD(outbuf), WORD(outcount), WORD(datatype), WORD(comm)};
	return (int)(commworld_call(295, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Unpack_c)

int PMPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(datarep), WORD(inbuf), WORD(insize), WORD(position), WORD(outbuf), WORD(outcount), WORD(datatype)};
	return (int)(commworld_call(296, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Unpack_external)

int PMPI_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype)
{
	int64_t a[] = {WORD(datarep), WORD(inbuf), WORD(insize), WORD(position), WORD(outbuf), WORD(outcount), WORD(datatype)};
	return (int)(commworld_call(296, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Unpack_external_c)

int PMPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
	int64_t a[] = {WORD(c_status), WORD(f_status)};
	return (int)(commworld_call(297, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_c2f)

int PMPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
	int64_t a[] = {WORD(c_status), WORD(f08_status)};
	return (int)(commworld_call(298, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_c2f08)

int PMPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{
	int64_t a[] = {WORD(f08_status), WORD(c_status)};
	return (int)(commworld_call(299, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_f082c)

int PMPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{
	int64_t a[] = {WORD(f08_status), WORD(f_status)};
	return (int)(commworld_call(300, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_f082f)

int PMPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
	int64_t a[] = {WORD(f_status), WORD(c_status)};
	return (int)(commworld_call(301, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_f2c)

int PMPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{
	int64_t a[] = {WORD(f_status), WORD(f08_status)};
	return (int)(commworld_call(302, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Status_f2f08)

int PMPI_Info_create(MPI_Info *info)
{
	int64_t a[] = {WORD(info)};
	return (int)(commworld_call(303, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Info_create)

int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
	int64_t a[] = {WORD(argc), WORD(argv), WORD(info)};
	return (int)(commworld_call(304, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Info_create_env)

int PMPI_Info_delete(MPI_Info info, const char *key)
{
	int64_t a[] = {WORD(info), WORD(key)};
	return (int)(commworld_call(305, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Info_delete)

int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
	int64_t a[] = {WORD(info), WORD(newinfo)};
	return (int)(commworld_call(306, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Info_dup)

int PMPI_Info_free(MPI_Info *info)
{
	int64_t a[] = {WORD(info)};
	return (int)(commworld_call(307, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Info_free)

int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
	int64_t a[] = {WORD(info), WORD(key), WORD(valuelen), WORD(value), WORD(flag)};
	return (int)(commworld_call(308, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Info_get)

int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
	int64_t a[] = {WORD(info), WORD(nkeys)};
	return (int)(commworld_call(309, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Info_get_nkeys)

int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
	int64_t a[] = {WORD(info), WORD(n), WORD(key)};
	return (int)(commworld_call(310, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Info_get_nthkey)

int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
	int64_t a[] = {WORD(info), WORD(key), WORD(buflen), WORD(value), WORD(flag)};
	return (int)(commworld_call(311, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Info_get_string)

int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
	int64_t a[] = {WORD(info), WORD(key), WORD(valuelen), WORD(flag)};
	return (int)(commworld_call(312, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Info_get_valuelen)

int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
	int64_t a[] = {WORD(info), WORD(key), WORD(value)};
	return (int)(commworld_call(313, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Info_set)

int PMPI_Op_commutative(MPI_Op op, int *commute)
{
	int64_t a[] = {WORD(op), WORD(commute)};
	return (int)(commworld_call(314, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Op_commutative)

int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	int64_t a[] = {WORD(user_fn), WORD(commute), WORD(op)};
	return (int)(commworld_call(315, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Op_create)

int PMPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
	int64_t a[] = {WORD(user_fn), WORD(commute), WORD(op)};
	return (int)(commworld_call(315, 1, a, 3, __builtin_frame_address(0)));
}
TWIN(Op_create_c)

int PMPI_Op_free(MPI_Op *op)
{
	int64_t a[] = {WORD(op)};
	return (int)(commworld_call(316, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Op_free)

int PMPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
	int64_t a[] = {WORD(inbuf), WORD(inoutbuf), WORD(count), WORD(datatype), WORD(op)};
	return (int)(commworld_call(317, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Reduce_local)

int PMPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
	int64_t a[] = {WORD(inbuf), WORD(inoutbuf), WORD(count), WORD(datatype), WORD(op)};
	return (int)(commworld_call(317, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Reduce_local_c)

int PMPI_Cancel(MPI_Request *request)
{
	int64_t a[] = {WORD(request)};
	return (int)(commworld_call(318, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Cancel)

int PMPI_Grequest_complete(MPI_Request request)
{
	int64_t a[] = {WORD(request)};
	return (int)(commworld_call(319, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Grequest_complete)

int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn, MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
	int64_t a[] = {WORD(query_fn), WORD(free_fn), WORD(cancel_fn), WORD(extra_state), WORD(request)};
	return (int)(commworld_call(320, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Grequest_start)

int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
	int64_t a[] = {WORD(request), WORD(partition), WORD(flag)};
	return (int)(commworld_call(321, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Parrived)

int PMPI_Pready(int partition, MPI_Request request)
{
	int64_t a[] = {WORD(partition), WORD(request)};
	return (int)(commworld_call(322, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Pready)

int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request)
{
	int64_t a[] = {WORD(length), WORD(array_of_partitions), WORD(request)};
	return (int)(commworld_call(323, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Pready_list)

int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
	int64_t a[] = {WORD(partition_low), WORD(partition_high), WORD(request)};
	return (int)(commworld_call(324, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Pready_range)

int PMPI_Request_free(MPI_Request *request)
{
	int64_t a[] = {WORD(request)};
	return (int)(commworld_call(325, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Request_free)

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	int64_t a[] = {WORD(request), WORD(flag), WORD(status)};
	return (int)(commworld_call(326, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Request_get_status)

int PMPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses)
{
	int64_t a[] = {WORD(count), WORD(array_of_requests), WORD(flag), WORD(array_of_statuses)};
	return (int)(commworld_call(327, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Request_get_status_all)

int PMPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status)
{
	int64_t a[] = {WORD(count), WORD(array_of_requests), WORD(indx), WORD(flag), WORD(status)};
	return (int)(commworld_call(328, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Request_get_status_any)

int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses)
{
	int64_t a[] = {WORD(incount), WORD(array_of_requests), WORD(outcount), WORD(array_of_indices), WORD(array_of_statuses)};
	return (int)(commworld_call(329, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Request_get_status_some)

int PMPI_Start(MPI_Request *request)
{
	int64_t a[] = {WORD(request)};
	return (int)(commworld_call(330, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Start)

int PMPI_Startall(int count, MPI_Request array_of_requests[])
{
	int64_t a[] = {WORD(count), WORD(array_of_requests)};
	return (int)(commworld_call(331, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Startall)

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	int64_t a[] = {WORD(request), WORD(flag), WORD(status)};
	return (int)(commworld_call(332, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Test)

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
	int64_t a[] = {WORD(status), WORD(flag)};
	return (int)(commworld_call(333, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Test_cancelled)

int PMPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses)
{
	int64_t a[] = {WORD(count), WORD(array_of_requests), WORD(flag), WORD(array_of_statuses)};
	return (int)(commworld_call(334, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Testall)

int PMPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status)
{
	int64_t a[] = {WORD(count), WORD(array_of_requests), WORD(indx), WORD(flag), WORD(status)};
	return (int)(commworld_call(335, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Testany)

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses)
{
	int64_t a[] = {WORD(incount), WORD(array_of_requests), WORD(outcount), WORD(array_of_indices), WORD(array_of_statuses)};
	return (int)(commworld_call(336, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Testsome)

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
	int64_t a[] = {WORD(request), WORD(status)};
	return (int)(commworld_call(337, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Wait)

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
	int64_t a[] = {WORD(count), WORD(array_of_requests), WORD(array_of_statuses)};
	return (int)(commworld_call(338, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Waitall)

int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status)
{
	int64_t a[] = {WORD(count), WORD(array_of_requests), WORD(indx), WORD(status)};
	return (int)(commworld_call(339, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Waitany)

int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses)
{
	int64_t a[] = {WORD(incount), WORD(array_of_requests), WORD(outcount), WORD(array_of_indices), WORD(array_of_statuses)};
	return (int)(commworld_call(340, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Waitsome)

int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(341, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Allgather)

int PMPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(341, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Allgather_c)

int PMPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(342, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Iallgather)

int PMPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(342, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Iallgather_c)

int PMPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(343, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Allgather_init)

int PMPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(343, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Allgather_init_c)

int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(344, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Allgatherv)

int PMPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(344, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Allgatherv_c)

int PMPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(345, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Iallgatherv)

int PMPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(345, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Iallgatherv_c)

int PMPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(346, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Allgatherv_init)

int PMPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(346, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Allgatherv_init_c)

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(347, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Allreduce)

int PMPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(347, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Allreduce_c)

int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(348, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Iallreduce)

int PMPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(348, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Iallreduce_c)

int PMPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(349, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Allreduce_init)

int PMPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(349, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Allreduce_init_c)

int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(350, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Alltoall)

int PMPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(350, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Alltoall_c)

int PMPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(351, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Ialltoall)

int PMPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(351, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Ialltoall_c)

int PMPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(352, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Alltoall_init)

int PMPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(352, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Alltoall_init_c)

int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(353, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Alltoallv)

int PMPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(353, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Alltoallv_c)

int PMPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(354, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Ialltoallv)

int PMPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(354, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Ialltoallv_c)

int PMPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(355, 0, a, 11, __builtin_frame_address(0)));
}
TWIN(Alltoallv_init)

int PMPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(355, 1, a, 11, __builtin_frame_address(0)));
}
TWIN(Alltoallv_init_c)

int PMPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm)};
	return (int)(commworld_call(356, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Alltoallw)

int PMPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm)};
	return (int)(commworld_call(356, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Alltoallw_c)

int PMPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(request)};
	return (int)(commworld_call(357, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Ialltoallw)

int PMPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(request)};
	return (int)(commworld_call(357, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Ialltoallw_c)

int PMPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(358, 0, a, 11, __builtin_frame_address(0)));
}
TWIN(Alltoallw_init)

int PMPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(358, 1, a, 11, __builtin_frame_address(0)));
}
TWIN(Alltoallw_init_c)

int PMPI_Barrier(MPI_Comm comm)
{
	int64_t a[] = {WORD(comm)};
	return (int)(commworld_call(359, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Barrier)

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(comm), WORD(request)};
	return (int)(commworld_call(360, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Ibarrier)

int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(361, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(Barrier_init)

int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(buffer), WORD(count), WORD(datatype), WORD(root), WORD(comm)};
	return (int)(commworld_call(362, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Bcast)

int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(buffer), WORD(count), WORD(datatype), WORD(root), WORD(comm)};
	return (int)(commworld_call(362, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Bcast_c)

int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buffer), WORD(count), WORD(datatype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(363, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Ibcast)

int PMPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buffer), WORD(count), WORD(datatype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(363, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Ibcast_c)

int PMPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(buffer), WORD(count), WORD(datatype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(364, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Bcast_init)

int PMPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(buffer), WORD(count), WORD(datatype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(364, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Bcast_init_c)

int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(365, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Exscan)

int PMPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(365, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Exscan_c)

int PMPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(366, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Iexscan)

int PMPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(366, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Iexscan_c)

int PMPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(367, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Exscan_init)

int PMPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(367, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Exscan_init_c)

int PMPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(368, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgather)

int PMPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(368, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgather_c)

int PMPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(369, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Ineighbor_allgather)

int PMPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(369, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Ineighbor_allgather_c)

int PMPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(370, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgather_init)

int PMPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(370, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgather_init_c)

int PMPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(371, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgatherv)

int PMPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(371, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgatherv_c)

int PMPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(372, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Ineighbor_allgatherv)

int PMPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(372, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Ineighbor_allgatherv_c)

int PMPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(373, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgatherv_init)

int PMPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(373, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Neighbor_allgatherv_init_c)

int PMPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(374, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoall)

int PMPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(374, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoall_c)

int PMPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(375, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Ineighbor_alltoall)

int PMPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(375, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Ineighbor_alltoall_c)

int PMPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(376, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoall_init)

int PMPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(376, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoall_init_c)

int PMPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(377, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallv)

int PMPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm)};
	return (int)(commworld_call(377, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallv_c)

int PMPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(378, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Ineighbor_alltoallv)

int PMPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(request)};
	return (int)(commworld_call(378, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Ineighbor_alltoallv_c)

int PMPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(379, 0, a, 11, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallv_init)

int PMPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtype), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(379, 1, a, 11, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallv_init_c)

int PMPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm)};
	return (int)(commworld_call(380, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallw)

int PMPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm)};
	return (int)(commworld_call(380, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallw_c)

int PMPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(request)};
	return (int)(commworld_call(381, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Ineighbor_alltoallw)

int PMPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(request)};
	return (int)(commworld_call(381, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Ineighbor_alltoallw_c)

int PMPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(382, 0, a, 11, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallw_init)

int PMPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(sdispls), WORD(sendtypes), WORD(recvbuf), WORD(recvcounts), WORD(rdispls), WORD(recvtypes), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(382, 1, a, 11, __builtin_frame_address(0)));
}
TWIN(Neighbor_alltoallw_init_c)

int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(root), WORD(comm)};
	return (int)(commworld_call(383, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Reduce)

int PMPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(root), WORD(comm)};
	return (int)(commworld_call(383, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Reduce_c)

int PMPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(384, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Ireduce)

int PMPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(384, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Ireduce_c)

int PMPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(385, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Reduce_init)

int PMPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(385, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Reduce_init_c)

int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcounts), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(386, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter)

int PMPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcounts), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(386, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_c)

int PMPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcounts), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(387, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Ireduce_scatter)

int PMPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcounts), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(387, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Ireduce_scatter_c)

int PMPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcounts), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(388, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_init)

int PMPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcounts), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(388, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_init_c)

int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcount), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(389, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_block)

int PMPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcount), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(389, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_block_c)

int PMPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcount), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(390, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Ireduce_scatter_block)

int PMPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcount), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(390, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Ireduce_scatter_block_c)

int PMPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcount), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(391, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_block_init)

int PMPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(recvcount), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(391, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Reduce_scatter_block_init_c)

int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(392, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Scan)

int PMPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm)};
	return (int)(commworld_call(392, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Scan_c)

int PMPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(393, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Iscan)

int PMPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(request)};
	return (int)(commworld_call(393, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Iscan_c)

int PMPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(394, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Scan_init)

int PMPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(recvbuf), WORD(count), WORD(datatype), WORD(op), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(394, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Scan_init_c)

int PMPI_Buffer_attach(void *buffer, int size)
{
	int64_t a[] = {WORD(buffer), WORD(size)};
	return (int)(commworld_call(395, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Buffer_attach)

int PMPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
	int64_t a[] = {WORD(buffer), WORD(size)};
	return (int)(commworld_call(395, 1, a, 2, __builtin_frame_address(0)));
}
TWIN(Buffer_attach_c)

int PMPI_Buffer_detach(void *buffer_addr, int *size)
{
	int64_t a[] = {WORD(buffer_addr), WORD(size)};
	return (int)(commworld_call(396, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Buffer_detach)

int PMPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
	int64_t a[] = {WORD(buffer_addr), WORD(size)};
	return (int)(commworld_call(396, 1, a, 2, __builtin_frame_address(0)));
}
TWIN(Buffer_detach_c)

int PMPI_Buffer_flush(void)
{
	int64_t a[] = {0};
	return (int)(commworld_call(397, 0, a, 0, __builtin_frame_address(0)));
}
TWIN(Buffer_flush)

int PMPI_Buffer_iflush(MPI_Request *request)
{
	int64_t a[] = {WORD(request)};
	return (int)(commworld_call(398, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Buffer_iflush)

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	int64_t a[] = {WORD(source), WORD(tag), WORD(comm), WORD(flag), WORD(message), WORD(status)};
	return (int)(commworld_call(399, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Improbe)

int PMPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(message), WORD(request)};
	return (int)(commworld_call(400, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Imrecv)

int PMPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(message), WORD(request)};
	return (int)(commworld_call(400, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Imrecv_c)

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	int64_t a[] = {WORD(source), WORD(tag), WORD(comm), WORD(flag), WORD(status)};
	return (int)(commworld_call(401, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Iprobe)

int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(source), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(402, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Irecv)

int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(source), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(402, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Irecv_c)

int PMPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(dest), WORD(sendtag), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(source), WORD(recvtag), WORD(comm), WORD(request)};
	return (int)(commworld_call(403, 0, a, 12, __builtin_frame_address(0)));
}
TWIN(Isendrecv)

int PMPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(dest), WORD(sendtag), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(source), WORD(recvtag), WORD(comm), WORD(request)};
	return (int)(commworld_call(403, 1, a, 12, __builtin_frame_address(0)));
}
TWIN(Isendrecv_c)

int PMPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(sendtag), WORD(source), WORD(recvtag), WORD(comm), WORD(request)};
	return (int)(commworld_call(404, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Isendrecv_replace)

int PMPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(sendtag), WORD(source), WORD(recvtag), WORD(comm), WORD(request)};
	return (int)(commworld_call(404, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Isendrecv_replace_c)

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	int64_t a[] = {WORD(source), WORD(tag), WORD(comm), WORD(message), WORD(status)};
	return (int)(commworld_call(405, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Mprobe)

int PMPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(message), WORD(status)};
	return (int)(commworld_call(406, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Mrecv)

int PMPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(message), WORD(status)};
	return (int)(commworld_call(406, 1, a, 5, __builtin_frame_address(0)));
}
TWIN(Mrecv_c)

int PMPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(partitions), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(407, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Precv_init)

int PMPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(partitions), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(407, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Precv_init_c)

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(source), WORD(tag), WORD(comm), WORD(status)};
	return (int)(commworld_call(408, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(Probe)

int PMPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(partitions), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(409, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Psend_init)

int PMPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(partitions), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(409, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Psend_init_c)

int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(source), WORD(tag), WORD(comm), WORD(status)};
	return (int)(commworld_call(410, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Recv)

int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(source), WORD(tag), WORD(comm), WORD(status)};
	return (int)(commworld_call(410, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Recv_c)

int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(source), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(411, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Recv_init)

int PMPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(source), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(411, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Recv_init_c)

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(dest), WORD(sendtag), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(source), WORD(recvtag), WORD(comm), WORD(status)};
	return (int)(commworld_call(412, 0, a, 12, __builtin_frame_address(0)));
}
TWIN(Sendrecv)

int PMPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(dest), WORD(sendtag), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(source), WORD(recvtag), WORD(comm), WORD(status)};
	return (int)(commworld_call(412, 1, a, 12, __builtin_frame_address(0)));
}
TWIN(Sendrecv_c)

int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(sendtag), WORD(source), WORD(recvtag), WORD(comm), WORD(status)};
	return (int)(commworld_call(413, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Sendrecv_replace)

int PMPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(sendtag), WORD(source), WORD(recvtag), WORD(comm), WORD(status)};
	return (int)(commworld_call(413, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Sendrecv_replace_c)

int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(414, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Gather)

int PMPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(414, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Gather_c)

int PMPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(415, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Igather)

int PMPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(415, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Igather_c)

int PMPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(416, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Gather_init)

int PMPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(416, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Gather_init_c)

int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(417, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Gatherv)

int PMPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(417, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Gatherv_c)

int PMPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(418, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Igatherv)

int PMPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(418, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Igatherv_c)

int PMPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(419, 0, a, 11, __builtin_frame_address(0)));
}
TWIN(Gatherv_init)

int PMPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcounts), WORD(displs), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(419, 1, a, 11, __builtin_frame_address(0)));
}
TWIN(Gatherv_init_c)

int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(420, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(Scatter)

int PMPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(420, 1, a, 8, __builtin_frame_address(0)));
}
TWIN(Scatter_c)

int PMPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(421, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Iscatter)

int PMPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(421, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Iscatter_c)

int PMPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(422, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Scatter_init)

int PMPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcount), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(422, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Scatter_init_c)

int PMPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(displs), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(423, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(Scatterv)

int PMPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(displs), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm)};
	return (int)(commworld_call(423, 1, a, 9, __builtin_frame_address(0)));
}
TWIN(Scatterv_c)

int PMPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(displs), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(424, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(Iscatterv)

int PMPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(displs), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(request)};
	return (int)(commworld_call(424, 1, a, 10, __builtin_frame_address(0)));
}
TWIN(Iscatterv_c)

int PMPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(displs), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(425, 0, a, 11, __builtin_frame_address(0)));
}
TWIN(Scatterv_init)

int PMPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	int64_t a[] = {WORD(sendbuf), WORD(sendcounts), WORD(displs), WORD(sendtype), WORD(recvbuf), WORD(recvcount), WORD(recvtype), WORD(root), WORD(comm), WORD(info), WORD(request)};
	return (int)(commworld_call(425, 1, a, 11, __builtin_frame_address(0)));
}
TWIN(Scatterv_init_c)

int PMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(426, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Bsend)

int PMPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(426, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Bsend_c)

int PMPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(427, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Ibsend)

int PMPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(427, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Ibsend_c)

int PMPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(428, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Bsend_init)

int PMPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(428, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Bsend_init_c)

int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(429, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Rsend)

int PMPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(429, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Rsend_c)

int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(430, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Irsend)

int PMPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(430, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Irsend_c)

int PMPI_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(431, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Rsend_init)

int PMPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(431, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Rsend_init_c)

int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(432, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Send)

int PMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(432, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Send_c)

int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(433, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Isend)

int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(433, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Isend_c)

int PMPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(434, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Send_init)

int PMPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(434, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Send_init_c)

int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(435, 0, a, 6, __builtin_frame_address(0)));
}
TWIN(Ssend)

int PMPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm)};
	return (int)(commworld_call(435, 1, a, 6, __builtin_frame_address(0)));
}
TWIN(Ssend_c)

int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(436, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Issend)

int PMPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(436, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Issend_c)

int PMPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(437, 0, a, 7, __builtin_frame_address(0)));
}
TWIN(Ssend_init)

int PMPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int64_t a[] = {WORD(buf), WORD(count), WORD(datatype), WORD(dest), WORD(tag), WORD(comm), WORD(request)};
	return (int)(commworld_call(437, 1, a, 7, __builtin_frame_address(0)));
}
TWIN(Ssend_init_c)

int PMPI_Commworld_fortran_function(MPI_User_function *function)
{
	int64_t a[] = {WORD(function)};
	return (int)(commworld_call(438, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Commworld_fortran_function)

MPI_Fint PMPI_Comm_c2f(MPI_Comm handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(439, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_c2f)

MPI_Comm PMPI_Comm_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Comm)(commworld_call(440, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_f2c)

int PMPI_Comm_toint(MPI_Comm handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(441, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_toint)

MPI_Comm PMPI_Comm_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Comm)(commworld_call(442, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Comm_fromint)

MPI_Fint PMPI_Errhandler_c2f(MPI_Errhandler handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(443, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Errhandler_c2f)

MPI_Errhandler PMPI_Errhandler_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Errhandler)(commworld_call(444, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Errhandler_f2c)

int PMPI_Errhandler_toint(MPI_Errhandler handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(445, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Errhandler_toint)

MPI_Errhandler PMPI_Errhandler_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Errhandler)(commworld_call(446, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Errhandler_fromint)

MPI_Fint PMPI_File_c2f(MPI_File handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(447, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(File_c2f)

MPI_File PMPI_File_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_File)(commworld_call(448, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(File_f2c)

int PMPI_File_toint(MPI_File handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(449, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(File_toint)

MPI_File PMPI_File_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_File)(commworld_call(450, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(File_fromint)

MPI_Fint PMPI_Group_c2f(MPI_Group handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(451, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Group_c2f)

MPI_Group PMPI_Group_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Group)(commworld_call(452, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Group_f2c)

int PMPI_Group_toint(MPI_Group handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(453, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Group_toint)

MPI_Group PMPI_Group_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Group)(commworld_call(454, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Group_fromint)

MPI_Fint PMPI_Info_c2f(MPI_Info handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(455, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Info_c2f)

MPI_Info PMPI_Info_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Info)(commworld_call(456, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Info_f2c)

int PMPI_Info_toint(MPI_Info handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(457, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Info_toint)

MPI_Info PMPI_Info_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Info)(commworld_call(458, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Info_fromint)

MPI_Fint PMPI_Message_c2f(MPI_Message handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(459, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Message_c2f)

MPI_Message PMPI_Message_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Message)(commworld_call(460, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Message_f2c)

int PMPI_Message_toint(MPI_Message handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(461, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Message_toint)

MPI_Message PMPI_Message_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Message)(commworld_call(462, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Message_fromint)

MPI_Fint PMPI_Op_c2f(MPI_Op handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(463, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Op_c2f)

MPI_Op PMPI_Op_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Op)(commworld_call(464, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Op_f2c)

int PMPI_Op_toint(MPI_Op handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(465, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Op_toint)

MPI_Op PMPI_Op_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Op)(commworld_call(466, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Op_fromint)

MPI_Fint PMPI_Request_c2f(MPI_Request handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(467, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Request_c2f)

MPI_Request PMPI_Request_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Request)(commworld_call(468, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Request_f2c)

int PMPI_Request_toint(MPI_Request handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(469, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Request_toint)

MPI_Request PMPI_Request_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Request)(commworld_call(470, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Request_fromint)

MPI_Fint PMPI_Session_c2f(MPI_Session handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(471, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Session_c2f)

MPI_Session PMPI_Session_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Session)(commworld_call(472, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Session_f2c)

int PMPI_Session_toint(MPI_Session handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(473, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Session_toint)

MPI_Session PMPI_Session_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Session)(commworld_call(474, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Session_fromint)

MPI_Fint PMPI_Type_c2f(MPI_Datatype handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(475, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_c2f)

MPI_Datatype PMPI_Type_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Datatype)(commworld_call(476, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_f2c)

int PMPI_Type_toint(MPI_Datatype handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(477, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_toint)

MPI_Datatype PMPI_Type_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Datatype)(commworld_call(478, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Type_fromint)

MPI_Fint PMPI_Win_c2f(MPI_Win handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Fint)(commworld_call(479, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_c2f)

MPI_Win PMPI_Win_f2c(MPI_Fint handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Win)(commworld_call(480, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_f2c)

int PMPI_Win_toint(MPI_Win handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(481, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_toint)

MPI_Win PMPI_Win_fromint(int handle)
{
	int64_t a[] = {WORD(handle)};
	return (MPI_Win)(commworld_call(482, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(Win_fromint)

int PMPI_Address(void *location, MPI_Aint *address)
{
	int64_t a[] = {WORD(location), WORD(address)};
	return (int)(commworld_call(483, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Address)

int PMPI_Errhandler_create(MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(comm_errhandler_fn), WORD(errhandler)};
	return (int)(commworld_call(484, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Errhandler_create)

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	int64_t a[] = {WORD(comm), WORD(errhandler)};
	return (int)(commworld_call(485, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Errhandler_get)

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
	int64_t a[] = {WORD(comm), WORD(errhandler)};
	return (int)(commworld_call(486, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Errhandler_set)

int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
	int64_t a[] = {WORD(datatype), WORD(extent)};
	return (int)(commworld_call(487, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_extent)

int PMPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(488, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_hindexed)

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(blocklength), WORD(stride), WORD(oldtype), WORD(newtype)};
	return (int)(commworld_call(489, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_hvector)

int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
	int64_t a[] = {WORD(datatype), WORD(displacement)};
	return (int)(commworld_call(490, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_lb)

int PMPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
	int64_t a[] = {WORD(count), WORD(array_of_blocklengths), WORD(array_of_displacements), WORD(array_of_types), WORD(newtype)};
	return (int)(commworld_call(491, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(Type_struct)

int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
	int64_t a[] = {WORD(datatype), WORD(displacement)};
	return (int)(commworld_call(492, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(Type_ub)

int PMPI_T_category_changed(int *update_number)
{
	int64_t a[] = {WORD(update_number)};
	return (int)(commworld_call(493, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_category_changed)

int PMPI_T_category_get_categories(int cat_index, int len, int indices[])
{
	int64_t a[] = {WORD(cat_index), WORD(len), WORD(indices)};
	return (int)(commworld_call(494, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_category_get_categories)

int PMPI_T_category_get_cvars(int cat_index, int len, int indices[])
{
	int64_t a[] = {WORD(cat_index), WORD(len), WORD(indices)};
	return (int)(commworld_call(495, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_category_get_cvars)

int PMPI_T_category_get_events(int cat_index, int len, int indices[])
{
	int64_t a[] = {WORD(cat_index), WORD(len), WORD(indices)};
	return (int)(commworld_call(496, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_category_get_events)

int PMPI_T_category_get_index(const char *name, int *cat_index)
{
	int64_t a[] = {WORD(name), WORD(cat_index)};
	return (int)(commworld_call(497, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_category_get_index)

int PMPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars, int *num_pvars, int *num_categories)
{
	int64_t a[] = {WORD(cat_index), WORD(name), WORD(name_len), WORD(desc), WORD(desc_len), WORD(num_cvars), WORD(num_pvars), WORD(num_categories)};
	return (int)(commworld_call(498, 0, a, 8, __builtin_frame_address(0)));
}
TWIN(T_category_get_info)

int PMPI_T_category_get_num(int *num_cat)
{
	int64_t a[] = {WORD(num_cat)};
	return (int)(commworld_call(499, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_category_get_num)

int PMPI_T_category_get_num_events(int cat_index, int *num_events)
{
	int64_t a[] = {WORD(cat_index), WORD(num_events)};
	return (int)(commworld_call(500, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_category_get_num_events)

int PMPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
	int64_t a[] = {WORD(cat_index), WORD(len), WORD(indices)};
	return (int)(commworld_call(501, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_category_get_pvars)

int PMPI_T_cvar_get_index(const char *name, int *cvar_index)
{
	int64_t a[] = {WORD(name), WORD(cvar_index)};
	return (int)(commworld_call(502, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_cvar_get_index)

int PMPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope)
{
	int64_t a[] = {WORD(cvar_index), WORD(name), WORD(name_len), WORD(verbosity), WORD(datatype), WORD(enumtype), WORD(desc), WORD(desc_len), WORD(bind), WORD(scope)};
	return (int)(commworld_call(503, 0, a, 10, __builtin_frame_address(0)));
}
TWIN(T_cvar_get_info)

int PMPI_T_cvar_get_num(int *num_cvar)
{
	int64_t a[] = {WORD(num_cvar)};
	return (int)(commworld_call(504, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_cvar_get_num)

int PMPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
	int64_t a[] = {WORD(cvar_index), WORD(obj_handle), WORD(handle), WORD(count)};
	return (int)(commworld_call(505, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(T_cvar_handle_alloc)

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
	int64_t a[] = {WORD(handle)};
	return (int)(commworld_call(506, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_cvar_handle_free)

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
	int64_t a[] = {WORD(handle), WORD(buf)};
	return (int)(commworld_call(507, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_cvar_read)

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
	int64_t a[] = {WORD(handle), WORD(buf)};
	return (int)(commworld_call(508, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_cvar_write)

int PMPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
	int64_t a[] = {WORD(enumtype), WORD(num), WORD(name), WORD(name_len)};
	return (int)(commworld_call(509, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(T_enum_get_info)

int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
	int64_t a[] = {WORD(enumtype), WORD(indx), WORD(value), WORD(name), WORD(name_len)};
	return (int)(commworld_call(510, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(T_enum_get_item)

int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
	int64_t a[] = {WORD(event_registration), WORD(cb_safety), WORD(info_used)};
	return (int)(commworld_call(511, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_event_callback_get_info)

int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info)
{
	int64_t a[] = {WORD(event_registration), WORD(cb_safety), WORD(info)};
	return (int)(commworld_call(512, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_event_callback_set_info)

int PMPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
	int64_t a[] = {WORD(event_instance), WORD(buffer)};
	return (int)(commworld_call(513, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_copy)

int PMPI_T_event_get_index(const char *name, int *event_index)
{
	int64_t a[] = {WORD(name), WORD(event_index)};
	return (int)(commworld_call(514, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_get_index)

int PMPI_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind)
{
	int64_t a[] = {WORD(event_index), WORD(name), WORD(name_len), WORD(verbosity), WORD(array_of_datatypes), WORD(array_of_displacements), WORD(num_elements), WORD(enumtype), WORD(info), WORD(desc), WORD(desc_len), WORD(bind)};
	return (int)(commworld_call(515, 0, a, 12, __builtin_frame_address(0)));
}
TWIN(T_event_get_info)

int PMPI_T_event_get_num(int *num_events)
{
	int64_t a[] = {WORD(num_events)};
	return (int)(commworld_call(516, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_event_get_num)

int PMPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
	int64_t a[] = {WORD(event_instance), WORD(source_index)};
	return (int)(commworld_call(517, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_get_source)

int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp)
{
	int64_t a[] = {WORD(event_instance), WORD(event_timestamp)};
	return (int)(commworld_call(518, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_get_timestamp)

int PMPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info, MPI_T_event_registration *event_registration)
{
	int64_t a[] = {WORD(event_index), WORD(obj_handle), WORD(info), WORD(event_registration)};
	return (int)(commworld_call(519, 0, a, 4, __builtin_frame_address(0)));
}
TWIN(T_event_handle_alloc)

int PMPI_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data, MPI_T_event_free_cb_function free_cb_function)
{
	int64_t a[] = {WORD(event_registration), WORD(user_data), WORD(free_cb_function)};
	return (int)(commworld_call(520, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_event_handle_free)

int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used)
{
	int64_t a[] = {WORD(event_registration), WORD(info_used)};
	return (int)(commworld_call(521, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_handle_get_info)

int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info)
{
	int64_t a[] = {WORD(event_registration), WORD(info)};
	return (int)(commworld_call(522, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_handle_set_info)

int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
	int64_t a[] = {WORD(event_instance), WORD(element_index), WORD(buffer)};
	return (int)(commworld_call(523, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_event_read)

int PMPI_T_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function)
{
	int64_t a[] = {WORD(event_registration), WORD(cb_safety), WORD(info), WORD(user_data), WORD(event_cb_function)};
	return (int)(commworld_call(524, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(T_event_register_callback)

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration, MPI_T_event_dropped_cb_function dropped_cb_function)
{
	int64_t a[] = {WORD(event_registration), WORD(dropped_cb_function)};
	return (int)(commworld_call(525, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_event_set_dropped_handler)

int PMPI_T_finalize(void)
{
	int64_t a[] = {0};
	return (int)(commworld_call(526, 0, a, 0, __builtin_frame_address(0)));
}
TWIN(T_finalize)

int PMPI_T_init_thread(int required, int *provided)
{
	int64_t a[] = {WORD(required), WORD(provided)};
	return (int)(commworld_call(527, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_init_thread)

int PMPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
	int64_t a[] = {WORD(name), WORD(var_class), WORD(pvar_index)};
	return (int)(commworld_call(528, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_pvar_get_index)

int PMPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous, int *atomic)
{
	int64_t a[] = {WORD(pvar_index), WORD(name), WORD(name_len), WORD(verbosity), WORD(var_class), WORD(datatype), WORD(enumtype), WORD(desc), WORD(desc_len), WORD(bind), WORD(readonly), WORD(continuous), WORD(atomic)};
	return (int)(commworld_call(529, 0, a, 13, __builtin_frame_address(0)));
}
TWIN(T_pvar_get_info)

int PMPI_T_pvar_get_num(int *num_pvar)
{
	int64_t a[] = {WORD(num_pvar)};
	return (int)(commworld_call(530, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_pvar_get_num)

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle, int *count)
{
	int64_t a[] = {WORD(session), WORD(pvar_index), WORD(obj_handle), WORD(handle), WORD(count)};
	return (int)(commworld_call(531, 0, a, 5, __builtin_frame_address(0)));
}
TWIN(T_pvar_handle_alloc)

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
	int64_t a[] = {WORD(session), WORD(handle)};
	return (int)(commworld_call(532, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_pvar_handle_free)

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
	int64_t a[] = {WORD(session), WORD(handle), WORD(buf)};
	return (int)(commworld_call(533, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_pvar_read)

int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
	int64_t a[] = {WORD(session), WORD(handle), WORD(buf)};
	return (int)(commworld_call(534, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_pvar_readreset)

int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	int64_t a[] = {WORD(session), WORD(handle)};
	return (int)(commworld_call(535, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_pvar_reset)

int PMPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
	int64_t a[] = {WORD(session)};
	return (int)(commworld_call(536, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_pvar_session_create)

int PMPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
	int64_t a[] = {WORD(session)};
	return (int)(commworld_call(537, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_pvar_session_free)

int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	int64_t a[] = {WORD(session), WORD(handle)};
	return (int)(commworld_call(538, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_pvar_start)

int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	int64_t a[] = {WORD(session), WORD(handle)};
	return (int)(commworld_call(539, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_pvar_stop)

int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
	int64_t a[] = {WORD(session), WORD(handle), WORD(buf)};
	return (int)(commworld_call(540, 0, a, 3, __builtin_frame_address(0)));
}
TWIN(T_pvar_write)

int PMPI_T_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len, MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info)
{
	int64_t a[] = {WORD(source_index), WORD(name), WORD(name_len), WORD(desc), WORD(desc_len), WORD(ordering), WORD(ticks_per_second), WORD(max_ticks), WORD(info)};
	return (int)(commworld_call(541, 0, a, 9, __builtin_frame_address(0)));
}
TWIN(T_source_get_info)

int PMPI_T_source_get_num(int *num_sources)
{
	int64_t a[] = {WORD(num_sources)};
	return (int)(commworld_call(542, 0, a, 1, __builtin_frame_address(0)));
}
TWIN(T_source_get_num)

int PMPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
	int64_t a[] = {WORD(source_index), WORD(timestamp)};
	return (int)(commworld_call(543, 0, a, 2, __builtin_frame_address(0)));
}
TWIN(T_source_get_timestamp)

