package comm

// Extras are what few handles have: a name of their own, hints and the like. A
// world of a million ranks has millions of handles, so they are kept apart.
type extras struct {
	name     string // by SetName
	info     *Info
	topo     topology
	attrs    []attribute
	copying  bool // copy functions of attributes run
	handler  *Errhandler
	handling bool        // the handler runs, or shall not
	tracked  Leftover    // see LaunchOptions.CheckHandles
	room     *attachment // for buffered sends on this communicator alone
}

// none is what a handle without extras has. It is never written.
var none extras

// more returns the extras of c for reading.
func (c *Comm) more() *extras {
	if c.null() || c.own == nil {
		return &none
	}
	return c.own
}

// extras returns the extras of c for writing. c is not nil.
func (c *Comm) extras() *extras {
	if c.own == nil {
		c.own = new(extras)
	}
	return c.own
}
