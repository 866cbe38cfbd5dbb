package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// A value is shown by its type, also in the file: 5, and not 05000000 beside it.
func TestFileByType(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"etype of the view", "all: view h 0 int int native\n0: write_at h 0 int 5 -1\n", "int 5 -1"},
		{"a displacement of whole items", "all: view h 4 int int native\n0: write_at h 0 int 5\n", "int ? 5"},
		{"other displacement", "all: view h 2 int int native\n0: write_at h 0 int 5\n", ".... int 5"},
		{"no view", "0: write_at h 8 double 1.5\n", "double ? 1.5"},
		{"no view, between items", "0: write_at h 4 double 1.5\n", "........, double 1.5"},
		{"equal neighbours", "0: write_at h 0 short 7*3\n", "short 7*3"},
		{"two types", "0: write_at h 0 int 5\n0: write_at h 8 double 1\n", "int 5, ........, double 1"},
		{"two displacements", "all: view h 0 int int native\n0: write_at h 0 int 5\nall: view h 2 int int native\n", "int 5"},
		{"another representation", "all: view h 0 int int external32\n0: write_at h 0 int 5\n", "int 5"},
		{"text", "0: write_at h 0 \"BBBB\"\n", `"BBBB"`},
		{"bytes", "0: write_at h 0 byte 7 0\n", "0700"},
		{"nothing", "0: get_size h -> n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := script.Parse("ranks 1\n0: open h f create|rdwr\n" + c.text + "0: close h\n")
			require.NoError(t, err)
			rep, err := script.Run(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.Empty(t, rep.Failures)
			got := rep.Outcomes[0].Ending.Files["f"]
			assert.Equal(t, c.want, got.Text())
		})
	}
}

// TestValuesOfKinds: a file of several kinds shows what each line wrote as values of its kind, and
// in hexadecimal what is not whole items of one kind any more, or may have another form.
func TestValuesOfKinds(t *testing.T) {
	for text, want := range map[string]string{
		"write_at h 0 int 5\n write_at h 4 double 1.5":                                                                           "int 5, double 1.5",
		"write_at h 0 \"abcd\"\n write_at h 4 int 5 6":                                                                           `"abcd", int 5 6`,
		"write_at h 0 byte 7\n write_at h 2 short 1\n write_at h 4 int 3":                                                        "07.., short 1, int 3",
		"write_at h 0 int 5 6\n write_at h 2 byte 9*4":                                                                           "0500090909090000",
		"write_at h 0 int 5 6\n write_at h 4 double 2.5":                                                                         "int 5, double 2.5",
		"write_at h 0 short 1\n view h 2 int int native\n write_at h 0 int 5":                                                    "short 1, int 5",
		"write_at h 0 short 1\n view h 2 int int external32\n write_at h 0 int 5":                                                "short 1, external32 int 5",
		"write_at h 8 short 1\n view h 0 int int internal\n write_at h 0 int 5":                                                  "00000005........, short 1",
		"view h 0 int int native\n write_at h 0 int 5\n view h 4 int int external32\n write h int 6":                             "int 5, external32 int 6",
		"view h 0 int int external32\n write_at h 0 int 5\n view h 4 double double native\n write_at h 0 double 1.5":             "external32 int 5, double 1.5",
		"view h 0 int int external32\n write_at h 0 int 5\n close h\n open h f rdwr\n write_at h 4 int 6\n write_at h 8 short 1": "external32 int 5, int 6, short 1",
		"write h int 5\n write h short 6":                                                                                        "050000000600",
	} {
		s, err := script.Parse("ranks 1\nall:\n open h f rdwr|create\n " + text + "\n close h\n")
		require.NoError(t, err, text)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		assert.Equal(t, want, rep.Outcomes[0].Ending.Files["f"].Text(), text)
	}
}

// TestValuesOfViews: which view a rank has at a line decides what its writes leave, also where ranks
// have different ones, a repeat changes it, or the call that sets it fails.
func TestValuesOfViews(t *testing.T) {
	for text, want := range map[string]string{
		"ranks 2\n0:\n self open h f rdwr|create\n view h 0 int int external32\n barrier\n1:\n barrier\n self open h f rdwr\n0: write_at h 0 int 5\nall: close h\n":            "int 5",
		"ranks 2\nall: self open h f rdwr|create\n0:\n view h 0 int int external32\n write_at h 0 int 5\n1: write_at h 8 int 6\nall: close h\n":                                "external32 int 5, ........, int 6",
		"ranks 1\n0:\n open h f rdwr|create\n view h 0 int int native\n repeat 2:\n  write_at h 0 int 5\n  view h 8 int int external32\n close h\n":                            "05000000........00000005",
		"ranks 1\n0:\n open h f rdwr|create\n view h 1 byte byte native\n write_at h 0 int 5 6\n write_at h 0 byte 9*3\n write_at h 7 byte 9\n close h\n":                      "..0909090006000009",
		"ranks 1\nmachine 0 lp64be\nall: open h f rdwr|create\nall: write_at h 0 int 5\nall: close h\n":                                                                        "00000005",
		"ranks 1\nall: open h f rdwr|create\nall: open g f rdwr\nall: view h 2 int int native\nall: write_at h 1 int 7\nall: write_at g 0 int 5\nall: close g\nall: close h\n": "int 5, ...., int 7",
	} {
		s, err := script.Parse(text)
		require.NoError(t, err, text)
		rep, err := script.Explore(t.Context(), s, script.Options{})
		require.NoError(t, err)
		require.Len(t, rep.Outcomes, 1)
		assert.Equal(t, want, rep.Outcomes[0].Ending.Files["f"].Text(), text)
		assert.True(t, rep.Outcomes[0].Allowed)
	}
}
