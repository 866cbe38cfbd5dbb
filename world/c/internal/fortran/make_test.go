package fortran

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/world/c/include"
)

func TestMake(t *testing.T) {
	files, err := Make(include.Header, include.Functions)
	require.NoError(t, err)
	if dir := os.Getenv("OUT"); dir != "" {
		for n, s := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, n), []byte(s), 0o644))
		}
	}
}
