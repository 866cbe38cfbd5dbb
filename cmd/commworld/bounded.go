package main

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// bounded returns what work returns, or an error if that takes longer than limit and some
// time to put results together: what a run has found may take longer to explain than the run.
// Work that has not ended goes on and must touch nothing that the caller uses.
func bounded[T any](limit time.Duration, work func() (T, error)) (T, error) {
	type ended struct {
		result T
		err    error
	}
	done := make(chan ended, 1)
	go func() {
		result, err := work()
		done <- ended{result, err}
	}()
	late := time.NewTimer(limit + min(max(limit/4, 2*time.Second), 15*time.Second))
	defer late.Stop()
	select {
	case e := <-done:
		return e.result, e.err
	case <-late.C:
		var none T
		return none, fmt.Errorf("the results of a run of %v could not be put together in time: give fewer ranks or statements, or a longer --timeout", limit)
	}
}

// printed calls work, for at most about limit, and prints what it has written when it has
// ended. Work that takes longer prints nothing.
func printed(limit time.Duration, stdout, stderr io.Writer, work func(out, errs io.Writer) (int, error)) (int, error) {
	type result struct {
		code      int
		out, errs bytes.Buffer
	}
	r, err := bounded(limit, func() (*result, error) {
		var r result
		var err error
		r.code, err = work(&r.out, &r.errs)
		return &r, err
	})
	if r == nil {
		return 0, err
	}
	for _, to := range []struct {
		w    io.Writer
		text *bytes.Buffer
	}{{stdout, &r.out}, {stderr, &r.errs}} {
		if _, failed := to.text.WriteTo(to.w); failed != nil && err == nil {
			err = failed
		}
	}
	return r.code, err
}
