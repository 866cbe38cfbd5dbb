package lab_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
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

// If a script of the menu had no number, or a wrong one, a student would not find its lesson.
func TestLessonsOfCourse(t *testing.T) {
	last, seen := 0, map[int]bool{}
	for _, l := range ask(t, map[string]any{"do": "lessons"})["lessons"].([]any) {
		l := l.(map[string]any)
		if l["kind"] != "lesson" {
			assert.Nil(t, l["course"])
			continue
		}
		number := int(l["course"].(float64))
		assert.GreaterOrEqual(t, number, last, "in the order of the course")
		last = number
		seen[number] = true
		pages, err := filepath.Glob(fmt.Sprintf("../course/%02d-*/lesson.md", number))
		require.NoError(t, err)
		if assert.Len(t, pages, 1, l["name"]) {
			page, err := os.ReadFile(pages[0])
			require.NoError(t, err)
			assert.Contains(t, string(page), fmt.Sprintf("number %d of ", number), "the page names the script")
		}
	}
	pages, err := filepath.Glob("../course/[0-9]*/lesson.md")
	require.NoError(t, err)
	assert.Len(t, seen, len(pages), "every lesson has a script")
}

// If the script wrote other bytes than the lesson's program, ncdump would not read them.
func TestNetCDFLesson(t *testing.T) {
	text := ask(t, map[string]any{"do": "lesson", "name": "28-netcdf"})["script"].(string)
	s, err := script.Parse(text)
	require.NoError(t, err)
	rep, err := script.Run(context.Background(), s, script.Options{})
	require.NoError(t, err)
	require.Len(t, rep.Outcomes, 1)
	page, err := os.ReadFile("../course/20-netcdf/lesson.md")
	require.NoError(t, err)
	text = string(rep.Outcomes[0].Ending.Files["t.nc"].Bytes)
	assert.Contains(t, string(page), fmt.Sprintf("%d bytes, sha256 %.8x\n", len(text), sha256.Sum256([]byte(text))))
}

// Every script of the page can be run, stepped through and explored, and the page shows
// the results of package script.
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
		steps := ask(t, map[string]any{"do": "step", "script": text, "step": 0})["of"].(float64)
		for n := range int(steps) + 1 {
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
	lab.InTime(f)
	for _, name := range names(f) {
		text := ask(f, map[string]any{"do": "lesson", "name": name})["script"].(string)
		for _, do := range []string{"run", "step", "explore", "models", "fix", "views", "view", "accesses", "access"} {
			request, err := json.Marshal(map[string]any{"do": do, "script": text, "step": 3})
			require.NoError(f, err)
			f.Add(request)
		}
	}
	f.Add([]byte(`{"do":"view","view":{"ranks":2,"disp":"r*4","etype":"int","filetype":"resized(int, 0, n*4)","rep":"native","bytes":40}}`))
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

// The drawings have not changed. -update writes new ones, which a person must then check.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"01-stale", "05-message", "09-deadlock", "07-overlap", "token-ring-racy"} {
		t.Run(name, func(t *testing.T) {
			s, err := script.Parse(ask(t, map[string]any{"do": "lesson", "name": name})["script"].(string))
			require.NoError(t, err)
			rep, err := script.Run(context.Background(), s, script.Options{Moments: true})
			require.NoError(t, err)
			drawing, err := lab.SpaceTime(rep)
			require.NoError(t, err)
			golden(t, name+".svg", drawing)
			steps, err := lab.Steps(context.Background(), rep)
			require.NoError(t, err)
			golden(t, name+".steps", steps)
			page, err := lab.HTML(context.Background(), rep)
			require.NoError(t, err)
			assert.Equal(t, len(rep.Stages())+1, strings.Count(page, `<section class="step"`))
			assert.NotContains(t, page, "{{")
			assert.NotContains(t, strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http", "it needs nothing from elsewhere")
			assert.Less(t, len(page), 100_000)
		})
	}
	t.Run("too many calls", func(t *testing.T) {
		s, err := script.Parse("ranks 1025\nall: barrier\n")
		require.NoError(t, err)
		rep := &script.Report{Script: s, Log: make([]*script.Event, 4100)}
		_, err = lab.SpaceTime(rep)
		assert.EqualError(t, err, "4100 calls of 1025 ranks are too many to draw: at most 4092")
	})
	// The answer for a program with many ranks would show nothing, even after a long time.
	t.Run("steps until the time is over", func(t *testing.T) {
		s, err := script.Parse("ranks 2\nall: open h f rdwr|create\nall: write_at h r*4 int {r}\nall: close h\n")
		require.NoError(t, err)
		rep, err := script.Run(context.Background(), s, script.Options{Moments: true})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(context.Background())
		stop()
		steps, err := lab.Steps(ctx, rep)
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, fmt.Sprintf(" to %d are not shown", len(rep.Stages())))
		assert.Contains(t, steps, "step 0 ")
	})
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

// If this fails, the views shown are not those that the program sets.
func TestViewsOfProgram(t *testing.T) {
	const text = `ranks 3
all:
  open h f rdwr|create
  view h r*4 int resized(int,0,n*4) native
  write_at_all h 0 int r
0:
  view h 16 int int native
1-2:
  view h r float float native
all:
  close h
`
	list := ask(t, map[string]any{"do": "views", "script": text})["views"].([]any)
	require.Len(t, list, 2)
	view := func(i int, extra map[string]any) map[string]any {
		q := map[string]any{"do": "view", "script": text, "step": list[i].(map[string]any)["step"]}
		maps.Copy(q, extra)
		return q
	}
	a := ask(t, view(0, map[string]any{"view": map[string]any{"width": 3, "bytes": 36}}))
	wellFormed(t, a["drawing"])
	assert.Contains(t, a["words"], "4-7 16-19 28-31")
	assert.Equal(t, map[string]any{"rank": 1.0, "line": 4.0, "disp": 4.0, "etype": "int", "filetype": "resized(int, 0, 12)", "rep": "native"}, a["ranks"].([]any)[1])
	assert.Contains(t, a["words"], "disp      by rank: 0, 4, 8\netype     int: 4 bytes")
	a = ask(t, view(1, nil))
	assert.Equal(t, map[string]any{"rank": 0.0, "line": 7.0, "disp": 16.0, "etype": "int", "filetype": "int", "rep": "native"}, a["ranks"].([]any)[0])
	assert.Equal(t, map[string]any{"rank": 2.0, "line": 9.0, "disp": 2.0, "etype": "float", "filetype": "float", "rep": "native"}, a["ranks"].([]any)[2])

	for field, q := range map[string]map[string]any{
		"step":  {"do": "view", "script": text, "step": 1},
		"bytes": view(0, map[string]any{"view": map[string]any{"bytes": -1}}),
		"width": view(0, map[string]any{"view": map[string]any{"width": -1}}),
	} {
		p, _ := try(t, q)["problem"].(map[string]any)
		assert.Equal(t, field, p["field"], p)
	}
	refused := strings.Replace(text, "view h r*4 int resized(int,0,n*4)", "view h 0 int hindexed([1,1],[8,0],int)", 1)
	p, _ := try(t, map[string]any{"do": "view", "script": refused, "step": 2})["problem"].(map[string]any)
	assert.Contains(t, p["text"], "IO-VIEW-")
	wellFormed(t, p["drawing"])
	assert.Empty(t, ask(t, map[string]any{"do": "views", "script": "ranks 1\n0:\n  open h f rdwr|create\n  close h\n"})["views"])
}

// TestViewOfRequest: the views that lessons name in commands are drawn, and what is wrong is
// said at its field.
func TestViewOfRequest(t *testing.T) {
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
	wellFormed(t, ask(t, view(nil))["drawing"])
}
