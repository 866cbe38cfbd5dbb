package site

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"

	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/exercise"
	"github.com/commworld/commworld/teach/lab"
)

// Course returns the pages of the course alone, for the server of the lab: they stand in the
// folder course, and the files of the lab in the folder above.
func Course() (map[string][]byte, error) {
	s := &maker{files: map[string][]byte{}, names: map[string]string{}, lab: ""}
	if err := s.addCourse(); err != nil {
		return nil, err
	}
	if err := s.write(); err != nil {
		return nil, err
	}
	return s.files, nil
}

// addCourse adds the lessons, and a page that lists them.
func (s *maker) addCourse() error {
	list := "# The course\n\nLessons on MPI-IO. Each has a question, programs to change and run in the page, and an exercise that is marked " +
		"in the page. Answers and scripts are kept by this browser. The exercises in Go are marked in a terminal: " +
		"`commworld course start 01 DIR`.\n\n"
	s.chapters = append(s.chapters, chapter{name: "course/index.html", title: "Course"})
	at := len(s.chapters) - 1
	for _, l := range course.Lessons() {
		e, err := exercise.Find(l.Name)
		if err != nil {
			return err
		}
		c := chapter{name: "course/" + l.Name + ".html", source: "teach/course/" + l.Name + "/lesson.md", text: []byte(inPage(l.Page())), of: l, exercise: e}
		c.title = heading(c.text)
		s.names[c.source] = c.name
		s.chapters = append(s.chapters, c)
		list += fmt.Sprintf("- [%s](%s.html)\n", c.title, l.Name)
	}
	s.chapters[at].text = []byte(list)
	return nil
}

// inPage returns the text of a lesson with links in place of what stands in it for a terminal.
func inPage(text string) string {
	return inTerminal.ReplaceAllString(text, "- [The lab](lab:index.html): any program, its views and requests, to change.\n"+
		"- [A vote](lab:vote.html): ask a class what may come out, before you reveal it.\n")
}

var inTerminal = regexp.MustCompile("- `commworld lab --open`: .*\n")

// A pane is a program in the text of a lesson that the reader may change.
type pane struct {
	Title, Script string
	Story         template.HTML
	Show          string // what it shows first: run, outcomes, models or requests
	Lab           string // address of the files of the lab
	State         string // of the page of the lab, with the script
}

var parts = template.Must(template.New("").Parse(`{{define "pane"}}<section class="pane" data-show="{{.Show}}" aria-label="Program: {{.Title}}">
<h3>{{.Title}}</h3>
{{.Story}}<p class="label" aria-hidden="true">Rank script, to change</p>
<textarea aria-label="Rank script: {{.Title}}" spellcheck="false" autocapitalize="off" autocomplete="off" rows="{{.Rows}}">
{{.Script}}</textarea>
<div class="row"><button type="button" data-do="run">Steps</button><button type="button" data-do="outcomes">Every outcome</button><button type="button" data-do="models">Models</button><button type="button" data-do="requests">Requests</button><button type="button" data-do="reset">As it was</button><a class="to-lab" href="{{.Lab}}index.html#{{.State}}">Open in the lab</a> <a class="to-vote" href="{{.Lab}}vote.html#{{.State}}">Ask a class</a></div>
<div class="shown"></div>
</section>
{{end}}{{define "view"}}<form class="pane view" aria-label="View: {{.filetype}}">
<div class="fields"><label>Ranks (n)<input name="ranks" type="number" min="1" max="64" value="{{.ranks}}"></label><label>Displacement, bytes<input name="disp" value="{{.disp}}"></label><label>Etype<input name="etype" value="{{.etype}}"></label><label>Filetype<input name="filetype" value="{{.filetype}}"></label><label>Bytes to show<input name="bytes" type="number" min="0" value="{{.bytes}}"></label><label>Etypes a row<input name="width" type="number" min="0" value="{{.width}}"></label></div>
<div class="shown"></div>
</form>
{{end}}{{define "question"}}<form class="question">
<fieldset><legend>{{.Text}}</legend>
{{range $i, $a := .Answers}}<p><label><input type="radio" name="answer" value="{{$i}}"> <span>{{$a.Text}}</span></label><span class="remark"></span></p>
{{end}}</fieldset>
<div class="row"><button type="submit" disabled>Record my answer</button><button type="button" class="skip-question">Show the lesson without an answer</button></div>
<p class="judged" role="status"></p>
</form>
<div class="later">
{{end}}{{define "exercise"}}<section class="exercise" aria-labelledby="script-exercise">
<h2 id="script-exercise">Exercise in this page</h2>
{{.Task}}<p class="label" aria-hidden="true">Rank script</p>
<textarea aria-label="Rank script of the exercise" spellcheck="false" autocapitalize="off" autocomplete="off" rows="{{.Rows}}">
{{.Start}}</textarea>
<div class="row"><button type="button" data-do="mark">Mark</button><button type="button" data-do="outcomes">Every outcome</button><button type="button" data-do="run">Steps</button><button type="button" data-do="reset">Start again</button><a href="{{.Root}}language.txt">The language</a></div>
<div class="marking" role="status"></div>
<div class="shown"></div>
<p>In a terminal: <code>commworld course show {{.Number}} --script -o {{.Number}}.mpio</code>, then <code>commworld course mark {{.Number}} {{.Number}}.mpio</code>.</p>
</section>
{{end}}{{define "go"}}<p>This exercise is for a terminal: <code>commworld course start {{.}} lesson{{.}}</code> writes it, <code>commworld course mark {{.}} lesson{{.}}</code> marks it.</p>
{{end}}`))

func part(name string, of any) (string, error) {
	var b bytes.Buffer
	err := parts.ExecuteTemplate(&b, name, of)
	return b.String(), err
}

// Rows is the height of the editor.
func (p pane) Rows() int { return strings.Count(p.Script, "\n") + 1 }

// paneOf returns a pane as HTML. root is the address of the files of the lab.
func (r *codeRenderer) paneOf(title, story, script, show string) (string, error) {
	p := pane{Title: title, Script: script, Show: show, Lab: r.lab, State: lab.State(script)}
	if story != "" {
		text, err := markdown(story)
		if err != nil {
			return "", err
		}
		p.Story = text
	}
	return part("pane", p)
}

func markdown(text string) (template.HTML, error) {
	var b bytes.Buffer
	err := goldmark.Convert([]byte(text), &b)
	return template.HTML(b.String()), err
}

// live returns the live pane for a command whose output a text shows; empty if there is none.
func (r *codeRenderer) live(code string) (string, error) {
	first, _, _ := strings.Cut(code, "\n")
	words := shellWords(strings.TrimPrefix(first, "$ "))
	if r.lesson == nil || len(words) < 3 || words[0] != "commworld" {
		return "", nil
	}
	switch {
	case words[1] == "view":
		fields := map[string]string{"disp": "0", "width": "0", "bytes": "0"}
		for i := 2; i+1 < len(words); i += 2 {
			fields[strings.TrimPrefix(words[i], "--")] = words[i+1]
		}
		return part("view", fields)
	case words[1] == "run" && words[2] == "--explore":
		name := words[len(words)-1]
		text, err := fs.ReadFile(r.lesson.Files(), path.Base(name))
		if err != nil {
			return "", err
		}
		return r.paneOf(path.Base(name), "", string(text), "outcomes")
	}
	return "", nil
}

var shellWord = regexp.MustCompile(`"([^"]*)"|(\S+)`)

// shellWords splits a command, whose words may have double quotes.
func shellWords(line string) (words []string) {
	for _, m := range shellWord.FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}

// enliven adds to the text of a lesson its question and its exercise.
func (r *codeRenderer) enliven(c *chapter, body string) (string, error) {
	e := c.exercise
	question, err := part("question", e.Question)
	if err != nil {
		return "", err
	}
	programs, err := lab.Of(c.of.Number)
	if err != nil {
		return "", err
	}
	for _, p := range programs {
		if !slices.Contains(r.placed, p.Name) {
			return "", fmt.Errorf("no comment of the lesson places the program %s", p.Name)
		}
	}
	task, err := markdown(e.Task)
	if err != nil {
		return "", err
	}
	number := fmt.Sprintf("%02d", c.of.Number)
	exercise, err := part("exercise", map[string]any{"Task": task, "Start": e.Start, "Rows": strings.Count(e.Start, "\n") + 3, "Root": r.lab, "Number": number})
	if err != nil {
		return "", err
	}
	inGo, err := part("go", number)
	if err != nil {
		return "", err
	}
	const heading = `<h2 id="exercise">`
	if !strings.Contains(body, heading+"Exercise</h2>") {
		return "", errors.New("the lesson has no heading Exercise")
	}
	body = strings.Replace(body, heading+"Exercise</h2>", exercise+heading+"Exercise in Go</h2>\n"+inGo, 1)
	const paragraph = "</p>\n" // the first one asks, and what follows may tell
	return strings.Replace(body, paragraph, paragraph+question, 1) + "</div>\n" + lab.Defs(), nil
}
