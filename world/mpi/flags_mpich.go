//go:build !openmpi

package mpi

// #cgo pkg-config: mpich
import "C"
