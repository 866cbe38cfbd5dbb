// Package course is a course on MPI-IO: twenty-four lessons, each with a page of text, a
// program to watch, an exercise and the rules by which a submission is marked.
//
// Start here: [Lessons] lists the lessons; [Find] returns one; [Lesson.Start] writes the
// exercise as a module of the student's own; [Lesson.Mark] marks a submission.
//
// A lesson is a folder NN-name:
//
//	lesson.md              the page: question, idea, picture, what real libraries do, exercise
//	main.go                the program of the page; go run ./course/NN-name
//	NN.mpio                the same story as a rank script, where it has one
//	skeleton/              the exercise, with a hole; it compiles
//	solution/              one solution; go run ./course/NN-name/solution
//	wrong/NAME/            typical wrong submissions, each found by mark
//
// go.mod has the go command ignore the last three where a pattern such as ./... is given: it
// would link 180 programs, which takes minutes. By their names they can be built as any other.
//
// # Map
//
//   - lesson.go: the folders
//   - rules.go, tasks.go, tasks_*.go: what the exercise of each lesson demands
//   - mark.go, judge.go: running a submission, and judging what it did
//   - markscript.go: submissions that are rank scripts
//   - quiz.go: questions about a litmus test or a mistake, and marking of answers ([NewQuiz])
//   - start.go: a module for a student
package course
