package script

import (
	"slices"
	"strings"
)

// A form lists the arguments of a routine. The parser and the printer both use it, so
// they agree.
type form struct {
	name  string
	about string // a sentence
	args  []*arg
}

// forms has a row for every statement of the language.
var forms = table(
	row("open", "Opens a file; all ranks call it, after self one rank alone.", newHandle, fileName, amode, hints),
	row("close", "Publishes the writes of the rank and closes the file; all ranks call it.", handle),
	row("delete", "Deletes a file.", fileName),
	row("view", "Sets which bytes of the file the rank sees, and in which unit; all ranks call it.", handle, disp, etype, filetype, rep),
	row("seek", "Moves the file pointer of the rank.", handle, offset, whence),
	row("seek_shared", "Moves the shared file pointer; all ranks call it with the same offset.", handle, offset, whence),
	row("set_size", "Cuts or extends the file; all ranks call it.", handle, bytes),
	row("preallocate", "Reserves space of the file; all ranks call it.", handle, bytes),
	row("sync", "Publishes the writes of the rank and fetches what others have published; all ranks call it.", handle),
	row("atomic", "Turns atomic mode on or off; all ranks call it.", handle, onOff),

	row("get_size", "Returns the size of the file in bytes.", handle, into),
	row("get_position", "Returns the file pointer of the rank, in etypes.", handle, into),
	row("get_position_shared", "Returns the shared file pointer, in etypes.", handle, into),
	row("get_byte_offset", "Returns the byte of the file at an offset of the view.", handle, offset, into),
	row("type_extent", "Returns the extent of a datatype in the file.", handle, anyType, into),
	row("look", "Shows what a read here may return; it is not an access.", handle, offset, amount),

	dataRow("read_at", handle, offset, want, into),
	dataRow("write_at", handle, offset, data),
	dataRow("read_at_all", handle, offset, want, into),
	dataRow("write_at_all", handle, offset, data),
	dataRow("iread_at", handle, offset, want, into, as),
	dataRow("iwrite_at", handle, offset, data, as),
	dataRow("iread_at_all", handle, offset, want, into, as),
	dataRow("iwrite_at_all", handle, offset, data, as),
	dataRow("read_at_all_begin", handle, offset, want, into),
	dataRow("read_at_all_end", handle),
	dataRow("write_at_all_begin", handle, offset, data),
	dataRow("write_at_all_end", handle),

	dataRow("read", handle, want, into),
	dataRow("write", handle, data),
	dataRow("read_all", handle, want, into),
	dataRow("write_all", handle, data),
	dataRow("iread", handle, want, into, as),
	dataRow("iwrite", handle, data, as),
	dataRow("iread_all", handle, want, into, as),
	dataRow("iwrite_all", handle, data, as),
	dataRow("read_all_begin", handle, want, into),
	dataRow("read_all_end", handle),
	dataRow("write_all_begin", handle, data),
	dataRow("write_all_end", handle),

	dataRow("read_shared", handle, want, into),
	dataRow("write_shared", handle, data),
	dataRow("read_ordered", handle, want, into),
	dataRow("write_ordered", handle, data),
	dataRow("iread_shared", handle, want, into, as),
	dataRow("iwrite_shared", handle, data, as),
	dataRow("read_ordered_begin", handle, want, into),
	dataRow("read_ordered_end", handle),
	dataRow("write_ordered_begin", handle, data),
	dataRow("write_ordered_end", handle),

	row("wait", "Waits until a request is complete.", req),
	row("waitall", "Waits until requests are complete.", reqs),
	row("test", "Returns 1 if a request is complete, and else 0.", req, into),

	row("send", "Sends a message; it may return before the message is received.", peer, tag, data),
	row("ssend", "Sends a message and waits until the receive has begun.", peer, tag, data),
	row("recv", "Receives a message.", source, anyTag, want, into),
	row("isend", "Starts to send a message.", peer, tag, data, as),
	row("irecv", "Starts to receive a message.", source, anyTag, want, into, as),
	row("probe", "Waits for a message without receiving it.", source, anyTag, into),
	row("barrier", "Waits until all ranks have called it."),
	row("bcast", "Sends data of the root to all ranks; all ranks call it.", root, dataOrWant),
	row("scatter", "Sends a part of the data of the root to each rank; all ranks call it.", root, dataOrWant),
	row("gather", "Collects data of all ranks on the root; all ranks call it.", root, data, collected),
	row("allgather", "Collects data of all ranks on each rank; all ranks call it.", data, collected),
	row("reduce", "Combines data of all ranks on the root; all ranks call it.", reduceOp, root, data, into),
	row("allreduce", "Combines data of all ranks on each rank; all ranks call it.", reduceOp, data, into),
)

func row(name, about string, args ...*arg) *form { return &form{name, about, args} }

// dataRow is a form whose sentence follows from its name.
func dataRow(name string, args ...*arg) *form { return &form{name, accessAbout(name), args} }

// accessAbout returns a sentence about a data access.
func accessAbout(name string) string {
	does := "Writes"
	if strings.Contains(name, "read") {
		does = "Reads"
	}
	switch base, end := strings.CutSuffix(name, "_end"); {
	case end:
		return "Completes " + base + "_begin of the same handle; all ranks call it."
	case strings.HasPrefix(name, "i"):
		does = "Starts to " + strings.ToLower(strings.TrimSuffix(does, "s"))
	}
	switch {
	case strings.Contains(name, "_at"):
		does += " at an offset"
	case strings.Contains(name, "_shared"):
		does += " at the shared file pointer"
	case strings.Contains(name, "_ordered"):
		does += " at the shared file pointer, in the order of ranks"
	default:
		does += " at the file pointer of the rank"
	}
	if strings.Contains(name, "_all") || strings.Contains(name, "_ordered") {
		does += "; all ranks call it"
	}
	if strings.HasSuffix(name, "_begin") {
		does += ", and " + strings.TrimSuffix(name, "_begin") + "_end later"
	}
	return does + "."
}

func table(rows ...*form) map[string]*form {
	m := make(map[string]*form, len(rows))
	for _, f := range rows {
		m[f.name] = f
	}
	return m
}

// Statements returns the statements of the language, sorted, each with its arguments,
// such as "write_at HANDLE OFFSET DATA".
func Statements() []string {
	var all []string
	for _, f := range forms {
		all = append(all, f.usage())
	}
	slices.Sort(all)
	return all
}
