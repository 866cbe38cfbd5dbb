package sched

import (
	"reflect"
	"slices"
)

// Echoes says whether err does nothing but hand on one of causes: whether all
// that it joins, at any depth, does. errors.Is, which asks whether anything in
// it does, would take an error of one's own beside a cause for an echo too.
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

// is is errors.Is for err alone, without what it wraps.
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

// silent is true for what says nothing by itself: an error class, which an
// error of this module has beside what caused it. Only classes have a name.
func silent(err error) bool {
	_, class := err.(interface {
		error
		Name() string
	})
	return err == nil || class
}
