//go:build openmpi

package mpi

// #cgo pkg-config: ompi-c
import "C"
