package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/commworld/commworld/cmd/commworld/internal/explain"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/site"
)

// siteCommand is the command line of site.
type siteCommand struct {
	Dir string `arg:"" help:"Folder to write to; files of these names are replaced."`
}

// Help returns the text of --help between the summary and the flags.
func (*siteCommand) Help() string {
	return `site writes a folder that any web server can serve: README, documentation, the lessons
of the course, litmus tests and the cheat sheet, with a search, and the lab beside them.
Pages need no network. Scripts on the pages open in the lab.

  commworld site public
  python3 -m http.server --directory public

It needs the Go toolchain, and the source of commworld: that of the clone, or of the
module from which the command was installed.`
}

func (c *siteCommand) run(ctx context.Context, stdout, _ io.Writer) (int, error) {
	source := course.Source()
	if source == "" {
		return 0, errors.New("the source of commworld, which has the texts, is not where this command was built; run it in a clone: go run ./cmd/commworld site DIR")
	}
	files, err := site.Make(os.DirFS(source), explain.CheatSheet(explain.Names()))
	if err != nil {
		return 0, err
	}
	page, err := staticLab(ctx)
	if err != nil {
		return 0, err
	}
	delete(page, "lab.wasm") // browsers of these years unpack the other
	page["index.html"] = bytes.Replace(page["index.html"], []byte(`"course/`), []byte(`"../course/`), 1)
	for name, text := range page {
		files["lab/"+name] = text
	}
	if err := writeFiles(c.Dir, files); err != nil {
		return 0, err
	}
	fmt.Fprintf(stdout, "%s holds the site, %d pages; any web server can serve it, for example: python3 -m http.server --directory %[1]s\n", c.Dir, len(site.Pages(files)))
	return 0, nil
}
