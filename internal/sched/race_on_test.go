//go:build race

package sched_test

const raceEnabled = true
