package lab_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/lab"
	"github.com/commworld/commworld/script"
)

// ask returns the answer to a request, which must have no problem.
func ask(t testing.TB, request map[string]any) map[string]any {
	t.Helper()
	a := try(t, request)
	require.Nil(t, a["problem"])
	return a
}

func try(t testing.TB, request map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(request)
	require.NoError(t, err)
	return decode(t, lab.Answer(context.Background(), text))
}

func decode(t testing.TB, answer []byte) map[string]any {
	t.Helper()
	var a map[string]any
	require.NoError(t, json.Unmarshal(answer, &a), "%s", answer)
	return a
}

// names lists the scripts of the page.
func names(t testing.TB) (all []string) {
	for _, l := range ask(t, map[string]any{"do": "lessons"})["lessons"].([]any) {
		all = append(all, l.(map[string]any)["name"].(string))
	}
	return all
}

// Every script of the page can be run, stepped through and explored, and what the page
// shows of it is what package script finds.
func TestEveryLesson(t *testing.T) {
	all := names(t)
	require.Greater(t, len(all), 200)
	for _, name := range all {
		t.Run(name, func(t *testing.T) {
			l := ask(t, map[string]any{"do": "lesson", "name": name})
			text := l["script"].(string)
			ran := ask(t, map[string]any{"do": "run", "script": text})
			wellFormed(t, ran["space_time"])
			steps := len(ran["steps"].([]any))
			for _, n := range []int{0, steps / 2, steps} {
				a := ask(t, map[string]any{"do": "step", "script": text, "step": n})
				for _, f := range a["files"].([]any) {
					wellFormed(t, f.(map[string]any)["drawing"])
				}
			}
			explored := ask(t, map[string]any{"do": "explore", "script": text})
			s, err := script.Parse(text)
			require.NoError(t, err)
			rep, err := script.Explore(context.Background(), s, script.Options{})
			require.NoError(t, err)
			assert.Len(t, explored["outcomes"], len(rep.Outcomes))
			assert.Len(t, explored["races"], len(rep.Races))
			assert.Equal(t, rep.OK(), explored["ok"])
		})
	}
}

// wellFormed fails if a drawing is not XML.
func wellFormed(t testing.TB, svg any) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg.(string)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if !assert.NoError(t, err, "%s", svg) {
			return
		}
	}
}

func TestStaleLesson(t *testing.T) {
	text := ask(t, map[string]any{"do": "lesson", "name": "01-stale"})["script"].(string)
	t.Run("CONS-D01 what rank 1 may read, step by step", func(t *testing.T) {
		var counts []int // of values that a read of rank 1 may return
		for n := range 13 {
			a := ask(t, map[string]any{"do": "step", "script": text, "step": n})
			for _, h := range a["files"].([]any)[0].(map[string]any)["handles"].([]any) {
				if h := h.(map[string]any); h["rank"] == 1.0 {
					counts = append(counts, len(h["may"].([]any)[0].(map[string]any)["values"].([]any)))
				}
			}
		}
		assert.Equal(t, []int{1, 2}, slices.Compact(counts), "the write makes it two values, and no statement makes it one again")
	})
	t.Run("applying the fix turns the race off", func(t *testing.T) {
		fixed := ask(t, map[string]any{"do": "fix", "script": text})
		a := ask(t, map[string]any{"do": "explore", "script": fixed["script"]})
		assert.Empty(t, a["races"])
		assert.Len(t, a["outcomes"], 1)
	})
	t.Run("models forgive or not", func(t *testing.T) {
		a := ask(t, map[string]any{"do": "models", "script": text})
		assert.Equal(t, []any{"weakest", "session", "commit", "POSIX"}, a["models"])
		assert.Len(t, a["rows"], 2)
	})
}

func problem(a map[string]any) string {
	p, _ := a["problem"].(map[string]any)
	text, _ := p["text"].(string)
	return text
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name    string
		request string
		want    string
	}{
		{"no JSON", `nonsense`, "not understood"},
		{"unknown field", `{"do":"run","scrypt":""}`, "unknown field"},
		{"two values", `{"do":"lessons"}{}`, "more than one value"},
		{"no question", `{}`, `no question ""`},
		{"no such lesson", `{"do":"lesson","name":"../lab"}`, "no lesson"},
		{"bad script", `{"do":"run","script":"ranks 2\nall:\n  opne h"}`, "opne"},
		{"bad model", `{"do":"run","script":"ranks 1","model":"best"}`, "no model"},
		{"step too far", `{"do":"step","script":"ranks 1\n0:\n  barrier","step":9}`, "steps 0 to 1"},
		{"negative step", `{"do":"step","script":"ranks 1\n0:\n  barrier","step":-1}`, "steps 0 to 1"},
		{"bad witness", `{"do":"run","script":"ranks 1\n0:\n  barrier","replay":"x"}`, "x"},
		{"nothing to fix", `{"do":"fix","script":"ranks 1\n0:\n  barrier"}`, "no race"},
		{"too long", `{"do":"run","script":"` + strings.Repeat(" ", lab.MaxRequest) + `"}`, "at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Contains(t, problem(decode(t, lab.Answer(context.Background(), []byte(c.request)))), c.want)
		})
	}
	t.Run("a place in the script", func(t *testing.T) {
		a := decode(t, lab.Answer(context.Background(), []byte(`{"do":"run","script":"ranks 2\nall:\n  opne h"}`)))
		p := a["problem"].(map[string]any)
		assert.Equal(t, 3.0, p["line"])
		assert.Equal(t, "script", p["field"])
	})
	t.Run("the context has ended", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		for _, do := range []string{"run", "step", "explore", "models", "fix"} {
			a := decode(t, lab.Answer(ctx, []byte(`{"do":"`+do+`","script":"ranks 2\nall:\n  barrier"}`)))
			assert.NotEmpty(t, problem(a), do)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, name := range names(f) {
		text := ask(f, map[string]any{"do": "lesson", "name": name})["script"].(string)
		for _, do := range []string{"run", "step", "explore", "models", "fix"} {
			request, err := json.Marshal(map[string]any{"do": do, "script": text, "step": 3})
			require.NoError(f, err)
			f.Add(request)
		}
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		assert.True(t, json.Valid(lab.Answer(ctx, request)))
	})
}

// Text of a program gets into no drawing as markup.
func TestHostileText(t *testing.T) {
	hostile := "ranks 1\nfile f = \"<script>alert(1)</script>&\x1b[31m\"\n0:\n  open h f rdwr\n  read_at h 0 byte*9 -> x\n  close h\n"
	drawings := []any{ask(t, map[string]any{"do": "run", "script": hostile})["space_time"]}
	for _, f := range ask(t, map[string]any{"do": "step", "script": hostile, "step": 2})["files"].([]any) {
		drawings = append(drawings, f.(map[string]any)["drawing"])
	}
	for _, d := range drawings {
		wellFormed(t, d)
		assert.NotContains(t, d, "<script")
		assert.NotContains(t, d, "\x1b")
	}
}

var update = flag.Bool("update", false, "write the golden drawings anew")

// The drawings are what they were; -update writes them anew, and then they have to be
// looked at.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"01-stale", "05-message", "09-deadlock", "07-overlap", "token-ring-racy"} {
		t.Run(name, func(t *testing.T) {
			s, err := script.Parse(ask(t, map[string]any{"do": "lesson", "name": name})["script"].(string))
			require.NoError(t, err)
			rep, err := script.Run(context.Background(), s, script.Options{Moments: true})
			require.NoError(t, err)
			golden(t, name+".svg", lab.SpaceTime(rep))
			steps, err := lab.Steps(context.Background(), rep)
			require.NoError(t, err)
			golden(t, name+".steps", steps)
			page, err := lab.HTML(context.Background(), rep)
			require.NoError(t, err)
			assert.Equal(t, len(rep.Moments), strings.Count(page, `<section class="step"`))
			assert.NotContains(t, page, "{{")
			assert.NotContains(t, strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http", "it needs nothing from elsewhere")
			assert.Less(t, len(page), 100_000)
		})
	}
	t.Run("without moments", func(t *testing.T) {
		_, err := lab.HTML(context.Background(), &script.Report{})
		assert.ErrorContains(t, err, "Moments")
	})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "%s; -update writes it anew", name)
}

func TestViewDesigner(t *testing.T) {
	presets := ask(t, map[string]any{"do": "presets"})["presets"].([]any)
	require.NotEmpty(t, presets)
	for _, p := range presets {
		p := p.(map[string]any)
		t.Run(p["name"].(string), func(t *testing.T) {
			a := ask(t, map[string]any{"do": "view", "view": p["view"]})
			wellFormed(t, a["drawing"])
			code := a["code"].(map[string]any)["a rank script"].(string)
			ran := ask(t, map[string]any{"do": "run", "script": code})
			assert.Empty(t, ran["errors"])
			plans := ask(t, map[string]any{"do": "plan", "view": p["view"], "plan": map[string]any{"count": 8, "nodes": 2, "buffer": 64}})["plans"].([]any)
			assert.Len(t, plans, 4)
			for _, p := range plans {
				wellFormed(t, p.(map[string]any)["drawing"])
			}
		})
	}
	view := func(change map[string]any) map[string]any {
		v := map[string]any{"ranks": 2, "disp": "r*4", "etype": "int", "filetype": "resized(int, 0, 8)", "rep": "native"}
		maps.Copy(v, change)
		return map[string]any{"do": "view", "view": v}
	}
	for _, c := range []struct {
		change      map[string]any
		field, want string
	}{
		{map[string]any{"ranks": 0}, "ranks", "1 to 64"},
		{map[string]any{"ranks": 1 << 30}, "ranks", "1 to 64"},
		{map[string]any{"disp": "r*"}, "disp", "column"},
		{map[string]any{"disp": "-1"}, "disp", "IO-VIEW-1"},
		{map[string]any{"etype": "itn"}, "etype", "itn"},
		{map[string]any{"filetype": "hindexed([1,1], [8,0], int)"}, "filetype", "IO-VIEW-"},
		{map[string]any{"bytes": -1}, "bytes", "at least 0"},
		{map[string]any{"width": -1}, "width", "at least 0"},
	} {
		a := try(t, view(c.change))
		p, _ := a["problem"].(map[string]any)
		if assert.NotNil(t, p, c.change) {
			assert.Equal(t, c.field, p["field"], c.change)
			assert.Contains(t, p["text"], c.want)
		}
	}
	assert.Contains(t, problem(try(t, map[string]any{"do": "view"})), "no views")
	big := view(nil)
	big["do"], big["plan"] = "plan", map[string]any{"count": int64(1) << 40, "nodes": 1, "buffer": 1}
	assert.Contains(t, problem(try(t, big)), "are planned here")
}
