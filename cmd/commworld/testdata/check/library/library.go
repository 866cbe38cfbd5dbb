// Package library is not a program.
package library
