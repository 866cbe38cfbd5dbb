package measure

import (
	"math"
	"runtime"
	"slices"
)

// A Side measures rows of type R in its turn, and notes the time of one operation of
// each. It may note a row several times, or not at all if it has no figure.
type Side[R any] struct {
	Name string
	Turn func(rows []R, note func(row R, seconds float64)) error
}

// Figures are the seconds that sides noted, by row.
type Figures[R comparable] map[R]Sides

// Sides are the seconds that sides noted for one row, by name, in the order of rounds.
type Sides map[string][]float64

// Take lets the sides measure the rows, one side after the other, as often as rounds says.
func Take[R comparable](rounds int, rows []R, sides ...Side[R]) (Figures[R], error) {
	all := Figures[R]{}
	for _, r := range rows {
		all[r] = Sides{}
	}
	for range rounds {
		for _, s := range sides {
			runtime.GC() // before the turn, not within one
			err := s.Turn(rows, func(r R, seconds float64) { all[r][s.Name] = append(all[r][s.Name], seconds) })
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// Better returns which of the named sides has the lowest median; "" if none has figures.
func (s Sides) Better(names ...string) (better string) {
	for _, name := range names {
		if len(s[name]) > 0 && (better == "" || Median(s[name]) < Median(s[better])) {
			better = name
		}
	}
	return better
}

// Ratio returns the median of a's figures over b's of the same round.
func (s Sides) Ratio(a, b string) float64 { return Ratio(s[a], s[b]) }

// Short returns the median of a side in a unit of which a second has units.
func (s Sides) Short(name string, units float64) string { return Short(Median(s[name]) * units) }

// Rate returns an amount divided by the median of a side, without decimals.
func (s Sides) Rate(name string, amount float64) string { return Whole(amount / Median(s[name])) }

// Median returns the median, NaN without figures.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Ratio returns the median of a's figures over b's of the same round. The load of a
// machine changes between rounds, and is the same for both sides of one.
func Ratio(a, b []float64) float64 {
	v := make([]float64, min(len(a), len(b)))
	for i := range v {
		v[i] = a[i] / b[i]
	}
	return Median(v)
}
