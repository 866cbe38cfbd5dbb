package lab_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/raster"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// TestFrames: the slides of a run have each of its steps, the line that runs, no answer before the end,
// and can be drawn as pictures of 16 by 9.
func TestFrames(t *testing.T) {
	for _, name := range []string{"01-stale", "05-message", "09-deadlock", "18-cyclic"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("lessons/" + name + ".mpio")
			require.NoError(t, err)
			s, err := script.Parse(string(text))
			require.NoError(t, err)
			rep, err := script.Run(t.Context(), s, script.Options{Moments: true})
			require.NoError(t, err)
			all, err := lab.Frames(t.Context(), rep)
			require.NoError(t, err)
			for i, svg := range all[:len(all)-1] {
				assert.Contains(t, svg, `width="1280" height="720"`)
				assert.NotContains(t, svg, "var(")
				assert.False(t, strings.Contains(svg, `class="race"`), "slide %d has the race", i)
				for _, word := range []string{">allow ", ">race<", ">norace<", ">deadlock<"} {
					assert.False(t, strings.Contains(svg, word), "slide %d has %s, which tells the end", i, word)
				}
			}
			assert.True(t, strings.Contains(all[len(all)-1], `class="cell`), "the last slide has the diagram")
			title := `class="h">` + strconv.Itoa(s.Ranks) + " rank"
			assert.Equal(t, 1, strings.Count(all[len(all)-1], title), "the last slide has its title once")
			img, err := raster.Draw(all[len(all)/2], 640)
			require.NoError(t, err)
			assert.Equal(t, 360, img.Bounds().Dy())
		})
	}
	t.Run("without moments", func(t *testing.T) {
		s, err := script.Parse("ranks 1\nall:\n  barrier\n")
		require.NoError(t, err)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		_, err = lab.Frames(t.Context(), rep)
		require.ErrorContains(t, err, "script.Options.Moments")
	})
}
