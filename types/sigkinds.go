package types

// Kinds returns the kinds that occur in s, each once. It searches the recipe, not the
// items, so it is quick for any number of items.
func (s Signature) Kinds() []Kind {
	if s.nd == nil {
		return nil
	}
	var all []Kind
	var has [kinds]bool
	seen := map[*sigNode]bool{}
	var walk func(nd *sigNode)
	walk = func(nd *sigNode) {
		switch {
		case nd.only != KindNone:
			if !has[nd.only] {
				has[nd.only], all = true, append(all, nd.only)
			}
		case seen[nd]:
		case nd.kid != nil:
			seen[nd] = true
			walk(nd.kid)
		default:
			seen[nd] = true
			for _, k := range nd.kids {
				walk(k)
			}
		}
	}
	walk(s.nd)
	return all
}

// Only returns the kind of all items of s, KindNone if there are several kinds or no items.
func (s Signature) Only() Kind {
	if s.nd == nil {
		return KindNone
	}
	return s.nd.only
}

// Unit returns the signature that s repeats, as far as its recipe shows that; else s.
func (s Signature) Unit() Signature {
	switch {
	case s.nd == nil:
		return s
	case s.nd.isRun():
		return atomSignature(s.nd.atom)
	case s.nd.kid != nil:
		return Signature{s.nd.kid}
	}
	return s
}
