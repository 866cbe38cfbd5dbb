// Package github tests what GitHub runs: the action and the workflows of this repository, as far as a
// machine without it can.
package github
