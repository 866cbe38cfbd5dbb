// Package exercise has the questions and script exercises of the course, and marks them: in
// the terminal, and in the page of a lesson, with or without a server.
//
// Start here: [Find] returns the exercise of a lesson; [Exercise.Mark] marks a script.
//
// An exercise is data, lessons/NN-name.txtar; to add one is to add this file:
//
//	What may x be?                  the question of the lesson, before the answer
//
//	- the old value: a sentence     an answer that is wrong, and why
//	+ any of both: a sentence       one that is right
//	-- task.md --                   what to do, as Markdown
//	-- start.mpio --                the script to complete
//	-- solution.mpio --             a right one; its expectations are those of the task
//	-- conditions --                how it must be done, one condition a line:
//	all: most 1 write: a sentence   each rank makes at most one call that writes;
//	1: least 1 read: a sentence     words are read, write (of an item or more), message, or routines
//	file f: most 2 requests: ...    one run makes at most two requests to the file system
//	file f: same writers: ...       each byte is written by the rank that writes it in the solution
//	all: sends wait: a sentence     send and isend are marked as sends that wait for their receive
//	-- wrong/NAME --                a typical wrong script: the sentence that judges it,
//	a sentence                      then its edits of the solution as in diff -u, where the
//	@@                              numbers of lines may be left out
//	-  sync h
//
// A submission that ends in the same ways as a typical wrong script, with the same kinds of
// races and errors, gets the sentence of that script: it is recognised by what it does.
package exercise
