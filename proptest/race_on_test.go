//go:build race

package proptest_test

const raceEnabled = true
