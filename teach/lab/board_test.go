package lab_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// boardAt returns the words of the pictures after some steps of a script, by their titles.
func boardAt(t *testing.T, text string, step int) map[string]string {
	t.Helper()
	a := ask(t, map[string]any{"do": "step", "script": text, "step": step})
	assert.NotContains(t, a, "problem")
	all := map[string]string{}
	for _, p := range a["board"].([]any) {
		p := p.(map[string]any)
		wellFormed(t, p["drawing"])
		all[p["title"].(string)] = p["words"].(string)
	}
	return all
}

func lessonText(t *testing.T, name string) string {
	t.Helper()
	return ask(t, map[string]any{"do": "lesson", "name": name})["script"].(string)
}

// The picture of the stale read shows what each rank may read at the item, by its type.
func TestBoardOfStaleRead(t *testing.T) {
	at := boardAt(t, lessonText(t, "01-stale"), 5)
	assert.Equal(t, "file f, published, version 1: byte 0: 5 (rank 0, line 7), in the view of rank 0, in the view of rank 1;\n", at["file f"])
	assert.Equal(t, "rank 1, may read of f by h (version 0 of 1, by line 9): byte 0: 0 (before the run) or 5 (rank 0, line 7);\n", at["rank 1"])
	at = boardAt(t, lessonText(t, "01-stale"), 3)
	assert.Contains(t, at["rank 0"], "rank 0, memory of write_at: byte 0: 5;")
	assert.Contains(t, at["rank 0"], "byte 0: 5 (rank 0, line 7), not published;")
	at = boardAt(t, lessonText(t, "01-stale"), 7)
	assert.Contains(t, at["rank 1"], "rank 1, memory: x: byte 0: 0;")
}

// Lesson 10: the memory with its border stands beside the file, both in rows of their array.
func TestBoardOfGhostCells(t *testing.T) {
	at := boardAt(t, lessonText(t, "24-ghost-cells"), 3)
	assert.Contains(t, at["rank 0"], `rank 0, memory of write_at_all: byte 7: a; byte 8: b; byte 9: c; byte 10: d; byte 13: e;`)
	assert.Contains(t, at["rank 0"], "byte 0: a (rank 0, line 6), not published;")
	assert.NotContains(t, at["file f"], ": a", "no rank has synced yet")
	assert.NotContains(t, at["rank 0"], "byte 9: j", "it is not in the view of rank 0")
	assert.Contains(t, at["rank 1"], "byte 8: i (rank 1, line 8), not published;")
}

// A file of many items shows the part that ranks write, and says that there is more.
func TestBoardOfManyItems(t *testing.T) {
	at := boardAt(t, "ranks 1\nfile f = 00*4000\nall:\n  open h f rdwr\n  write_at h 2000 byte 7*3\n  sync h\n  close h\n", 3)
	assert.Contains(t, at["file f"], "byte 2002: 07")
	assert.Contains(t, at["file f"], "items 2000 to 2127 of 4000")
}

// Items that are written in part fall into their bytes, and no byte is left out.
func TestBoardOfPartlyWrittenItems(t *testing.T) {
	at := boardAt(t, "ranks 2\nfile f = 00*8\nall:\n  open h f rdwr\n0:\n  write_at h 0 int 258 3\n1:\n  write_at h 2 byte 9\nall:\n  close h\n", 3)
	assert.Contains(t, at["rank 0"], "byte 0: 02 01 (rank 0, line 6), not published; byte 2: 00 (rank 0, line 6) or 09 (rank 1, line 8), not published; byte 3: 00")
	assert.Contains(t, at["rank 0"], "byte 4: 3 (rank 0, line 6), not published;")
}

// Each rank of every lesson has a picture at every step that is tried.
func TestBoardOfEveryLesson(t *testing.T) {
	for _, name := range names(t) {
		if !strings.Contains(name, "-") || strings.HasPrefix(name, "lit") {
			continue
		}
		text := lessonText(t, name)
		steps := ask(t, map[string]any{"do": "run", "script": text})["steps"].([]any)
		boardAt(t, text, len(steps)/2)
	}
}
