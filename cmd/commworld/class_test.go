package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/teach/lab"
)

// A classTest is a class of lesson 17 without a network.
type classTest struct {
	t        *testing.T
	room     *classroom
	students *classServer
	teacher  *labServer
	now      time.Time
}

func newClassTest(t *testing.T) *classTest {
	t.Helper()
	teacher, err := newLabServer(8090)
	require.NoError(t, err)
	require.NoError(t, teacher.open())
	c := &classTest{t: t, room: teacher.class, students: newClassServer(teacher.class, 8091), teacher: teacher, now: time.Unix(1e9, 0)}
	c.room.now = func() time.Time { return c.now }
	return c
}

// send sends a request as a page of the server does, changed by how.
func send(h http.Handler, host, body string, how ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://"+host+"/class", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "http://"+host)
	for _, f := range how {
		f(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func (c *classTest) student(request map[string]any) (int, map[string]any) {
	return c.json(c.students, "192.0.2.7:8091", request)
}

func (c *classTest) teach(request map[string]any) (int, map[string]any) {
	return c.json(c.teacher, "127.0.0.1:8090", request)
}

func (c *classTest) json(h http.Handler, host string, request map[string]any) (int, map[string]any) {
	c.t.Helper()
	body, err := json.Marshal(request)
	require.NoError(c.t, err)
	w := send(h, host, string(body))
	var answer map[string]any
	require.NoError(c.t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body.String())
	return w.Code, answer
}

func (c *classTest) join() string {
	c.t.Helper()
	code, a := c.student(map[string]any{"do": "join", "code": strings.ToLower(c.room.code[:4] + "-" + c.room.code[4:])})
	require.Equal(c.t, http.StatusOK, code, a)
	return a["key"].(string)
}

// ask asks what x may be in the stale read, with a value that cannot come out.
func (c *classTest) ask() map[string]any {
	c.t.Helper()
	text, err := os.ReadFile("../../teach/lab/lessons/01-stale.mpio")
	require.NoError(c.t, err)
	code, a := c.teach(map[string]any{"do": "ask", "script": string(text), "variable": "1.x", "text": "What may x be?", "extra": "7, 5"})
	require.Equal(c.t, http.StatusOK, code, a)
	return a
}

// TestClass: five students vote, change a vote, and see the answer with the steps to each value only when the
// teacher reveals it.
func TestClass(t *testing.T) {
	c := newClassTest(t)
	var keys []string
	for range 5 {
		keys = append(keys, c.join())
	}
	c.ask()
	for i, ticked := range [][]int{{0}, {1}, {0, 1}, {2}, {0, 1, 2}} {
		code, a := c.student(map[string]any{"do": "vote", "key": keys[i], "number": 1, "ticked": ticked})
		require.Equal(t, http.StatusOK, code, a)
	}
	_, a := c.student(map[string]any{"do": "vote", "key": keys[0], "number": 1, "ticked": []int{0, 1}})
	assert.Equal(t, []any{0.0, 1.0}, a["yours"], "a vote can be changed")
	before := fmt.Sprint(a)
	for _, word := range []string{"possible", "steps", "votes", "right", "reason", "1:x", "allow"} {
		assert.NotContains(t, before, word, "the answer, or the votes of others, before the teacher reveals them")
	}
	assert.Equal(t, []any{map[string]any{"text": "0"}, map[string]any{"text": "5"}, map[string]any{"text": "7"}}, a["values"])
	_, a = c.teach(map[string]any{"do": "state"})
	assert.Equal(t, 5.0, a["voted"])
	_, a = c.teach(map[string]any{"do": "reveal"})
	var got []string
	for _, v := range a["values"].([]any) {
		v := v.(map[string]any)
		got = append(got, fmt.Sprint(v["text"], " ", v["possible"], " ", v["votes"]))
	}
	assert.Equal(t, []string{"0 true 3", "5 true 4", "7 false 2"}, got)
	assert.Equal(t, 2.0, a["right"])
	code, seen := c.student(map[string]any{"do": "state", "key": keys[4]})
	assert.Equal(t, http.StatusOK, code)
	steps := seen["values"].([]any)[0].(map[string]any)["steps"].([]any)
	assert.Contains(t, fmt.Sprint(steps), "read_at h 0 int*1 -> x = 0")
	assert.NotContains(t, seen, "code")
	code, _ = c.student(map[string]any{"do": "vote", "key": keys[0], "number": 1, "ticked": []int{0}})
	assert.Equal(t, http.StatusBadRequest, code, "after the answer nobody votes")
	c.ask()
	_, a = c.student(map[string]any{"do": "state", "key": keys[0]})
	assert.Equal(t, []any{}, a["yours"], "a new question has no votes")
	code, _ = c.student(map[string]any{"do": "vote", "key": keys[0], "number": 1, "ticked": []int{0}})
	assert.Equal(t, http.StatusBadRequest, code, "a vote for an old question")
}

// TestClassHostile: whatever is sent, the class answers an error, keeps bounded memory and shows nothing.
func TestClassHostile(t *testing.T) {
	c := newClassTest(t)
	key := c.join()
	c.ask()
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	state := `{"do":"state","key":"` + key + `"}`
	for name, one := range map[string]struct {
		body string
		want int
		how  func(*http.Request)
	}{
		"another origin":          {state, 403, set("Origin", "http://example.org")},
		"no origin of a file":     {state, 403, set("Origin", "null")},
		"another name":            {state, 403, func(r *http.Request) { r.Host = "example.org:8091"; r.Header.Del("Origin") }},
		"another port":            {state, 403, func(r *http.Request) { r.Host = "192.0.2.7:80"; r.Header.Del("Origin") }},
		"a form":                  {state, 415, set("Content-Type", "text/plain")},
		"a question to the lab":   {`{"do":"run","script":"ranks 1"}`, 404, func(r *http.Request) { r.URL.Path = "/ask" }},
		"a page of the teacher":   {"", 404, func(r *http.Request) { r.URL.Path = "/vote.html"; r.Method = http.MethodGet }},
		"a path upwards":          {"", 404, func(r *http.Request) { r.URL.Path = "/../lab.js"; r.Method = http.MethodGet }},
		"the teacher's state":     {`{"do":"state","key":""}`, 401, nil},
		"no key":                  {`{"do":"state"}`, 401, nil},
		"a guessed key":           {`{"do":"vote","key":"a","number":1,"ticked":[0]}`, 401, nil},
		"the teacher's reveal":    {`{"do":"reveal","key":"` + key + `"}`, 400, nil},
		"a long body":             {`{"do":"` + strings.Repeat("x", mostVote) + `"}`, 413, nil},
		"no JSON":                 {`{"do":`, 400, nil},
		"a deep one":              {strings.Repeat("[", 500), 400, nil},
		"a list for a text":       {`{"do":["state"]}`, 400, nil},
		"a value that is not one": {`{"do":"vote","key":"` + key + `","number":1,"ticked":[31]}`, 400, nil},
		"a negative value":        {`{"do":"vote","key":"` + key + `","number":1,"ticked":[-1]}`, 400, nil},
		"a huge number":           {`{"do":"vote","key":"` + key + `","number":1e99,"ticked":[0]}`, 400, nil},
		"no values":               {`{"do":"vote","key":"` + key + `","number":1,"ticked":[]}`, 400, nil},
		"many values":             {`{"do":"vote","key":"` + key + `","number":1,"ticked":[` + strings.Repeat("0,", 99) + `0]}`, 400, nil},
		"another method":          {"", 404, func(r *http.Request) { r.Method = http.MethodPut }},
	} {
		t.Run(name, func(t *testing.T) {
			how := []func(*http.Request){}
			if one.how != nil {
				how = append(how, one.how)
			}
			w := send(c.students, "192.0.2.7:8091", one.body, how...)
			assert.Equal(t, one.want, w.Code, w.Body.String())
			assert.NotContains(t, w.Body.String(), c.room.code)
			assert.NotContains(t, w.Body.String(), "possible")
		})
	}
	assert.Equal(t, http.StatusOK, send(c.students, "192.0.2.7:8091", state).Code)
	assert.Equal(t, http.StatusForbidden, send(c.teacher, "192.0.2.7:8090", `{"do":"state"}`).Code, "the teacher's page by the network")
	assert.Equal(t, http.StatusForbidden, send(c.teacher, "127.0.0.1:8090", `{"do":"reveal"}`, set("Origin", "http://127.0.0.1:8091")).Code, "the teacher's requests by a student's page")
	closed, err := newLabServer(8090)
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, send(closed, "127.0.0.1:8090", `{"do":"state"}`).Code, "there is no class without --class")
}

// TestClassBounds: codes cannot be tried quickly, a class has a most of students, and a question a most of
// values.
func TestClassBounds(t *testing.T) {
	c := newClassTest(t)
	tries := map[int]int{}
	for range 3 * joinsAtOnce {
		code, _ := c.student(map[string]any{"do": "join", "code": "AAAAAAAA"})
		tries[code]++
	}
	assert.Equal(t, map[int]int{http.StatusBadRequest: joinsAtOnce, http.StatusTooManyRequests: 2 * joinsAtOnce}, tries)
	c.now = c.now.Add(10 * joinsEach)
	for range 10 {
		c.join()
	}
	for len(c.room.students) < mostStudents {
		c.now = c.now.Add(joinsEach)
		c.join()
	}
	c.now = c.now.Add(time.Hour)
	code, a := c.student(map[string]any{"do": "join", "code": c.room.code})
	assert.Equal(t, http.StatusBadRequest, code)
	assert.Contains(t, fmt.Sprint(a), "the class is full")
	assert.Error(t, c.room.ask("", &lab.Poll{Extra: make([]string, mostExtra+1)}))
	assert.Error(t, c.room.ask(strings.Repeat("x", mostText+1), &lab.Poll{}))
	other, err := newClassroom()
	require.NoError(t, err)
	assert.NotEqual(t, c.room.code, other.code)
	assert.Len(t, other.code, 8)

	t.Run("connections", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		b := atMost(l, 1)
		accepted := make(chan net.Conn)
		go func() {
			for {
				c, err := b.Accept()
				if err != nil {
					close(accepted)
					return
				}
				accepted <- c
			}
		}()
		dial := func() net.Conn {
			c, err := net.Dial("tcp", l.Addr().String())
			require.NoError(t, err)
			return c
		}
		one := dial()
		held := <-accepted
		_, err = dial().Read(make([]byte, 1))
		require.Error(t, err, "a connection too many is closed")
		require.NoError(t, held.Close())
		_ = held.Close() // closing twice frees one place only
		dial()
		again := <-accepted
		_ = again.Close()
		_ = one.Close()
		_ = l.Close()
		<-accepted
	})
}

// FuzzClass: no request of a student panics, or gets an answer without the key.
func FuzzClass(f *testing.F) {
	for _, s := range []string{"", "{}", `{"do":"join","code":"ABC"}`, `{"do":"vote","key":"","number":-1,"ticked":[9999]}`, `{"do":"state","key":null}`, "\xff"} {
		f.Add(s)
	}
	room, err := newClassroom()
	require.NoError(f, err)
	require.NoError(f, room.ask("x", &lab.Poll{Values: []lab.PollValue{{Text: "secret", Steps: []string{"a"}}}}))
	h := newClassServer(room, 8091)
	f.Fuzz(func(t *testing.T, body string) {
		w := send(h, "127.0.0.1:8091", body)
		assert.NotContains(t, w.Body.String(), "secret")
		assert.NotEqual(t, http.StatusOK, w.Code)
	})
}

// TestClassCommand: lab --class prints where students go, serves them there, and ends when it is interrupted.
func TestClassCommand(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"lab", "--addr", "127.0.0.1:0", "--class", "127.0.0.1:0"}, w, io.Discard)
		_ = w.Close()
	}()
	text := make([]byte, 4096)
	var said string
	for !strings.Contains(said, "type the code") || !strings.HasSuffix(said, "\n") {
		n, err := r.Read(text)
		require.NoError(t, err)
		said += string(text[:n])
	}
	_, rest, _ := strings.Cut(said, "Students open ")
	url, rest, _ := strings.Cut(rest, " and type the code ")
	code := strings.TrimSuffix(strings.TrimSpace(rest), ".")
	page, err := http.Get(url)
	require.NoError(t, err)
	all, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	assert.Contains(t, string(all), "Code of the class")
	answer, err := http.Post(url+"class", "application/json", bytes.NewReader(fmt.Appendf(nil, `{"do":"join","code":%q}`, code)))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, answer.Body.Close())
	go func() { _, _ = io.Copy(io.Discard, r) }()
	stop()
	assert.Zero(t, <-ended)
	var errs bytes.Buffer
	assert.Equal(t, exitUsage, run(t.Context(), []string{"lab", "--addr", "127.0.0.1:0", "--class", "nowhere:x"}, io.Discard, &errs))
	assert.Contains(t, errs.String(), "--class")
}
