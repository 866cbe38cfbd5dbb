//go:build !race

package iofile_test

const raceEnabled = false
