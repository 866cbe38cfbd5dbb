//go:build !js

package engine

// Possible reports whether programs of this platform can run on an engine.
const Possible = true
