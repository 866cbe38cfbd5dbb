package script

import "slices"

// A form lists the arguments of a routine. The parser and the printer both use it, so
// they agree.
type form struct {
	name string
	args []*arg
}

// forms has a row for every statement of the language.
var forms = table(
	row("open", newHandle, fileName, amode, hints),
	row("close", handle),
	row("delete", fileName),
	row("view", handle, disp, etype, filetype, rep),
	row("seek", handle, offset, whence),
	row("seek_shared", handle, offset, whence),
	row("set_size", handle, bytes),
	row("preallocate", handle, bytes),
	row("sync", handle),
	row("atomic", handle, onOff),

	row("get_size", handle, into),
	row("get_position", handle, into),
	row("get_position_shared", handle, into),
	row("get_byte_offset", handle, offset, into),
	row("type_extent", handle, anyType, into),
	row("look", handle, offset, amount),

	row("read_at", handle, offset, want, into),
	row("write_at", handle, offset, data),
	row("read_at_all", handle, offset, want, into),
	row("write_at_all", handle, offset, data),
	row("iread_at", handle, offset, want, into, as),
	row("iwrite_at", handle, offset, data, as),
	row("iread_at_all", handle, offset, want, into, as),
	row("iwrite_at_all", handle, offset, data, as),
	row("read_at_all_begin", handle, offset, want, into),
	row("read_at_all_end", handle),
	row("write_at_all_begin", handle, offset, data),
	row("write_at_all_end", handle),

	row("read", handle, want, into),
	row("write", handle, data),
	row("read_all", handle, want, into),
	row("write_all", handle, data),
	row("iread", handle, want, into, as),
	row("iwrite", handle, data, as),
	row("iread_all", handle, want, into, as),
	row("iwrite_all", handle, data, as),
	row("read_all_begin", handle, want, into),
	row("read_all_end", handle),
	row("write_all_begin", handle, data),
	row("write_all_end", handle),

	row("read_shared", handle, want, into),
	row("write_shared", handle, data),
	row("read_ordered", handle, want, into),
	row("write_ordered", handle, data),
	row("iread_shared", handle, want, into, as),
	row("iwrite_shared", handle, data, as),
	row("read_ordered_begin", handle, want, into),
	row("read_ordered_end", handle),
	row("write_ordered_begin", handle, data),
	row("write_ordered_end", handle),

	row("wait", req),
	row("waitall", reqs),
	row("test", req, into),

	row("send", peer, tag, data),
	row("ssend", peer, tag, data),
	row("recv", source, anyTag, want, into),
	row("isend", peer, tag, data, as),
	row("irecv", source, anyTag, want, into, as),
	row("probe", source, anyTag, into),
	row("barrier"),
	row("bcast", root, dataOrWant),
	row("scatter", root, dataOrWant),
	row("gather", root, data, collected),
	row("allgather", data, collected),
	row("reduce", reduceOp, root, data, into),
	row("allreduce", reduceOp, data, into),
)

func row(name string, args ...*arg) *form { return &form{name, args} }

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
	for name, f := range forms {
		for _, a := range f.args {
			name += " " + a.what
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
