package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTypeSVG(t *testing.T) {
	draw := func(args ...string) (svg, said string, status int) {
		var out, errs strings.Builder
		status = run(t.Context(), args, &out, &errs)
		return out.String(), errs.String(), status
	}
	t.Run("copies under two sizes", func(t *testing.T) {
		svg, _, status := draw("type", "--svg", "-", "--sizes", "lp64le,external32", "--copies", "2", "struct([1,1],[0,8],[char,long])")
		assert.Equal(t, 0, status)
		for _, want := range []string{"<svg", "lp64le, copy 1", "external32, extent", "size 9, extent 16 from 0", "size 5, extent 12 from 0", "bytes 8 to 15: long, item 1"} {
			assert.Contains(t, svg, want)
		}
		assert.True(t, strings.HasPrefix(svg, "<svg"), "nothing else is on standard output")
	})
	t.Run("items below the origin, none, and very many", func(t *testing.T) {
		for expr, want := range map[string]string{
			"resized(int, -8, 16)":                          "extent 16 from -8",
			"contiguous(0, int)":                            "no data",
			"contiguous(100000, byte)":                      "the first 200 of 100000 items",
			"hvector(3, 1, -8, int)":                        "bytes -16 to -13",
			"resized(int, 0, 4611686018427387904)":          "copy 0",
			"hindexed([1,1], [0,4611686018427387900], int)": "item 1",
		} {
			svg, said, _ := draw("type", "--svg", "-", expr)
			assert.Contains(t, svg, want, "%s: %s", expr, said)
		}
	})
	t.Run("a file besides the report", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "type.svg")
		text, _, status := draw("type", "--svg", file, "int")
		assert.Equal(t, 0, status)
		assert.Contains(t, text, "size")
		svg, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(svg), "copy 2")
	})
	t.Run("what cannot be", func(t *testing.T) {
		for _, args := range [][]string{{"type", "--svg", "x.svg"}, {"type", "--svg", "-", "--json", "int"}, {"type", "--svg", "-", "itn"}} {
			assert.Equal(t, exitUsage, run(t.Context(), args, io.Discard, io.Discard), args)
		}
	})
}

// A refused view is drawn with the block that breaks the rule.
func TestRefusedViewSVG(t *testing.T) {
	for _, c := range []struct{ etype, filetype, want string }{
		{"int", "indexed([1,1],[2,0],int)", "goes back behind item 0"},
		{"int", "struct([1,1],[0,8],[int,double])", "item 1 is double, where the etype has int"},
		{"int", "resized(vector(2,1,2,int), 0, 10)", "its extent 10 is not a multiple"},
		{"int", "hindexed([1,1],[0,2],int)", "breaks the rule"},
	} {
		var out, errs strings.Builder
		assert.Equal(t, exitUsage, run(t.Context(), []string{"view", "--ranks", "1", "--svg", "-", "--etype", c.etype, "--filetype", c.filetype}, &out, &errs))
		assert.Contains(t, out.String(), c.want, c.filetype)
		assert.Contains(t, out.String(), `class="wrong"`)
		assert.Contains(t, errs.String(), "IO-VIEW-")
	}
}
