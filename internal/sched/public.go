package sched

import "reflect"

// Public, if set, returns an error of this package as the type by which programs know it.
// Package world sets it when it is initialized.
var Public func(err error) error

// asPublic is the As method of errors whose public form has another type.
func asPublic(err error, target any) bool {
	if Public == nil {
		return false
	}
	to, is := reflect.ValueOf(target).Elem(), reflect.ValueOf(Public(err))
	if to.Type() != is.Type() {
		return false
	}
	to.Set(is)
	return true
}

// As sets target if it has the public type of the error.
func (e *RankError) As(target any) bool { return asPublic(e, target) }

// As sets target if it has the public type of the error.
func (e *PanicError) As(target any) bool { return asPublic(e, target) }

// As sets target if it has the public type of the error.
func (e *GoexitError) As(target any) bool { return asPublic(e, target) }

// As sets target if it has the public type of the error.
func (e *DeadlockError) As(target any) bool { return asPublic(e, target) }

// As sets target if it has the public type of the error.
func (e *UncontrolledError) As(target any) bool { return asPublic(e, target) }
