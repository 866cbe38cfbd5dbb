//go:build !race

package proptest_test

const raceEnabled = false
