package types_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// If expressions were computed wrongly, ranks would be shown views that no program
// wrote down.
func TestParseWith(t *testing.T) {
	at := map[string]int64{"r": 3, "n": 4}
	for _, c := range []struct{ expr, want string }{
		{"subarray([8,8],[4,4],[r/2*4,r%2*4],c,int)", "subarray([8, 8], [4, 4], [4, 4], c, int)"},
		{"vector(n, -(1-r), 2 * (r + 1) - -1, double)", "vector(4, 2, 9, double)"},
		{"resized(int, -r, 4*n)", "resized(int, -3, 16)"},
		{"darray(n, r, [8], [cyclic], [dflt], [n], c, int)", "darray(4, 3, [8], [cyclic], [dflt], [4], c, int)"},
		{"darray(n, r, [8], [cyclic], [r-1], [n], c, int)", "darray(4, 3, [8], [cyclic], [2], [4], c, int)"},
		{"f90real(undefined, n*r)", "f90real(undefined, 12)"},
		{"hindexed([1, 1], [-9223372036854775808 + r, 0], char)", "hindexed([1, 1], [-9223372036854775805, 0], char)"},
	} {
		got, err := types.ParseWith(c.expr, at)
		if assert.NoError(t, err, c.expr) {
			assert.Equal(t, c.want, got.String())
		}
	}
	_, err := types.Parse("contiguous(r, int)")
	assert.ErrorContains(t, err, "column 12", "Parse knows no names")
}

// If a column were wrong, a typing mistake would be looked for in the wrong
// place.
func TestParseWithErrors(t *testing.T) {
	for _, c := range []struct {
		expr   string
		column int
		text   string
	}{
		{"contiguous(4/(r-1), int)", 14, "4 / 0: division by zero"},
		{"contiguous(4 % 0, int)", 16, "4 % 0: division by zero"},
		{"contiguous(x, int)", 12, `expected a number, found "x"; names of numbers are n, r`},
		{"contiguous((r + 2, int)", 18, `expected ')', found ","`},
		{"contiguous(r +, int)", 15, `expected a number, found ","`},
		{"contiguous(9223372036854775807 + r, int)", 32, "9223372036854775807 + 1 does not fit 64 bits"},
		{"contiguous(-9223372036854775807 - 2, int)", 33, "-9223372036854775807 - 2 does not fit 64 bits"},
		{"contiguous(4611686018427387904 * 2, int)", 32, "4611686018427387904 * 2 does not fit 64 bits"},
		{"contiguous(-9223372036854775808 / -1, int)", 33, "does not fit 64 bits"},
		{"contiguous(9223372036854775808, int)", 12, "number 9223372036854775808 does not fit 64 bits"},
		{"contiguous(r-2, int)", 1, "count -1 is negative"},
		{"contiguous(4r, int)", 13, `expected ',', found "r"`},
		{"contiguous(" + strings.Repeat("(", 5000) + "1, int)", 1011, "nested more than 1000 deep"},
		{"contiguous(" + strings.Repeat("-", 5000) + "1, int)", 1011, "nested more than 1000 deep"},
	} {
		_, err := types.ParseWith(c.expr, map[string]int64{"r": 1, "n": 2})
		var s *types.SyntaxError
		if assert.True(t, errors.As(err, &s), c.expr) {
			assert.Equal(t, c.column, s.Column, "%.60s: %v", c.expr, err)
			assert.Contains(t, s.Err.Error(), c.text)
		}
	}
	for expr, column := range map[string]int{"": 1, "r r": 3, "r*": 3, "1/0": 3} {
		_, err := types.EvalWith(expr, map[string]int64{"r": 1})
		var s *types.SyntaxError
		if assert.True(t, errors.As(err, &s), expr) {
			assert.Equal(t, column, s.Column, expr)
		}
	}
	_, err := types.EvalWith("r", nil)
	assert.Error(t, err)
}

// The arithmetic is that of Go, whose own parser and unlimited integers give the value of an
// expression.
func TestEvalWithIsGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vars := map[string]int64{"r": rapid.Int64Range(0, 9).Draw(t, "r"), "n": rapid.Int64Range(1, 10).Draw(t, "n")}
		expr := arithmetic(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		tree, err := parser.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := worth(tree, vars)
		got, err := types.EvalWith(expr, vars)
		if ok != (err == nil) || ok && got != want {
			t.Fatalf("%s with %v is %d, %v; should be %d, %v", expr, vars, got, err, want, ok)
		}
	})
}

func arithmetic(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"r", "n", "0", "1", "2", "7", "3037000500", "9223372036854775807"}).Draw(t, "leaf")
	}
	switch a := arithmetic(t, depth-1); rapid.IntRange(0, 7).Draw(t, "form") {
	case 0:
		return "(" + a + ")"
	case 1:
		if strings.HasPrefix(a, "-") {
			a = " " + a // Go takes two of them for one sign
		}
		return "-" + a
	default:
		op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", " + "}).Draw(t, "op")
		b := arithmetic(t, rapid.IntRange(0, depth-1).Draw(t, "right"))
		if strings.HasPrefix(b, "-") {
			b = " " + b
		}
		return a + op + b
	}
}

// worth computes without limits and reports whether every step fits 64 bits.
func worth(e ast.Expr, vars map[string]int64) (int64, bool) {
	var x, y int64
	ok := true
	switch e := e.(type) {
	case *ast.ParenExpr:
		return worth(e.X, vars)
	case *ast.Ident:
		return vars[e.Name], true
	case *ast.BasicLit:
		_, err := fmt.Sscan(e.Value, &x)
		return x, err == nil
	case *ast.UnaryExpr:
		if x, ok = worth(e.X, vars); !ok || x == math.MinInt64 {
			return 0, false
		}
		return -x, true
	case *ast.BinaryExpr:
		var right bool
		x, ok = worth(e.X, vars)
		y, right = worth(e.Y, vars)
		if !ok || !right {
			return 0, false
		}
		a, b, z := big.NewInt(x), big.NewInt(y), new(big.Int)
		switch e.Op {
		case token.ADD:
			z.Add(a, b)
		case token.SUB:
			z.Sub(a, b)
		case token.MUL:
			z.Mul(a, b)
		default:
			if y == 0 {
				return 0, false
			}
			if e.Op == token.QUO {
				z.Quo(a, b)
			} else {
				z.Rem(a, b)
			}
		}
		return z.Int64(), z.IsInt64()
	}
	panic("no such expression is drawn")
}
