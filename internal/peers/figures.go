package peers

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Programs compiles a C source with each library that is here, and says on w
// which is not. The caller closes them, after an error as well.
func Programs(w io.Writer, source []byte) (all []*Program, close func() error, err error) {
	close = func() error {
		var errs []error
		for _, p := range all {
			errs = append(errs, p.Close())
		}
		return errors.Join(errs...)
	}
	for _, l := range All() {
		if err := l.Missing(); err != nil {
			fmt.Fprintln(w, err)
			continue
		}
		p, err := l.Compile(source)
		if err != nil {
			return all, close, err
		}
		all = append(all, p)
	}
	return all, close, nil
}

// Median is no number if there is none to take it of.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Ratio is the median of a's figures against b's of the same round: the load of a
// machine, which changes between rounds, is the same for both.
func Ratio(a, b []float64) float64 {
	v := make([]float64, min(len(a), len(b)))
	for i := range v {
		v[i] = a[i] / b[i]
	}
	return Median(v)
}

// Short shows three digits, or a dash for no number.
func Short(m float64) string {
	switch {
	case math.IsNaN(m):
		return "-"
	case m < 10:
		return fmt.Sprintf("%.2f", m)
	case m < 100:
		return fmt.Sprintf("%.1f", m)
	}
	return fmt.Sprintf("%.0f", m)
}
