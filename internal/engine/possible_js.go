package engine

// Possible reports whether programs of this platform can run on an engine: a browser has no
// libraries and no other processes.
const Possible = false
