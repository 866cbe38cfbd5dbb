package raster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A node is one element of a drawing.
type node struct {
	name    string
	attr    map[string]string
	classes []string
	text    string
	kids    []*node
	parent  *node
}

// A props has the properties of an element by name.
type props map[string]string

// inherited are the properties that the elements of a group take from it.
var inherited = []string{
	"fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "paint-order",
}

// ignored are properties that change nothing in a picture in Go Mono.
var ignored = []string{"font-family"}

// known are the other properties.
var known = append([]string{"opacity", "marker-start", "marker-end"}, inherited...)

// A rule is one selector of a style sheet with its declarations.
type rule struct {
	parts  []compound // the last one selects the element, those before its ancestors
	weight int        // specificity
	set    props
}

// A compound selects elements by a name, by classes, and by classes that they do not have.
type compound struct {
	name        string
	has, hasNot []string
}

// sheetOf parses a style sheet.
func sheetOf(text string) (all []rule, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		selectors, rest, opened := strings.Cut(text, "{")
		body, rest, closed := strings.Cut(rest, "}")
		if !opened || !closed || strings.Contains(selectors, "@") {
			return nil, fmt.Errorf("raster: style sheet: unexpected %.40q", text)
		}
		set := props{}
		for d := range strings.SplitSeq(body, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(d), ":")
			switch {
			case name == "" || slices.Contains(ignored, name):
			case !slices.Contains(known, name):
				return nil, fmt.Errorf("raster: style sheet: property %q cannot be drawn", name)
			default:
				set[name] = strings.TrimSuffix(strings.TrimSpace(value), "px")
			}
		}
		for selector := range strings.SplitSeq(selectors, ",") {
			all = append(all, ruleOf(selector, set))
		}
		text = rest
	}
	slices.SortStableFunc(all, func(a, b rule) int { return a.weight - b.weight })
	return all, nil
}

func ruleOf(selector string, set props) rule {
	r := rule{set: set}
	for part := range strings.FieldsSeq(selector) {
		var c compound
		for {
			before, rest, found := strings.Cut(part, ":not(.")
			if !found {
				break
			}
			class, after, _ := strings.Cut(rest, ")")
			c.hasNot = append(c.hasNot, class)
			part = before + after
		}
		words := strings.Split(part, ".")
		c.name, c.has = words[0], words[1:]
		r.weight += 100 * (len(c.has) + len(c.hasNot))
		if c.name != "" {
			r.weight++
		}
		r.parts = append(r.parts, c)
	}
	return r
}

func (c *compound) selects(n *node) bool {
	if c.name != "" && c.name != n.name {
		return false
	}
	for _, class := range c.has {
		if !slices.Contains(n.classes, class) {
			return false
		}
	}
	return !slices.ContainsFunc(c.hasNot, func(class string) bool { return slices.Contains(n.classes, class) })
}

// selects reports whether the rule is about an element.
func (r *rule) selects(n *node) bool {
	last := len(r.parts) - 1
	if last < 0 || !r.parts[last].selects(n) {
		return false
	}
	rest := r.parts[:last]
	for up := n.parent; up != nil && len(rest) > 0; up = up.parent {
		if rest[len(rest)-1].selects(up) {
			rest = rest[:len(rest)-1]
		}
	}
	return len(rest) == 0
}

// styleOf returns the properties of an element in a group with the properties of from.
func styleOf(n *node, from props, sheet []rule) props {
	p := props{}
	for _, name := range inherited {
		if v, ok := from[name]; ok {
			p[name] = v
		}
	}
	for _, name := range known {
		if v, ok := n.attr[name]; ok {
			p[name] = v
		}
	}
	for i := range sheet {
		if sheet[i].selects(n) {
			maps.Copy(p, sheet[i].set)
		}
	}
	return p
}
