// Package lab shows the effects of rank scripts on files: pictures and tables, as pure
// functions. Start here:
//
//	answer := lab.Answer(ctx, []byte(`{"do": "explore", "script": "ranks 2\n..."}`))
//
// A request is JSON, and so is its answer; drawings are SVG inside of it. The page of
// `commworld lab` and the options of `commworld run` show the results of these functions.
//
//   - lab.go: questions and answers
//   - request.go, answer.go: requests and answers as JSON
//   - view.go: the views of a program; plan.go: plans of requests
//   - scripts.go: a run, one moment of it, all outcomes, the fix; models.go: the same
//     under every model
//   - exercise.go: marking the exercise of a lesson of the course; requests of a run
//   - lessons.go, lessons/: the scripts that the page offers
//   - page.go, page/: the page; wasm: the functions for a page without a server
//   - moment.go: the bytes that each rank may read at one moment, as a drawing;
//     compare.go: the same
//     under every model; html.go: all moments as a page of its own
//   - board.go: the files of a moment as grids of items, beside the memory of each rank
//   - access.go: accesses of a run: as the program makes them, in two phases, by each strategy
//   - whatif.go: the outcomes before and after one change of a program
//   - frames.go: a run as slides; poll.go: a question about a script for a class
//   - rows.go: the events of a run as a table, ranks side by side
//   - result.go: the results of a script, as JSON
//   - spacetime.go: the space-time diagram of a run
package lab
