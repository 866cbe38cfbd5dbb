package comm

// Keep has the calling rank keep a value under a key until the world ends,
// whatever its communicators; nil takes it away. It is for packages above this
// one, each with keys of a type of its own: an attribute of COMM_SELF would do
// the same, but make that communicator on every rank that only asks.
func (c *Comm) Keep(key, value any) {
	if c.null() {
		return
	}
	p := c.proc
	if value == nil {
		delete(p.kept, key)
		return
	}
	if p.kept == nil {
		p.kept = make(map[any]any)
	}
	p.kept[key] = value
}

// Kept returns what the calling rank keeps under a key, nil if it is nothing.
func (c *Comm) Kept(key any) any {
	if c.null() {
		return nil
	}
	return c.proc.kept[key]
}
