package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/lab"
)

func TestLabServer(t *testing.T) {
	s, err := newLabServer(8090)
	require.NoError(t, err)
	for _, c := range []struct {
		name, method, path, host string
		header                   map[string]string
		body                     string
		code                     int
		want                     string
	}{
		{name: "the page", path: "/", code: 200, want: "<title>commworld lab</title>"},
		{name: "its parts", path: "/lab.js", code: 200, want: "import"},
		{name: "the style of drawings", path: "/picture.css", code: 200, want: ".cw"},
		{name: "which transport", path: "/transport.json", code: 200, want: `{"static":false}`},
		{name: "by another name of this machine", path: "/", host: "localhost:8090", code: 200},
		{name: "no other files", path: "/../go.mod", code: 404},
		{name: "files cannot be written", method: "PUT", path: "/", code: 405},
		{name: "a foreign host", path: "/", host: "evil.example", code: 403, want: "not evil.example"},
		{name: "a foreign host on the same port", path: "/ask", host: "evil.example:8090", code: 403},
		{name: "another port", path: "/", host: "127.0.0.1:80", code: 403},
		{name: "a foreign page", method: "POST", path: "/ask", header: map[string]string{"Origin": "http://evil.example"}, code: 403},
		{name: "a page of no origin", method: "POST", path: "/ask", header: map[string]string{"Origin": "null"}, code: 403},
		{name: "a question", method: "POST", path: "/ask", body: `{"do":"lessons"}`, code: 200, want: `"name":"01-stale"`},
		{name: "a question of its own page", method: "POST", path: "/ask", header: map[string]string{"Origin": "http://localhost:8090"}, body: `{"do":"lessons"}`, code: 200},
		{name: "a bad question", method: "POST", path: "/ask", body: `{`, code: 200, want: "problem"},
		{name: "a question of a form", method: "POST", path: "/ask", header: map[string]string{"Content-Type": "text/plain"}, body: `{"do":"lessons"}`, code: 405},
		{name: "a question by GET", path: "/ask", code: 405},
		{name: "too long", method: "POST", path: "/ask", body: strings.Repeat(" ", lab.MaxRequest+1), code: 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			method := c.method
			if method == "" {
				method = "GET"
			}
			r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8090/", strings.NewReader(c.body))
			r.URL.Path, r.Host = c.path, "127.0.0.1:8090"
			if c.host != "" {
				r.Host = c.host
			}
			r.Header.Set("Content-Type", "application/json")
			for k, v := range c.header {
				r.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			assert.Equal(t, c.code, w.Code, w.Body)
			assert.Contains(t, w.Body.String(), c.want)
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		})
	}
}

// A slowBody is a question that never arrives whole, as long as the test runs.
type slowBody struct{ read, release chan struct{} }

func (b slowBody) Read([]byte) (int, error) {
	b.read <- struct{}{}
	<-b.release
	return 0, io.ErrUnexpectedEOF
}

// A slowClient does not take its answer.
type slowClient struct {
	http.ResponseWriter
	slowBody
}

func (c slowClient) Write([]byte) (int, error) { return c.Read(nil) }

// TestLabSlowClients: clients that send or receive slowly keep no other from its answer.
func TestLabSlowClients(t *testing.T) {
	s, err := newLabServer(8090)
	require.NoError(t, err)
	ask := func(w http.ResponseWriter, body io.Reader) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8090/ask", body)
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
	}
	slow := slowBody{make(chan struct{}), make(chan struct{})}
	ended := make(chan struct{})
	for range mostAnswers {
		go func() {
			w := httptest.NewRecorder()
			ask(w, slow)
			assert.Equal(t, http.StatusRequestTimeout, w.Code)
			ended <- struct{}{}
		}()
		go func() {
			ask(slowClient{httptest.NewRecorder(), slow}, strings.NewReader(`{"do":"lessons"}`))
			ended <- struct{}{}
		}()
	}
	for range 2 * mostAnswers {
		<-slow.read
	}
	w := httptest.NewRecorder()
	ask(w, strings.NewReader(`{"do":"lessons"}`))
	assert.Equal(t, 200, w.Code, w.Body)
	close(slow.release)
	for range 2 * mostAnswers {
		<-ended
	}
}

func TestLabCommand(t *testing.T) {
	t.Run("serves until it is interrupted", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		out, in := io.Pipe()
		ended := make(chan int)
		go func() {
			defer in.Close()
			ended <- run(ctx, []string{"lab", "--addr", "127.0.0.1:0"}, in, io.Discard)
		}()
		line := make([]byte, 200)
		n, err := out.Read(line)
		require.NoError(t, err)
		url, _, _ := strings.Cut(strings.TrimPrefix(string(line[:n]), "The lab is at "), " ")
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		assert.NoError(t, answer.Body.Close())
		assert.Equal(t, 200, answer.StatusCode)
		stop()
		assert.Equal(t, 0, <-ended)
		http.DefaultClient.CloseIdleConnections()
	})
	t.Run("starts with a script", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		out, in := io.Pipe()
		ended := make(chan int)
		go func() {
			defer in.Close()
			ended <- run(ctx, []string{"lab", "--addr", "127.0.0.1:0", "../../examples/stale.mpio"}, in, io.Discard)
		}()
		said := make([]byte, 2000)
		n, err := out.Read(said)
		require.NoError(t, err)
		_, held, _ := strings.Cut(string(said[:n]), "#")
		held, _, _ = strings.Cut(held, " ")
		state, err := base64.RawURLEncoding.DecodeString(held)
		require.NoError(t, err, held)
		assert.Contains(t, string(state), "read_at h 0 int*1")
		stop()
		assert.Equal(t, 0, <-ended)
		var failed strings.Builder
		assert.Equal(t, exitUsage, run(t.Context(), []string{"lab", "no.mpio"}, io.Discard, &failed))
		assert.Contains(t, failed.String(), "no.mpio")
		failed.Reset()
		assert.Equal(t, exitUsage, run(t.Context(), []string{"lab", "--static", t.TempDir(), "a.mpio"}, io.Discard, &failed))
		assert.Contains(t, failed.String(), "leave a.mpio out")
	})
	t.Run("to this machine only", func(t *testing.T) {
		var said strings.Builder
		assert.Equal(t, exitUsage, run(t.Context(), []string{"lab", "--addr", "0.0.0.0:0"}, io.Discard, &said))
		assert.Contains(t, said.String(), "this machine only; use 127.0.0.1:0")
	})
	t.Run("a site for any web server, whose lab has at most 3,000,000 bytes compressed", func(t *testing.T) {
		if testing.Short() {
			t.Skip("builds WebAssembly")
		}
		dir := t.TempDir()
		var said strings.Builder
		require.Equal(t, 0, run(t.Context(), []string{"lab", "--static", dir}, io.Discard, &said), &said)
		for _, name := range []string{"index.html", "lab.js", "lab.css", "picture.css", "worker.js", "wasm_exec.js", "lesson.js", "course/17-missing-sync.html", "lab.wasm", "lab.wasm.gz"} {
			assert.FileExists(t, filepath.Join(dir, name))
		}
		var size compressedSize
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		other := regexp.MustCompile("^(lab.wasm|lesson.*|vote.*|student.*)$") // lab.wasm.gz again, and pages that the lab does not load
		for _, f := range files {
			if other.MatchString(f.Name()) || f.IsDir() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			require.NoError(t, err)
			w, err := gzip.NewWriterLevel(&size, gzip.BestCompression)
			require.NoError(t, err)
			_, err = w.Write(text)
			require.NoError(t, err)
			require.NoError(t, w.Close())
		}
		t.Logf("%d bytes compressed", size)
		assert.LessOrEqual(t, int(size), 3_000_000)
		module, err := os.ReadFile(filepath.Join(dir, "lab.wasm"))
		require.NoError(t, err)
		assert.NotContains(t, string(module), "github.com/commworld/commworld/teach/lab.answer", "the toolchain's tables have another form: their names are not cleared")
		packed, err := os.Open(filepath.Join(dir, "lab.wasm.gz"))
		require.NoError(t, err)
		defer packed.Close()
		unpacked, err := gzip.NewReader(packed)
		require.NoError(t, err)
		again, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(module, again), "lab.wasm.gz is not lab.wasm")
		text, err := os.ReadFile(filepath.Join(dir, "transport.json"))
		require.NoError(t, err)
		assert.JSONEq(t, `{"static":true}`, string(text))
	})
	t.Run("the whole site, whose files have at most 4,500,000 bytes", func(t *testing.T) {
		if testing.Short() {
			t.Skip("builds WebAssembly")
		}
		dir := t.TempDir()
		var said strings.Builder
		require.Equal(t, 0, run(t.Context(), []string{"site", dir}, io.Discard, &said), &said)
		var size int64
		require.NoError(t, filepath.WalkDir(dir, func(_ string, f fs.DirEntry, err error) error {
			if err != nil || f.IsDir() {
				return err
			}
			info, err := f.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		}))
		t.Logf("%d bytes", size)
		assert.LessOrEqual(t, size, int64(4_500_000))
	})
}

// A compressedSize counts the compressed bytes of everything written to it.
type compressedSize int

func (n *compressedSize) Write(b []byte) (int, error) {
	*n += compressedSize(len(b))
	return len(b), nil
}
