package picture_test

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
)

// TestRendered: slides and papers are not made by browsers. Drawings with variables for
// colours were black there.
func TestRendered(t *testing.T) {
	files, err := filepath.Glob("testdata/*.svg")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	more, err := filepath.Glob("../../../teach/lab/testdata/*.svg")
	require.NoError(t, err)
	for _, file := range append(files, more...) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".svg"), func(t *testing.T) {
			svg, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, word := range []string{"var(", "@media", "font:"} {
				assert.False(t, strings.Contains(string(svg), word), "%q, which only browsers know", word)
			}
			if _, err := exec.LookPath("rsvg-convert"); err != nil {
				t.Skip("SKIPPED: no rsvg-convert here, so no test looks at the pixels: apt-get install librsvg2-bin")
			}
			readable(t, svg)
		})
	}
}

// readable renders a drawing and checks its pixels: light paper, ink on it, and no large
// black areas.
func readable(t *testing.T, svg []byte) {
	t.Helper()
	cmd := exec.Command("rsvg-convert")
	cmd.Stdin = bytes.NewReader(svg)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, errs.String())
	img, err := png.Decode(bytes.NewReader(out))
	require.NoError(t, err)
	all, black, ink := img.Bounds().Dx()*img.Bounds().Dy(), 0, 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			switch l := light(img, x, y); {
			case l < 20:
				black++
			case l < 90:
				ink++
			}
		}
	}
	assert.Greater(t, light(img, 1, 1), 240, "the paper is white")
	assert.Less(t, black*50, all, "black pixels")
	assert.Greater(t, ink*5000, all, "pixels of text and lines")
}

// light returns the lightness of a pixel, 0 to 255.
func light(img image.Image, x, y int) int {
	return int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
}
