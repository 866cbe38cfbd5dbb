package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func Example() {
	fmt.Println(run(nil))
	// Output:
	// cdf1.nc by 1 ranks: 988 bytes, sha256 9bc04933d0c1967f
	// cdf1.nc by 2 ranks: 988 bytes, sha256 9bc04933d0c1967f
	// cdf1.nc by 3 ranks: 988 bytes, sha256 9bc04933d0c1967f
	// cdf1.nc by 4 ranks: 988 bytes, sha256 9bc04933d0c1967f
	// cdf1.nc by 5 ranks: 988 bytes, sha256 9bc04933d0c1967f
	// cdf1.nc by 7 ranks: 988 bytes, sha256 9bc04933d0c1967f
	// cdf2.nc by 1 ranks: 1004 bytes, sha256 545271680bc53a17
	// cdf2.nc by 2 ranks: 1004 bytes, sha256 545271680bc53a17
	// cdf2.nc by 3 ranks: 1004 bytes, sha256 545271680bc53a17
	// cdf2.nc by 4 ranks: 1004 bytes, sha256 545271680bc53a17
	// cdf2.nc by 5 ranks: 1004 bytes, sha256 545271680bc53a17
	// cdf2.nc by 7 ranks: 1004 bytes, sha256 545271680bc53a17
	// cdf5.nc by 1 ranks: 1412 bytes, sha256 9a24d1e753e707f8
	// cdf5.nc by 2 ranks: 1412 bytes, sha256 9a24d1e753e707f8
	// cdf5.nc by 3 ranks: 1412 bytes, sha256 9a24d1e753e707f8
	// cdf5.nc by 4 ranks: 1412 bytes, sha256 9a24d1e753e707f8
	// cdf5.nc by 5 ranks: 1412 bytes, sha256 9a24d1e753e707f8
	// cdf5.nc by 7 ranks: 1412 bytes, sha256 9a24d1e753e707f8
	// <nil>
}

// TestNetCDFTools lets the programs of two NetCDF libraries read the files. If it
// fails, the bytes are the same for any number of ranks, and wrong.
func TestNetCDFTools(t *testing.T) {
	dir := t.TempDir()
	assert.NoError(t, run([]string{dir}))
	for _, tool := range []struct{ name, packages string }{
		{"ncdump", "netcdf-bin"}, {"ncvalidator", "pnetcdf-bin"}, {"ncmpidump", "pnetcdf-bin"},
	} {
		t.Run(tool.name, func(t *testing.T) {
			if _, err := exec.LookPath(tool.name); err != nil {
				t.Skipf("SKIPPED: no %s here: apt-get install %s", tool.name, tool.packages)
			}
			for _, name := range []string{"cdf1", "cdf2", "cdf5"} {
				cmd := exec.Command(tool.name, filepath.Join(dir, name+".nc"))
				// ncmpidump is an MPI program that starts alone.
				cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
				out, err := cmd.Output()
				assert.NoError(t, err, "%s", out)
				switch tool.name {
				case "ncdump":
					want, err := os.ReadFile(filepath.Join("testdata", name+".cdl"))
					assert.NoError(t, err)
					assert.Equal(t, string(want), string(out))
				case "ncvalidator":
					assert.Contains(t, string(out), "is a valid NetCDF classic CDF-"+name[3:]+" file")
				default:
					assert.Contains(t, string(out), "3 currently")
					assert.Contains(t, string(out), "278.65")
				}
			}
		})
	}
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "-1"}), `-ranks -1: 1 to 1000`)
	assert.EqualError(t, run([]string{"a", "b"}), `"b": one directory at most`)
	assert.NoError(t, run([]string{"-ranks", "6"}))
}
