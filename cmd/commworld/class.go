package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/commworld/commworld/teach/lab"
)

// Limits of a class: what its server holds and does, whatever is sent to it.
const (
	mostStudents = 300
	mostExtra    = 8       // values that the teacher adds
	mostText     = 2000    // bytes of a question; of a value
	mostVote     = 1 << 10 // bytes of a student's request
	mostAtOnce   = 64      // requests of students at the same time
	joinsEach    = 300 * time.Millisecond
	joinsAtOnce  = 100 // a whole class at once; then one each joinsEach
)

// A classroom is one class with at most one question. It knows students by random keys only.
type classroom struct {
	code string
	now  func() time.Time

	mu       sync.Mutex
	students map[string]uint32 // by key: the ticked values as bits; voted says whether there are any
	voted    map[string]bool
	question *classQuestion
	number   int // of the question
	shown    bool
	joins    float64 // that may be tried now
	tried    time.Time
}

// A classQuestion is what the class is asked.
type classQuestion struct {
	text   string
	poll   *lab.Poll
	values []lab.PollValue // with those of the teacher, which have no steps
}

func newClassroom() (*classroom, error) {
	code, err := randomText("ABCDEFGHJKMNPQRSTUVWXYZ23456789", 8)
	return &classroom{code: code, now: time.Now, students: map[string]uint32{}, voted: map[string]bool{}, joins: joinsAtOnce}, err
}

// randomText returns n letters of an alphabet, from the system's source of random numbers.
func randomText(alphabet string, n int) (string, error) {
	var b strings.Builder
	for b.Len() < n {
		one := make([]byte, 1)
		if _, err := rand.Read(one); err != nil {
			return "", err
		}
		if int(one[0]) < 256/len(alphabet)*len(alphabet) { // each letter as often
			b.WriteByte(alphabet[int(one[0])%len(alphabet)])
		}
	}
	return b.String(), nil
}

// errBusy says that too many requests came.
var errBusy = errors.New("too many tries at once; wait a moment")

// join returns a new key for a student who knows the code. It takes as long for each wrong code, and
// codes cannot be tried quickly.
func (c *classroom) join(code string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if !c.tried.IsZero() {
		c.joins = min(joinsAtOnce, c.joins+float64(now.Sub(c.tried))/float64(joinsEach))
	}
	if c.tried = now; c.joins < 1 {
		return "", errBusy
	}
	c.joins--
	code = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
	if subtle.ConstantTimeCompare([]byte(code), []byte(c.code)) != 1 {
		return "", errors.New("this is not the code of the class")
	}
	if len(c.students) >= mostStudents {
		return "", fmt.Errorf("the class is full: it has %d students", mostStudents)
	}
	key, err := randomText("abcdefghijklmnopqrstuvwxyz234567", 26)
	if err == nil {
		c.students[key] = 0
	}
	return key, err
}

// ask replaces the question of the class.
func (c *classroom) ask(text string, p *lab.Poll) error {
	q := &classQuestion{text: text, poll: p, values: slices.Clone(p.Values)}
	if len(text) > mostText || len(p.Extra) > mostExtra {
		return fmt.Errorf("a question has at most %d bytes and %d values more than the possible ones", mostText, mostExtra)
	}
	for _, e := range p.Extra {
		if len(e) > mostText {
			return fmt.Errorf("a value has at most %d bytes", mostText)
		}
		q.values = append(q.values, lab.PollValue{Text: e})
	}
	slices.SortFunc(q.values, func(a, b lab.PollValue) int { return strings.Compare(a.Text, b.Text) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.question, c.shown = q, false
	c.number++
	clear(c.voted)
	return nil
}

// reveal shows the answer.
func (c *classroom) reveal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown = c.question != nil
}

var errNoStudent = errors.New("join the class first: type its code")

// vote records the values that a student ticked for a question.
func (c *classroom) vote(key string, number int, ticked []int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.students[key]; !ok {
		return errNoStudent
	}
	switch {
	case c.question == nil || number != c.number:
		return errors.New("this question is over")
	case c.shown:
		return errors.New("the answer is shown already")
	case len(ticked) == 0 || len(ticked) > len(c.question.values):
		return errors.New("tick at least one value")
	}
	var bits uint32
	for _, i := range ticked {
		if i < 0 || i >= len(c.question.values) {
			return fmt.Errorf("there is no value %d", i)
		}
		bits |= 1 << i
	}
	c.students[key], c.voted[key] = bits, true
	return nil
}

// A classValue is one value of the question, as students and teacher see it.
type classValue struct {
	Text     string   `json:"text"`
	Votes    *int     `json:"votes,omitempty"`    // how many ticked it
	Possible *bool    `json:"possible,omitempty"` // once the answer is shown
	Reason   string   `json:"reason,omitempty"`
	Steps    []string `json:"steps,omitempty"`
}

// A classState is what a page shows.
type classState struct {
	Number   int          `json:"number"` // 0: no question yet
	Text     string       `json:"text"`
	Variable string       `json:"variable"`
	Program  string       `json:"program"`
	Values   []classValue `json:"values"`
	Shown    bool         `json:"shown"`
	Yours    []int        `json:"yours"` // what this student ticked
	Students int          `json:"students"`
	Voted    int          `json:"voted"`
	Right    *int         `json:"right,omitempty"` // how many ticked what may come out and nothing else
	Code     string       `json:"code,omitempty"`  // for the teacher
}

// state returns what a student sees, or for an empty key the teacher, who sees the votes at once.
func (c *classroom) state(key string) (*classState, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine, ok := c.students[key]
	if key != "" && !ok {
		return nil, errNoStudent
	}
	s := &classState{Students: len(c.students), Voted: len(c.voted), Values: []classValue{}, Yours: []int{}}
	if key == "" {
		s.Code = c.code
	}
	q := c.question
	if q == nil {
		return s, nil
	}
	s.Number, s.Text, s.Variable, s.Program, s.Shown = c.number, q.text, q.poll.Variable, q.poll.Program, c.shown
	var answer uint32
	for i, v := range q.values {
		one, possible := classValue{Text: v.Text}, v.Steps != nil
		if possible {
			answer |= 1 << i
		}
		if c.shown || key == "" {
			votes := c.ticked(1 << i)
			one.Votes = &votes
		}
		if c.shown {
			one.Possible, one.Reason, one.Steps = &possible, v.Reason, v.Steps
		}
		if c.voted[key] && mine&(1<<i) != 0 {
			s.Yours = append(s.Yours, i)
		}
		s.Values = append(s.Values, one)
	}
	if c.shown {
		right := 0
		for k := range c.voted {
			if c.students[k] == answer {
				right++
			}
		}
		s.Right = &right
	}
	return s, nil
}

// ticked counts the votes for a value.
func (c *classroom) ticked(bit uint32) (n int) {
	for k := range c.voted {
		if c.students[k]&bit != 0 {
			n++
		}
	}
	return n
}

// A classServer serves the students of a class, who may be anywhere in the network. It runs no
// programs; the teacher's page, which does, is served to this machine only.
type classServer struct {
	room  *classroom
	port  string
	files map[string][]byte
	turns chan struct{}
}

func newClassServer(room *classroom, port int) *classServer {
	s := &classServer{room: room, port: fmt.Sprint(port), files: map[string][]byte{}, turns: make(chan struct{}, mostAtOnce)}
	for name, file := range map[string]string{"/": "student.html", "/student.js": "student.js", "/votes.js": "votes.js", "/vote.css": "vote.css", "/icon.svg": "icon.svg"} {
		s.files[name] = lab.PageFile(file)
	}
	return s
}

// ServeHTTP answers pages of this server only: the name by which it was called has to be an address,
// because a page elsewhere can make any name stand for this machine.
func (s *classServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	origin := r.Header.Get("Origin")
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	default:
		http.Error(w, errBusy.Error(), http.StatusServiceUnavailable)
		return
	}
	text, isFile := s.files[r.URL.Path]
	switch {
	case !s.own(r.Host) || origin != "" && origin != "http://"+r.Host:
		http.Error(w, "the class answers its own page only, by the address of this machine", http.StatusForbidden)
	case isFile && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		h.Set("Content-Type", contentTypes[pageType(r.URL.Path)])
		_, _ = w.Write(text) // the browser may have gone
	case r.URL.Path == "/class" && r.Method == http.MethodPost:
		s.answer(w, r)
	default:
		http.Error(w, "there is no such page", http.StatusNotFound)
	}
}

func pageType(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[i:]
	}
	return ".html"
}

// own reports whether a host is an address, or localhost, with the port of this server.
func (s *classServer) own(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil { // a browser leaves out port 80
		name, port = strings.Trim(host, "[]"), "80"
	}
	_, err = netip.ParseAddr(name)
	return port == s.port && (err == nil || name == "localhost")
}

// A studentRequest is what a student's page sends.
type studentRequest struct {
	Do     string `json:"do"` // join, state, vote
	Code   string `json:"code"`
	Key    string `json:"key"`
	Number int    `json:"number"`
	Ticked []int  `json:"ticked"`
}

func (s *classServer) answer(w http.ResponseWriter, r *http.Request) {
	var q studentRequest
	if !readJSON(w, r, mostVote, &q) {
		return
	}
	var answer any
	var err error
	switch q.Do {
	case "join":
		var key string
		key, err = s.room.join(q.Code)
		answer = map[string]string{"key": key}
	case "vote":
		if err = s.room.vote(q.Key, q.Number, q.Ticked); err == nil {
			answer, err = s.room.state(q.Key)
		}
	case "state":
		if err = errNoStudent; q.Key != "" { // an empty key is the teacher's
			answer, err = s.room.state(q.Key)
		}
	default:
		err = fmt.Errorf("unknown request %q", q.Do)
	}
	writeClass(w, answer, err)
}

// readJSON reads a request of at most most bytes; if it cannot, it has answered.
func readJSON(w http.ResponseWriter, r *http.Request, most int64, q any) bool {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		http.Error(w, "a request is a POST of application/json", http.StatusUnsupportedMediaType)
		return false
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return false
	}
	if err == nil {
		err = json.Unmarshal(text, q)
	}
	if err != nil {
		http.Error(w, "the request is not understood", http.StatusBadRequest)
	}
	return err == nil
}

// writeClass sends an answer, or a problem for people.
func writeClass(w http.ResponseWriter, answer any, err error) {
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusOK
	if err != nil {
		answer = map[string]any{"problem": map[string]string{"text": err.Error()}}
		switch {
		case errors.Is(err, errBusy):
			status = http.StatusTooManyRequests
		case errors.Is(err, errNoStudent):
			status = http.StatusUnauthorized
		default:
			status = http.StatusBadRequest
		}
	}
	w.WriteHeader(status)
	_ = inJSON(w, answer) // the browser may have gone
}

// A teacherRequest is what the teacher's page sends.
type teacherRequest struct {
	Do       string `json:"do"` // ask, reveal, state
	Script   string `json:"script"`
	Model    string `json:"model"`
	Variable string `json:"variable"`
	Text     string `json:"text"`
	Extra    string `json:"extra"`
}

// teach answers the teacher's page.
func (s *labServer) teach(w http.ResponseWriter, r *http.Request) {
	if s.class == nil || r.Method != http.MethodPost {
		http.Error(w, "there is no class; start commworld lab with --class", http.StatusNotFound)
		return
	}
	var q teacherRequest
	if !readJSON(w, r, lab.MaxRequest, &q) {
		return
	}
	var err error
	switch q.Do {
	case "ask":
		ctx, stop := context.WithTimeout(r.Context(), longestAnswer)
		defer stop()
		var p *lab.Poll
		if p, err = lab.NewPoll(ctx, &lab.Request{Script: q.Script, Model: q.Model, Name: q.Variable, Extra: q.Extra}); err == nil {
			err = s.class.ask(q.Text, p)
		}
	case "reveal":
		s.class.reveal()
	case "state":
	default:
		err = fmt.Errorf("unknown request %q", q.Do)
	}
	var answer any
	if err == nil {
		answer, err = s.class.state("")
	}
	writeClass(w, answer, err)
}

// mostConnections is how many students can be connected at the same time, with several connections each.
const mostConnections = 3 * mostStudents

// A boundedListener accepts a connection only while fewer than a limit are open.
type boundedListener struct {
	net.Listener
	free chan struct{}
}

func atMost(l net.Listener, most int) *boundedListener {
	return &boundedListener{l, make(chan struct{}, most)}
}

// Accept closes connections beyond the limit at once, so that it never waits for one to end.
func (b *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.free <- struct{}{}:
			return &boundedConn{Conn: c, done: sync.OnceFunc(func() { <-b.free })}, nil
		default:
			_ = c.Close()
		}
	}
}

type boundedConn struct {
	net.Conn
	done func()
}

func (c *boundedConn) Close() error {
	c.done()
	return c.Conn.Close()
}

// classAddresses returns the addresses by which students reach a listener.
func classAddresses(at *net.TCPAddr) (all []string) {
	if !at.IP.IsUnspecified() {
		return []string{"http://" + at.String() + "/"}
	}
	own, _ := net.InterfaceAddrs()
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			all = append(all, fmt.Sprintf("http://%s:%d/", n.IP, at.Port))
		}
	}
	return append(all, fmt.Sprintf("http://127.0.0.1:%d/", at.Port))
}
