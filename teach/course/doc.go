// Package course is a course on MPI-IO: twenty-four lessons, each with a page of text, a
// program to watch, an exercise and the rules by which a submission is marked.
//
// Start here: [Lessons] lists the lessons; [Find] returns one; [Lesson.Start] writes the
// exercise as a module of the student's own; [Lesson.Mark] marks a submission.
//
// A lesson is a folder NN-name:
//
//	lesson.md              the page: question, idea, picture, what real libraries do, exercise
//	main.go                the program of the page; go run ./teach/course/NN-name
//	NN.mpio                the same story as a rank script, where it has one; the exercise
//	                       for a script is in package exercise
//	skeleton/              the exercise, with a hole; it compiles
//	solution/              one solution; go run ./teach/course/NN-name/solution
//	wrong.txtar            typical wrong submissions as edits of the solution, each found
//	                       by mark; commworld course show NN --wrong NAME prints one
//
// Skeletons and solutions are in the ignore list of go.mod, so patterns such as ./... skip
// them: linking them takes long. Each can still be built by its name.
package course
