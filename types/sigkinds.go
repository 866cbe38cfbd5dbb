package types

// Kinds returns the kinds that occur in s, each once. It looks at the recipe,
// not at the items, so it is quick however many there are.
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

// Only returns the kind of all items of s, KindNone if they are of several or
// there are none.
func (s Signature) Only() Kind {
	if s.nd == nil {
		return KindNone
	}
	return s.nd.only
}

// Unit returns what s is a repetition of, as its recipe shows it; else s.
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
