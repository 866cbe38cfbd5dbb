package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A jsonShape is the required form of a part of an answer: a map for an object, with all its
// keys; a slice of one jsonShape for a list; else one of the words.
type jsonShape = any

var runShape = map[string]jsonShape{
	"version": "integer", "command": "text", "target": "text", "exit": "integer", "findings": []jsonShape{"finding"},
	"ok": "bool", "schedules": "integer", "complete": "bool", "deadlock": deadlockShape,
	"outcomes": []jsonShape{map[string]jsonShape{
		"vars": "vars", "files": "files", "schedules": "integer", "allowed": "bool", "witness": "text", "reason": "text", "always": "bool", "text": []jsonShape{"text"},
	}},
	"races": []jsonShape{map[string]jsonShape{
		"file": "text", "bytes": "pair", "a": partyShape, "b": partyShape,
		"missing": "missing", "rule": "text", "fix": "text", "have": []jsonShape{"text"}, "late": "text", "or": []jsonShape{"text"}, "views": "text", "view_command": "text", "replay": "text",
	}},
	"errors": []jsonShape{map[string]jsonShape{"rank": "integer", "line": "integer", "class": "text", "rule": "text", "text": "text"}},
	"unmet":  []jsonShape{map[string]jsonShape{"line": "integer", "text": "text"}},
	"looks": []jsonShape{map[string]jsonShape{
		"rank": "integer", "line": "integer", "text": "text", "version": "integer", "newest": "integer", "unpublished": []jsonShape{"pair"},
		"may": []jsonShape{map[string]jsonShape{
			"bytes":  "pair",
			"values": []jsonShape{map[string]jsonShape{"from": "text", "rank": "integer", "line": "integer", "hex": "text"}},
		}},
	}},
}

var (
	partyShape    = map[string]jsonShape{"rank": "integer", "line": "integer", "op": "text"}
	deadlockShape = map[string]jsonShape{
		"ranks": []jsonShape{map[string]jsonShape{
			"rank": "integer", "line": "integer", "waits": "text", "needs": "text", "missing": []jsonShape{"integer"},
			"unreceived": []jsonShape{map[string]jsonShape{"source": "integer", "tag": "integer", "comm": "text", "count": "integer", "line": "integer"}},
		}},
		"replay": "text",
	}
)

// hasShape checks v, which was decoded with numbers as json.Number.
func hasShape(t *testing.T, at string, v any, want jsonShape) {
	t.Helper()
	switch want := want.(type) {
	case map[string]jsonShape:
		if v == nil && at == ".deadlock" {
			return
		}
		m, ok := v.(map[string]any)
		require.True(t, ok, "%s is not an object: %v", at, v)
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(m)), "the keys of %s", at)
		for k, s := range want {
			hasShape(t, at+"."+k, m[k], s)
		}
	case []jsonShape:
		l, ok := v.([]any)
		require.True(t, ok, "%s is not a list, not even an empty one: %v", at, v)
		for _, x := range l {
			hasShape(t, at+"[]", x, want[0])
		}
	case string:
		require.True(t, isWord(v, want), "%s is not of kind %s: %v", at, want, v)
	}
}

func isWord(v any, kind string) bool {
	switch kind {
	case "bool":
		_, ok := v.(bool)
		return ok
	case "integer":
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		_, err := n.Int64()
		return err == nil
	case "text":
		_, ok := v.(string)
		return ok
	case "finding": // docs/schema has its fields, and tests of tools/schema compare
		m, _ := v.(map[string]any)
		return m["kind"] != nil && m["places"] != nil && m["text"] != nil
	case "missing":
		s, _ := v.(string)
		return slices.Contains([]string{"writer-sync", "order", "reader-sync"}, s)
	case "pair":
		l, ok := v.([]any)
		return ok && len(l) == 2 && isWord(l[0], "integer") && isWord(l[1], "integer")
	case "vars", "files":
		m, ok := v.(map[string]any)
		for _, x := range m {
			ok = ok && (isWord(x, "hex") || kind == "vars" && isWord(x, "integer"))
		}
		return ok
	case "hex":
		s, ok := v.(string)
		for i := range len(s) {
			ok = ok && bytes.IndexByte([]byte("0123456789abcdef."), s[i]) >= 0
		}
		return ok && len(s)%2 == 0
	}
	return false
}

// TestRunJSON: the output of run --json has the same keys and kinds for all results of a
// script, including empty lists, and the exit status is that of the manual.
func TestRunJSON(t *testing.T) {
	const racing = "ranks 2\nfile f = 00*4\nall: open h f rdwr\n0: write_at h 0 byte 7\n1: read_at h 0 byte*2 -> x\n get_size h -> n\nall: close h\n"
	for _, c := range []struct {
		name, text string
		exit       int
		flags      []string
		has        func(t *testing.T, all map[string]any)
	}{
		{"an outcome", "ranks 1\nfile f = 0102\nall: open h f rdonly\nread_at h 0 byte*2 -> x\nclose h\nallow 0:x = 1 2\nnorace\n", 0, nil, func(t *testing.T, all map[string]any) {
			o := all["outcomes"].([]any)[0].(map[string]any)
			assert.Equal(t, map[string]any{"0.x": "0102"}, o["vars"])
			assert.Equal(t, map[string]any{"f": "0102"}, o["files"])
			assert.Equal(t, true, o["allowed"])
			assert.Nil(t, all["deadlock"])
			assert.Equal(t, true, all["ok"])
		}},
		{"an expectation that fails", "ranks 1\nfile f = 01\nall: open h f rdonly\nget_size h -> n\nclose h\nallow 0:n = 5\n", 1, nil, func(t *testing.T, all map[string]any) {
			assert.Equal(t, false, all["ok"])
			assert.Equal(t, json.Number("1"), all["outcomes"].([]any)[0].(map[string]any)["vars"].(map[string]any)["0.n"])
			assert.NotEmpty(t, all["unmet"])
		}},
		{"a race that is announced", racing + "race\n", 0, nil, func(t *testing.T, all map[string]any) {
			r := all["races"].([]any)[0].(map[string]any)
			assert.Equal(t, []any{json.Number("0"), json.Number("1")}, r["bytes"])
			assert.Equal(t, map[string]any{"rank": json.Number("0"), "line": json.Number("4"), "op": "write_at"}, r["a"])
			assert.Equal(t, map[string]any{"rank": json.Number("1"), "line": json.Number("5"), "op": "read_at"}, r["b"])
			assert.Equal(t, "order", r["missing"])
			assert.Equal(t, "CONS-C2", r["rule"])
		}},
		{"a race that is not", racing, 3, nil, func(t *testing.T, all map[string]any) { assert.NotEmpty(t, all["races"]) }},
		{"all schedules of it", racing + "race\n", 0, []string{"--explore"}, func(t *testing.T, all map[string]any) {
			assert.GreaterOrEqual(t, len(all["outcomes"].([]any)), 2)
			assert.Equal(t, true, all["complete"])
		}},
		{"all schedules of it under chaos", racing + "race\n", 0, []string{"--explore", "--model", "chaos:1"}, func(t *testing.T, all map[string]any) {
			assert.Equal(t, false, all["complete"])
			assert.Contains(t, all["why"], "under the model chaos, a race")
			delete(all, "why")
		}},
		{"bytes no rank wrote", "ranks 1\nall: open h f rdwr|create\nwrite_at h 2 byte 9\nclose h\n", 0, nil, func(t *testing.T, all map[string]any) {
			assert.Equal(t, map[string]any{"f": "....09"}, all["outcomes"].([]any)[0].(map[string]any)["files"])
		}},
		{"an error", "ranks 1\nfile f = 00\n0: open h f rdonly\nwrite_at h 0 byte 1\nclose h\nerror READ_ONLY at 0:4\n", 0, nil, func(t *testing.T, all map[string]any) {
			e := all["errors"].([]any)[0].(map[string]any)
			assert.Equal(t, "READ_ONLY", e["class"])
			assert.Equal(t, "IO-AMODE-10", e["rule"])
		}},
		{"a deadlock", "ranks 2\n0: recv 1 0 int*1 -> x\n1: barrier\ndeadlock\n", 0, nil, func(t *testing.T, all map[string]any) {
			assert.Len(t, all["deadlock"].(map[string]any)["ranks"], 2)
			assert.Empty(t, all["outcomes"])
		}},
		{"what a deadlock lacks", "ranks 2\n0: send 1 5 int 1\nbarrier\n1: recv 0 7 int*1 -> x\ndeadlock\n", 0, nil, func(t *testing.T, all map[string]any) {
			ranks := all["deadlock"].(map[string]any)["ranks"].([]any)
			barrier, recv := ranks[0].(map[string]any), ranks[1].(map[string]any)
			assert.Equal(t, "all ranks of COMM_WORLD", barrier["needs"])
			assert.Equal(t, []any{json.Number("1")}, barrier["missing"])
			assert.Empty(t, recv["missing"])
			m := recv["unreceived"].([]any)[0].(map[string]any)
			assert.Equal(t, map[string]any{"source": json.Number("0"), "tag": json.Number("5"), "comm": "COMM_WORLD", "count": json.Number("1"), "line": json.Number("2")}, m)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.mpio")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			code, out, errs := cli(append([]string{"run", "--json", path}, c.flags...)...)
			assert.Equal(t, c.exit, code, "%s", errs)
			d := json.NewDecoder(bytes.NewReader([]byte(out)))
			d.UseNumber()
			var all map[string]any
			require.NoError(t, d.Decode(&all), "%s", out)
			assert.False(t, d.More(), "one object")
			c.has(t, all)
			hasShape(t, "", all, runShape)
		})
	}
	t.Run("a script that is wrong", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.mpio")
		require.NoError(t, os.WriteFile(path, []byte("ranks 0\n"), 0o600))
		code, out, errs := cli("run", "--json", path)
		assert.Equal(t, 2, code)
		var all map[string]any
		require.NoError(t, json.Unmarshal([]byte(out), &all), out)
		assert.Equal(t, false, all["ok"])
		assert.Contains(t, all["error"], "0 ranks: a script has 1 to 4096")
		assert.NotEmpty(t, errs)
	})
}
