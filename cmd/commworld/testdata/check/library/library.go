// Package library is no program.
package library
