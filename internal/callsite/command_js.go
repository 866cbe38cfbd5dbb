package callsite

// inCommand reports whether this program is a command of this module: no command runs in a
// browser, and the page should be small.
func inCommand() bool { return false }
