// Package comm has as much of the true one as prog needs.
package comm

type Comm struct{}

func (c *Comm) Rank() int { return 0 }
