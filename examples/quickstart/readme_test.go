package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// place is a line of a program as it is in reports.
var place = regexp.MustCompile(`\w+\.go:\d+`)

// TestReadme: a newcomer must see what the README promises to the letter.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := place.ReplaceAllString(string(b), "LINE")
	shown := func(text, indent string) {
		text = place.ReplaceAllString(text, "LINE")
		text = indent + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+indent)
		assert.Contains(t, readme, text)
	}

	err = world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		_, err := iofile.Open(c, iofile.NewMem(), "grid", iofile.ReadOnly)
		return err
	})
	var e *iofile.Error
	require.ErrorAs(t, err, &e)
	shown(e.Error(), "    ")

	err = world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			_, err := c.Recv(types.Of(make([]byte, 1)), 1, 7)
			return err
		}
		return c.Barrier()
	})
	require.Error(t, err)
	shown(err.Error(), "    ")
}
