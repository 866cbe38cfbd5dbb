// Package engine is the interface to other engines than the ranks of one process: an MPI
// library under its own launcher, where this process is one rank of many.
//
// Start here: a binding implements [Driver], [World], [Comm] and [File]. It is a module of
// its own and registers the [Driver] under a name by [Register]. Package world starts it
// when a program asks for that name, and packages comm and iofile pass it their checked
// calls. Only plain values cross the interface: buffers as package types has them, errors
// with the class of this module and the text of the library.
//
// # Borders
//
// No rank waits here: the library waits, in a call of the binding. This package knows
// neither communicators nor files of this module.
package engine
