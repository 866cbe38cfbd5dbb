// Package docs carries those pages of this folder that commands need.
//
// Start here: [Conformance] is the text of docs/CONFORMANCE.md.
package docs

import _ "embed"

// Conformance is the page that lists each rule with tests that cover it.
//
//go:embed CONFORMANCE.md
var Conformance string
