package types

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// ParseWith is [Parse] for a text in which every integer may be an expression over the
// names in vars, so that each rank's arguments can be computed from its number:
//
//	subarray([8, 8], [4, 4], [r/2*4, r%2*4], c, int)
//
// Operators are + - * / % and signs, with the precedence and the rounding of C and Go;
// parentheses group. Numbers have 64 bits: a result that does not fit, and a division by
// zero, are errors with their column. So is a name that vars does not have.
func ParseWith(expr string, vars map[string]int64) (*Type, error) {
	return parse(expr, named64(vars))
}

// EvalWith returns the value of one integer expression as in [ParseWith]. Its errors are
// those of ParseWith.
func EvalWith(expr string, vars map[string]int64) (int64, error) {
	p := &parser{text: expr, vars: named64(vars)}
	n := p.sum()
	if p.err == nil && p.peek() != 0 {
		p.fail(p.pos, "unexpected %s after the number", p.describeNext())
	}
	if p.err != nil {
		return 0, p.err
	}
	return n, nil
}

// named64 returns vars, or an empty map in place of nil: nil turns arithmetic off.
func named64(vars map[string]int64) map[string]int64 {
	if vars == nil {
		return map[string]int64{}
	}
	return vars
}

// errWide is the error for a result that does not fit an int64.
var errWide = errors.New("does not fit 64 bits")

// reportWide records the error of a result that does not fit an int64.
func (p *parser) reportWide(at int, format string, args ...any) {
	p.failWith(at, ErrArg, "DT-DEF-09", fmt.Errorf(format+" %w", append(args, errWide)...))
}

// sum reads terms joined by + and -. An error names the place of the wrong operator or
// operand.
func (p *parser) sum() int64 {
	n := p.product()
	for p.err == nil {
		c := p.peek()
		if c != '+' && c != '-' {
			break
		}
		at := p.pos
		p.pos++
		m := p.product()
		sum := n + m
		if c == '-' {
			sum = n - m
		}
		if p.err == nil && (c == '+' && (sum > n) != (m > 0) && m != 0 || c == '-' && (sum < n) != (m > 0) && m != 0) {
			p.reportWide(at, "%d %c %d", n, c, m)
		}
		n = sum
	}
	return n
}

// product reads factors joined by *, / and %.
func (p *parser) product() int64 {
	n := p.factor()
	for p.err == nil {
		c := p.peek()
		if c != '*' && c != '/' && c != '%' {
			break
		}
		at := p.pos
		p.pos++
		p.peek()
		divisor := p.pos
		m := p.factor()
		switch {
		case p.err != nil:
		case c == '*':
			if !multiplies(n, m) {
				p.reportWide(at, "%d * %d", n, m)
			}
			n *= m
		case m == 0:
			p.fail(divisor, "%d %c 0: division by zero", n, c)
		case c == '/' && n == math.MinInt64 && m == -1:
			p.reportWide(at, "%d / -1", n)
		case c == '/':
			n /= m
		default:
			n %= m
		}
	}
	return n
}

// multiplies reports whether a*b fits an int64.
func multiplies(a, b int64) bool {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	most := uint64(math.MaxInt64)
	if (a < 0) != (b < 0) {
		most++
	}
	return hi == 0 && lo <= most
}

// factor reads a number, a name, a sum in parentheses, or one of them with a
// sign.
func (p *parser) factor() int64 {
	if p.depth++; p.depth > deepest {
		p.fail(p.pos, "parentheses and signs are nested more than %d deep", deepest)
	}
	defer func() { p.depth-- }()
	c := p.peek()
	at := p.pos
	switch {
	case p.err != nil:
		return 0
	case c == '(':
		p.pos++
		n := p.sum()
		p.expect(')')
		return n
	case c == '-' || c == '+':
		p.pos++
		if c == '-' && p.digitAhead() {
			return p.number(at, "-")
		}
		n := p.factor()
		if c == '-' {
			if n == math.MinInt64 {
				p.reportWide(at, "-(%d)", n)
			}
			n = -n
		}
		return n
	case p.digitAhead():
		return p.number(at, "")
	}
	w, at := p.word()
	n, ok := p.vars[w]
	switch {
	case ok:
	case w == "":
		p.fail(at, "expected a number, found %s", p.describeNext())
	default:
		p.fail(at, "expected a number, found %q%s", w, p.known())
	}
	return n
}

func (p *parser) digitAhead() bool {
	c := p.peek()
	return c >= '0' && c <= '9'
}

// number reads digits after a sign.
func (p *parser) number(at int, sign string) int64 {
	from := p.pos
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	digits := sign + p.text[from:p.pos]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		p.reportWide(at, "number %s", digits)
	}
	return n
}

// known returns the names that may be used in place of a number.
func (p *parser) known() string {
	names := slices.Sorted(maps.Keys(p.vars))
	if len(names) == 0 {
		return ""
	}
	return "; names of numbers are " + strings.Join(names, ", ")
}
