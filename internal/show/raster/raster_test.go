package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"

	"github.com/commworld/commworld/internal/show/raster"
)

// drawings are golden drawings of other packages.
func drawings(t *testing.T) (all []string) {
	t.Helper()
	for _, dir := range []string{"../picture/testdata", "../../../teach/lab/testdata"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.svg"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		all = append(all, files...)
	}
	return all
}

// TestAgainstRsvg: a PNG has what another renderer draws of the same SVG in the same font.
func TestAgainstRsvg(t *testing.T) {
	if _, err := exec.LookPath("rsvg-convert"); err != nil {
		t.Skip("SKIPPED: no rsvg-convert here, so no test compares the pixels: apt-get install librsvg2-bin")
	}
	conf := fontsFor(t)
	for _, file := range drawings(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".svg"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			ours, err := raster.Draw(string(text), 0)
			require.NoError(t, err)
			cmd := exec.Command("rsvg-convert")
			cmd.Env = append(os.Environ(), "FONTCONFIG_FILE="+conf)
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(string(text), "ui-monospace,", "\"Go Mono\","))
			out, err := cmd.Output()
			require.NoError(t, err)
			theirs, err := png.Decode(bytes.NewReader(out))
			require.NoError(t, err)
			require.Equal(t, theirs.Bounds(), ours.Bounds())
			if dir := os.Getenv("KEEP"); dir != "" {
				keep(t, filepath.Join(dir, filepath.Base(file)+".ours.png"), ours)
				keep(t, filepath.Join(dir, filepath.Base(file)+".rsvg.png"), theirs)
			}
			mean, far := difference(ours, theirs)
			t.Logf("mean difference %.2f of 255, %.2f %% of the pixels differ by more than a third", mean, 100*far)
			assert.Less(t, mean, 0.6, "mean difference, of 255")
			assert.Less(t, far, 0.0005, "share of pixels that differ by more than a third")
		})
	}
}

func keep(t *testing.T, name string, img image.Image) {
	t.Helper()
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, img))
	require.NoError(t, f.Close())
}

// fontsFor returns a configuration with the two fonts of package raster and no others.
func fontsFor(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, font := range map[string][]byte{"r.ttf": gomono.TTF, "b.ttf": gomonobold.TTF} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), font, 0o600))
	}
	conf := filepath.Join(dir, "fonts.conf")
	text := "<fontconfig><dir>" + dir + "</dir><cachedir>" + dir + "</cachedir></fontconfig>"
	require.NoError(t, os.WriteFile(conf, []byte(text), 0o600))
	return conf
}

// difference compares the lightness of pixels: the mean difference, and the share of those that differ
// by more than a third.
func difference(a, b image.Image) (mean, far float64) {
	light := func(img image.Image, x, y int) int { return int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y) }
	r := a.Bounds()
	for y := range r.Dy() {
		for x := range r.Dx() {
			d := light(a, x, y) - light(b, x, y)
			if d = max(d, -d); d > 85 {
				far++
			}
			mean += float64(d)
		}
	}
	n := float64(r.Dx() * r.Dy())
	return mean / n, far / n
}

// TestRefused: what cannot be drawn is an error, and no input panics.
func TestRefused(t *testing.T) {
	wrap := func(body string) string { return `<svg viewBox="0 0 10 10">` + body + `</svg>` }
	for name, c := range map[string]struct{ svg, says string }{
		"nothing":           {"", "not a drawing"},
		"text":              {"abc", "not a drawing"},
		"not closed":        {"<svg><g>", "unexpected EOF"},
		"no size":           {"<svg/>", "viewBox"},
		"a huge size":       {`<svg viewBox="0 0 1000000 1000000"/>`, "at most"},
		"a flat one":        {`<svg viewBox="0 0 1e6 1"/>`, ""},
		"an ellipse":        {wrap(`<ellipse/>`), `element "ellipse"`},
		"an arc":            {wrap(`<path d="M0 0Q1 1 2 2"/>`), "coordinate"},
		"a path without M":  {wrap(`<path d="L0 0"/>`), "begin"},
		"a name of colours": {wrap(`<rect fill="red" width="1" height="1"/>`), `colour "red"`},
		"a lost pattern":    {wrap(`<rect fill="url(#p)" width="1" height="1"/>`), "no pattern"},
		"a lost marker":     {wrap(`<path marker-end="url(#p)" d="M0 0L1 1"/>`), "no marker"},
		"a media query":     {wrap(`<style>@media print{a{fill:#fff}}</style>`), "style sheet"},
		"a property":        {wrap(`<style>a{filter:blur}</style>`), `"filter"`},
		"no number":         {wrap(`<rect x="NaN"/>`), "x="},
		"a skewed group":    {wrap(`<g transform="skewX(3)"><rect/></g>`), "transform"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := raster.Draw(c.svg, 0)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}

func FuzzDraw(f *testing.F) {
	for _, file := range []string{"strip", "spacetime"} {
		text, err := os.ReadFile("../picture/testdata/" + file + ".svg")
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add(`<svg viewBox="0 0 9 9"><path d="M0 0z"/><path marker-end="url(#a)" d="z"/><text>&#x4e2d;</text></svg>`)
	f.Fuzz(func(t *testing.T, svg string) {
		if len(svg) < 20_000 {
			_, _ = raster.Draw(svg, 64)
		}
	})
}
