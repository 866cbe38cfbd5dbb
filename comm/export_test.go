package comm

// MostPolls is what mostPolls is in tests.
const MostPolls = 1 << 10

func init() { mostPolls = MostPolls }
