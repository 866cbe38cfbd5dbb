package sched

import (
	"reflect"
	"slices"
)

// Echoes reports whether err only repeats one of causes: whether every error that it joins,
// at any depth, is one of them. errors.Is would also be true if err joined a cause with
// another error.
func Echoes(err error, causes ...error) bool {
	if slices.ContainsFunc(causes, func(cause error) bool { return is(err, cause) }) {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return Echoes(e.Unwrap(), causes...)
	case interface{ Unwrap() []error }:
		said := slices.DeleteFunc(slices.Clone(e.Unwrap()), silent)
		own := func(err error) bool { return !Echoes(err, causes...) }
		return len(said) > 0 && !slices.ContainsFunc(said, own)
	}
	return false
}

// is compares like errors.Is, but only err itself and not the errors that it wraps.
func is(err, target error) bool {
	if err == nil || target == nil {
		return false
	}
	if reflect.TypeOf(target).Comparable() && err == target {
		return true
	}
	e, ok := err.(interface{ Is(error) bool })
	return ok && e.Is(target)
}

// silent reports whether err says nothing by itself: it is an error class, which errors of
// this module have beside their cause. Only classes have a Name method.
func silent(err error) bool {
	_, class := err.(interface {
		error
		Name() string
	})
	return err == nil || class
}
