package lab

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

func init() { thorough.Fewer() }

// Requests are read as encoding/json reads them.
func TestReadRequest(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("\"\\/\b\f\n\r\t<>&\u2028\u0000\x7f\U0001F600aé"))))
	small := rapid.IntRange(-3, 300)
	rapid.Check(t, func(t *rapid.T) {
		want := Request{Do: text.Draw(t, "do"), Script: text.Draw(t, "script"), Name: text.Draw(t, "name"), Replay: text.Draw(t, "replay"), Model: text.Draw(t, "model"), Step: rapid.Int().Draw(t, "step"), Compare: rapid.Bool().Draw(t, "compare")}
		if rapid.Bool().Draw(t, "a view") {
			want.View = &ViewRequest{small.Draw(t, "ranks"), text.Draw(t, "disp"), text.Draw(t, "etype"), text.Draw(t, "filetype"), text.Draw(t, "rep"), rapid.Int64().Draw(t, "width"), rapid.Int64().Draw(t, "bytes")}
		}
		if rapid.Bool().Draw(t, "a plan") {
			want.Plan = &PlanRequest{small.Draw(t, "nodes"), rapid.Int64().Draw(t, "buffer")}
		}
		written, err := json.Marshal(&want)
		require.NoError(t, err)
		if rapid.Bool().Draw(t, "spaces") {
			var b bytes.Buffer
			require.NoError(t, json.Indent(&b, written, " ", "\t"))
			written = b.Bytes()
		}
		got, err := readRequest(written)
		require.NoError(t, err, "%s", written)
		var read Request
		require.NoError(t, json.Unmarshal(written, &read))
		assert.Equal(t, &read, got)
	})
	for request, want := range map[string]struct{ field, text string }{
		`{"view":{"width":1.5}}`:                {"width", `"1.5" is not a whole number`},
		`{"step":"1"}`:                          {"step", "not a whole number"},
		`{"step":01}`:                           {"step", "not a whole number"},
		`{"step":+1}`:                           {"step", "not a whole number"},
		`{"step":}`:                             {"step", "not a whole number"},
		`{"step":99999999999999999999}`:         {"step", "not a whole number"},
		`{"plan":{"nodes":1,"x":2}}`:            {"x", `unknown field "x"`},
		`{"plan":[]}`:                           {"plan", "not a JSON object"},
		`{"compare":1}`:                         {"compare", "neither true nor false"},
		`{"compare":truefalse}`:                 {"", "not a JSON object"},
		`{"do":run}`:                            {"do", "not a JSON string"},
		`{"do":"\x"}`:                           {"do", "not a JSON string"},
		`{"do":"\u12"}`:                         {"do", "not a JSON string"},
		"{\"do\":\"\n\"}":                       {"do", "not a JSON string"},
		`{"do":"run"`:                           {"", "not a JSON object"},
		`{"do":"run" "step":1}`:                 {"", "not a JSON object"},
		`{"do":"run",}`:                         {"", "not a JSON string"},
		`{"do" "run"}`:                          {"", "not a JSON object"},
		strings.Repeat(`{"view":`, 1_000) + `{`: {"view", `unknown field "view"`},
		"{}\x00":                                {"", "more than one value"},
		`{"do":"run"} x`:                        {"", "more than one value"},
		`[]`:                                    {"", "not a JSON object"},
		``:                                      {"", "not a JSON object"},
	} {
		_, err := readRequest([]byte(request))
		if assert.ErrorContains(t, err, want.text, request) && want.field != "" {
			assert.Equal(t, want.field, problemOf(err).Field, request)
		}
	}
}

// A text accepted as a request is JSON, and encoding/json reads the same.
func FuzzReadRequest(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"do":"run","script":"ranks 2\nall:\n barrier","step":-0}`, `{"do":"\ud83d\ude00\ud800\u0041\/"}`,
		`{"view":{"ranks":2,"disp":"r*4"},"plan":{"nodes":8}}`, ` { "do" : null , "view" : null } `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readRequest(text)
		if err != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		var want Request
		require.NoError(t, dec.Decode(&want), "%q", text)
		_, err = dec.Token()
		assert.ErrorIs(t, err, io.EOF)
		if !bytes.Contains(text, []byte("null")) { // which leaves a field as it is here
			assert.Equal(t, &want, got, "%q", text)
		}
	})
}

// Answers are written as encoding/json writes them.
func TestAppendJSON(t *testing.T) {
	type inner struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}
	type value struct {
		*Result
		inner
		Text   string            `json:"text"`
		List   []int64           `json:"list"`
		Pair   [2]int64          `json:"pair"`
		Map    map[string]string `json:"map"`
		Any    any               `json:"any"`
		Gone   []string          `json:"gone,omitempty"`
		Ptr    *inner            `json:"ptr,omitempty"`
		Nil    *inner            `json:"nil"`
		Nested []inner           `json:"nested"`
		Yes    bool              `json:"yes"`
		hidden int
	}
	for _, v := range []any{
		nil, 3, "",
		[]string{},
		map[string]any{"b": 1, "a": []any{nil, true, "x"}},
		value{},
		&value{hidden: 1},
		value{
			Result: &Result{OK: true, Outcomes: []Outcome{{Vars: map[string]any{"0.x": "<&>"}}}}, inner: inner{1, 2}, Text: "\u2028\u2029\x00\x1f\x7f\b\f\n\r\t\"\\/\xff\uFFFDé\U0001F600<&>",
			List: []int64{-1 << 63, 1<<63 - 1}, Map: map[string]string{"z": "1", "a": "\xff"}, Any: inner{}, Gone: []string{"x"}, Ptr: &inner{}, Nested: []inner{{}, {0, 1}},
		},
	} {
		want, err := json.Marshal(v)
		require.NoError(t, err)
		got, err := appendJSON(nil, reflect.ValueOf(v))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
	for _, v := range []any{1.5, []any{uint8(1)}, map[string]any{"a": func() {}}, struct {
		A struct {
			B chan int `json:"b"`
		} `json:"a"`
	}{}} {
		_, err := appendJSON(nil, reflect.ValueOf(v))
		assert.ErrorContains(t, err, "an answer has a value of type")
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		want, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(appendText(nil, s)))
	})
}
