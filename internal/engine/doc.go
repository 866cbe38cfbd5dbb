// Package engine is the seam for engines other than the ranks of one process: a
// library under its own launcher, where this process is one rank of many.
//
// A binding, in a module of its own, registers a [Driver] under a name; package
// world starts it when a program asks for that name, and packages comm and
// iofile hand to it what their calls have checked. Everything crosses as plain
// values: buffers as the types they are made of, errors with the class of this
// module and the text of the library.
//
// # Borders
//
// No rank waits here: what waits is the library, in a call of the binding. This
// package knows neither communicators nor files of this module.
package engine
