package callsite

import (
	"runtime"
	"strings"
)

// mostDeep bounds the functions on a stack that Deferred looks at.
const mostDeep = 12 * depth

// Deferred changes a chain of calls of the present stack: where a function runs a deferred
// call, the line is that of the defer statement. Go gives the line of the return, where the
// same method may be called, too. The chain stays as it is where places are not found by frame
// pointers, and where a panic runs the call.
//
//go:noinline
func Deferred(chain []runtime.Frame) []runtime.Frame {
	calls := map[string]int{} // of each function, so far
	var wrapper *runtime.Func // makes a deferred call of the next function
	for up := 0; up < mostDeep; up += depth {
		var near Near
		if !walk(&near, up) {
			return chain
		}
		for _, pc := range near {
			f := outermost(pc)
			if f == nil {
				return chain
			}
			name := f.Name()
			if name == "runtime.deferreturn" {
				continue
			}
			if wrapper != nil && deferrer(wrapper) == name {
				setLine(chain, name, calls[name], wrapper)
			}
			calls[name]++
			if wrapper = nil; deferrer(f) != "" {
				wrapper = f
			}
		}
	}
	return chain
}

// outermost returns the function on the stack that a return address belongs to, not one that is
// inlined there.
func outermost(pc uintptr) *runtime.Func {
	if pc == 0 {
		return nil
	}
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return nil
	}
	return runtime.FuncForPC(f.Entry())
}

// deferrer returns the name of the function whose deferred call f makes. The compiler makes such
// a function for each defer statement with a receiver, arguments or results. It is empty for
// other functions.
func deferrer(f *runtime.Func) string {
	name, number, ok := strings.Cut(f.Name(), ".deferwrap")
	if !ok || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return name
}

// setLine gives call number n of a function, from 0 on, the line of a wrapper. A function with
// a defer statement is never inlined, so the chain has all its calls.
func setLine(chain []runtime.Frame, name string, n int, wrapper *runtime.Func) {
	for i := range chain {
		if chain[i].Function != name {
			continue
		}
		if n--; n < 0 {
			if file, line := wrapper.FileLine(wrapper.Entry()); file == chain[i].File {
				chain[i].Line = line
			}
			return
		}
	}
}
