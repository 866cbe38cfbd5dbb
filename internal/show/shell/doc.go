// Package shell makes completions of shells and manual pages of programs.
//
// Start here: [Completion] makes the completions of a program from its commands, [ManFlag] and [ManText] write parts
// of a manual page.
package shell
