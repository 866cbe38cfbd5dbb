package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/lab"
	"github.com/commworld/commworld/teach/site"
)

// labCommand is the command line of lab.
type labCommand struct {
	Script string `arg:"" optional:"" placeholder:"SCRIPT" help:"Rank script that the page starts with; - is standard input."`
	Addr   string `default:"127.0.0.1:8090" placeholder:"HOST:PORT" help:"Address of this machine to serve on, ${default}; port 0 takes a free one."`
	Open   bool   `help:"Open the page in a browser, too."`
	Class  string `placeholder:"HOST:PORT" help:"Serve a class on this address, too: students open it, type a code and vote. 0.0.0.0:8091 is the whole network."`
	Static string `placeholder:"DIR" help:"Write the page as files for any web server instead; needs the Go toolchain."`
}

// Help returns the text of --help between the summary and the flags.
func (*labCommand) Help() string {
	return `lab serves a page that runs rank scripts. It shows the order of the calls, what each
rank may read at each step, every possible outcome, races with a fix to apply, and
views while you type. Only this machine can reach the server. The server has no
state: the address of the page contains all of it.

  commworld lab --open
  commworld lab --open examples/stale.mpio
  commworld lab --static site

--class also serves a class, to the network that you name. Students see a question
and vote; they cannot run programs. You ask, and reveal, on vote.html, which only
this machine can reach. No names are kept, and nothing is written.

  commworld lab --class 0.0.0.0:8091

--static builds the same functions as WebAssembly, so that any web server can serve
the page. Run it in a clone of commworld, or in a module that requires it.`
}

// Limits of one answer and of the server.
const (
	longestAnswer = 10 * time.Second
	mostAnswers   = 4 // at the same time
)

func (c *labCommand) run(ctx context.Context, stdout, _ io.Writer) (int, error) {
	if c.Static != "" {
		if c.Script != "" {
			return 0, fmt.Errorf("--static makes a page for all scripts: leave %s out", c.Script)
		}
		if err := c.write(ctx); err != nil {
			return 0, err
		}
		fmt.Fprintf(stdout, "%s holds the page; any web server can serve it, for example: python3 -m http.server --directory %[1]s\n", c.Static)
		return 0, nil
	}
	state := ""
	if c.Script != "" {
		text, _, err := scriptText(ctx, c.Script)
		if err != nil {
			return 0, err
		}
		state = "#" + lab.State(text)
	}
	addr, err := net.ResolveTCPAddr("tcp", c.Addr)
	if err != nil {
		return 0, fmt.Errorf("--addr: %w", err)
	}
	if !addr.IP.IsLoopback() {
		return 0, fmt.Errorf("--addr %s: the lab is served to this machine only; use 127.0.0.1:%d", c.Addr, addr.Port)
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return 0, fmt.Errorf("%w; --addr 127.0.0.1:0 takes a free port", err)
	}
	url := "http://" + l.Addr().String() + "/" + state
	fmt.Fprintf(stdout, "The lab is at %s until you interrupt it.\n", url)
	if c.Open {
		if err := openInBrowser(url); err != nil {
			fmt.Fprintf(stdout, "No browser could be started (%v): open the address yourself.\n", err)
		}
	}
	return 0, c.serve(ctx, l, stdout)
}

// serve serves the page, and with --class also a class, until ctx ends.
func (c *labCommand) serve(ctx context.Context, l *net.TCPListener, stdout io.Writer) error {
	handler, err := newLabServer(l.Addr().(*net.TCPAddr).Port)
	if err != nil || c.Class == "" {
		return errors.Join(err, serve(ctx, l, handler))
	}
	addr, err := net.ResolveTCPAddr("tcp", c.Class)
	if err != nil {
		return fmt.Errorf("--class: %w", err)
	}
	students, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return fmt.Errorf("--class: %w", err)
	}
	if err := handler.open(); err != nil {
		return err
	}
	at := students.Addr().(*net.TCPAddr)
	fmt.Fprintf(stdout, "You ask at http://%s/vote.html.\nStudents open %s and type the code %s.\n", l.Addr(), strings.Join(classAddresses(at), " or "), handler.class.code)
	both, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() { stop(serve(both, atMost(students, mostConnections), newClassServer(handler.class, at.Port))) }()
	err = serve(both, l, handler)
	if cause := context.Cause(both); err == nil && ctx.Err() == nil {
		err = cause
	}
	return err
}

// serve serves a handler until ctx ends.
func serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadTimeout: 10 * time.Second, WriteTimeout: 2 * longestAnswer, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// A labServer answers requests of pages that it served itself.
type labServer struct {
	hosts []string // host names under which a browser may call this server
	files map[string][]byte
	turns chan struct{}
	class *classroom // nil: none
}

// open opens a class, to which /class belongs.
func (s *labServer) open() (err error) {
	s.class, err = newClassroom()
	s.files["transport.json"] = []byte(`{"static":false,"class":true}` + "\n")
	return err
}

func newLabServer(port int) (*labServer, error) {
	s := &labServer{turns: make(chan struct{}, mostAnswers)}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		s.hosts = append(s.hosts, fmt.Sprintf("%s:%d", host, port))
	}
	var err error
	if s.files, err = labFiles(false); err == nil {
		err = addCourse(s.files)
	}
	return s, err
}

// addCourse adds the pages of the course to the files of the page.
func addCourse(files map[string][]byte) error {
	pages, err := site.Course()
	maps.Copy(files, pages)
	return err
}

// labFiles returns the files of the page by name. static means that the page runs
// WebAssembly instead of asking a server.
func labFiles(static bool) (map[string][]byte, error) {
	index, err := lab.Index()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{
		"picture.css":    []byte(lab.PictureCSS()),
		"transport.json": fmt.Appendf(nil, `{"static":%t}`+"\n", static),
	}
	err = fs.WalkDir(lab.Page(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[name], err = fs.ReadFile(lab.Page(), name)
		return err
	})
	all["index.html"] = []byte(index)
	return all, err
}

// contentTypes are the MIME types of the page's files.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}

// ServeHTTP refuses every request that does not come from a page of this server: another
// page in the same browser must not reach it, by any name of this machine.
func (s *labServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	origin := r.Header.Get("Origin")
	switch {
	case !slices.Contains(s.hosts, r.Host):
		http.Error(w, "this server is not "+r.Host, http.StatusForbidden)
	case origin != "" && !slices.Contains(s.hosts, strings.TrimPrefix(origin, "http://")):
		http.Error(w, "the lab answers its own page only", http.StatusForbidden)
	case r.URL.Path == "/ask":
		s.ask(w, r)
	case r.URL.Path == "/class":
		s.teach(w, r)
	default:
		s.file(w, r)
	}
}

func (s *labServer) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	text, ok := s.files[name]
	switch {
	case !ok:
		http.Error(w, "there is no such file", http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "files can be read only", http.StatusMethodNotAllowed)
	default:
		w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(text) // the browser may have gone
	}
}

func (s *labServer) ask(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		http.Error(w, "a question is a POST of application/json", http.StatusMethodNotAllowed)
		return
	}
	// A turn is taken while an answer is made, not while a slow client sends or receives.
	request, err := io.ReadAll(http.MaxBytesReader(w, r.Body, lab.MaxRequest))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil { // the client sends too slowly, or has gone
		http.Error(w, err.Error(), http.StatusRequestTimeout)
		return
	}
	answer, ok := s.answer(r.Context(), request)
	if !ok {
		http.Error(w, "the lab is busy", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(answer)
}

// answer makes an answer when it is this request's turn, which it may not be in time.
func (s *labServer) answer(ctx context.Context, request []byte) (answer []byte, ok bool) {
	ctx, stop := context.WithTimeoutCause(ctx, longestAnswer, fmt.Errorf("the answer took longer than %v; make the program smaller", longestAnswer))
	defer stop()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return nil, false
	}
	return lab.Answer(ctx, request), true
}

// write writes the files of the page for any web server.
func (c *labCommand) write(ctx context.Context) error {
	files, err := staticLab(ctx)
	if err == nil {
		err = addCourse(files)
	}
	if err != nil {
		return err
	}
	return writeFiles(c.Static, files)
}

// staticLab returns the files of the page for any web server. Browsers that unpack gzip by themselves load
// the packed program, and others the plain one.
func staticLab(ctx context.Context) (map[string][]byte, error) {
	files, err := labFiles(true)
	if err != nil {
		return nil, err
	}
	temp, remove, err := tempFolder("commworld-lab-")
	if err != nil {
		return nil, err
	}
	defer remove()
	if files["lab.wasm"], err = buildLab(ctx, temp); err != nil {
		return nil, err
	}
	if files["lab.wasm.gz"], err = site.Pack(files["lab.wasm"]); err != nil {
		return nil, err
	}
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	glue := filepath.Join(root, "lib", "wasm", "wasm_exec.js")
	if files["wasm_exec.js"], err = os.ReadFile(glue); err != nil {
		return nil, fmt.Errorf("the Go toolchain has no wasm_exec.js: %w", err)
	}
	return files, nil
}

// writeFiles writes files, by slash-separated name, below a folder.
func writeFiles(dir string, files map[string][]byte) error {
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(full, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// labProgram is the lab for a page without a server.
const labProgram = "github.com/commworld/commworld/teach/lab/wasm"

// buildLab builds the WebAssembly of the page in a temporary folder, and returns it.
func buildLab(ctx context.Context, temp string) ([]byte, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("WebAssembly is built with the Go toolchain, which was not found; install Go from https://go.dev/dl: %w", err)
	}
	out := filepath.Join(temp, "lab.wasm")
	// Without inlining the module is a tenth smaller, and still fast enough.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-gcflags=all=-l", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, labProgram)
	child.Contain(build)
	build.Env = append(child.WithTemp(temp), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if dir := course.Source(); dir != "" && exec.CommandContext(ctx, "go", "list", labProgram).Run() != nil {
		build.Dir = dir // no module here requires commworld: an installed command has its source in the module cache
	}
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s failed; run this in a clone of commworld, or in a module that requires it: %w\n%s", labProgram, err, text)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return joinData(module)
}

func goEnv(ctx context.Context, name string) (string, error) {
	text, err := exec.CommandContext(ctx, "go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// openInBrowser starts a browser and does not wait for it.
func openInBrowser(url string) error {
	var start *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		start = exec.Command("open", url)
	case "windows":
		start = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	default:
		start = exec.Command("xdg-open", url)
	}
	if err := start.Start(); err != nil {
		return err
	}
	return start.Process.Release()
}
