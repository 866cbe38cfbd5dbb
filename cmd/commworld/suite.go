package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/teach/suite"
)

// suiteCommands are the commands for the corpus of mistakes.
type suiteCommands struct {
	List      suiteListCommand      `cmd:"" help:"List the pairs with their labels."`
	Show      suiteShowCommand      `cmd:"" help:"Print one program, as a script or in C or Go."`
	Export    suiteExportCommand    `cmd:"" help:"Write all programs as scripts, C and Go, and the table of labels, into a folder."`
	Detect    suiteDetectCommand    `cmd:"" help:"Run this program's own checks on the corpus and print what they claim."`
	Score     suiteScoreCommand     `cmd:"" help:"Score a tool's claims: precision and recall, by kind of mistake."`
	Libraries suiteLibrariesCommand `cmd:"" help:"Show what MPICH and Open MPI do with the programs, as it was measured."`
}

// suiteListCommand is the command line of suite list.
type suiteListCommand struct {
	Kind string `placeholder:"KIND" help:"Only mistakes of this kind: race, deadlock, mismatch, error, leak or wrong."`

	jsonFlag
}

func (c *suiteListCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	if c.Kind != "" && !slices.Contains(suite.Kinds(), suite.Kind(c.Kind)) {
		return 0, fmt.Errorf("--kind %s: %v", c.Kind, suite.Kinds())
	}
	labels := slices.DeleteFunc(suite.Labels(), func(l suite.Label) bool { return c.Kind != "" && string(l.Kind) != c.Kind })
	if c.JSON {
		return 0, inJSON(stdout, labels)
	}
	out := bufio.NewWriter(stdout)
	for _, l := range labels {
		fmt.Fprintf(out, "%-32s %-9s %-13s %s\n", l.Name, l.Kind, l.Rule, l.Title)
	}
	fmt.Fprintln(out, plain.Count(len(labels), "pair"))
	return 0, out.Flush()
}

// suiteShowCommand is the command line of suite show.
type suiteShowCommand struct {
	Program string `arg:"" help:"NAME/bad or NAME/clean; with .c or .go behind it, the program in that language."`

	jsonFlag
}

func (c *suiteShowCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	name, half, ok := suite.Split(c.Program)
	if !ok {
		return 0, fmt.Errorf("%q: give NAME/bad or NAME/clean, such as barrier-only/bad or barrier-only/bad.c", c.Program)
	}
	show, language := suite.Text, strings.TrimPrefix(filepath.Ext(c.Program), ".")
	if language != "" && language != "mpio" {
		show = func(name, half string) (string, error) { return suite.Program(name, half, language) }
	}
	text, err := show(name, half)
	if err != nil {
		return 0, fmt.Errorf("%w%s", err, brief.Meant(name, suite.Names()))
	}
	return 0, printProgram(stdout, c.JSON, name+"/"+half, cmp.Or(language, "mpio"), text)
}

// suiteExportCommand is the command line of suite export.
type suiteExportCommand struct {
	Dir string `arg:"" help:"Folder to make."`
}

func (c *suiteExportCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	if entries, err := os.ReadDir(c.Dir); err == nil && len(entries) > 0 {
		return 0, fmt.Errorf("%s is there already and not empty", c.Dir)
	}
	files, err := suite.Files()
	if err != nil {
		return 0, err
	}
	for name, text := range files {
		path := filepath.Join(c.Dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return 0, err
		}
	}
	_, err = fmt.Fprintf(stdout, "%s in %s\n", plain.Count(len(files), "file"), c.Dir)
	return 0, err
}

// suiteDetectCommand is the command line of suite detect.
type suiteDetectCommand struct {
	Lints bool     `help:"Also claim lints: legal calls that are probably not meant."`
	Names []string `arg:"" optional:"" help:"Pairs; without names, all."`

	JSON bool `name:"json" help:"Print one JSON object a line for each claim."`
}

func (c *suiteDetectCommand) run(ctx context.Context, stdout, _ io.Writer) (int, error) {
	names := c.Names
	if len(names) == 0 {
		names = suite.Names()
	}
	for _, name := range names {
		for _, half := range []string{suite.Bad, suite.Clean} {
			text, err := suite.Text(name, half)
			if err != nil {
				return 0, fmt.Errorf("%w%s", err, brief.Meant(name, suite.Names()))
			}
			claims, err := suite.Detect(ctx, name+"/"+half, text, c.Lints)
			if err != nil {
				return 0, err
			}
			if err := c.print(stdout, claims); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

func (c *suiteDetectCommand) print(stdout io.Writer, claims []suite.Claim) error {
	if !c.JSON {
		_, err := io.WriteString(stdout, suite.FormatClaims(claims))
		return err
	}
	for _, claim := range claims {
		if err := inJSON(stdout, claim); err != nil {
			return err
		}
	}
	return nil
}

// suiteScoreCommand is the command line of suite score.
type suiteScoreCommand struct {
	Claims string `arg:"" help:"File with a tool's claims, - for standard input."`

	jsonFlag
}

// Help returns the text of --help between the summary and the flags.
func (*suiteScoreCommand) Help() string {
	return `A claim is a line with tabs between its columns; the last three may be left out:

  PROGRAM  KIND  RULE  MISSING  RANK:LINE ...

  barrier-only/bad    race    CONS-C2  writer-sync  0:8 1:10
  barrier-only/clean  none

  barrier-only/bad.c  race    -        -            98

PROGRAM is NAME/bad or NAME/clean. If it ends in .c or .go, lines count in the C or
Go program, otherwise in the script; a tool that does not know the rank writes LINE.
KIND is race, deadlock, mismatch, error, leak or wrong, or "none" for a program in
which the tool finds nothing. A program without a line was not tried and does not
count.

  commworld suite detect | commworld suite score -
  commworld suite detect --lints | commworld suite score -

"found" counts the bad programs for which the tool has a claim. "right kind", "right
rule" (for a race: the missing call) and "in line" count those of them where a claim
agrees with the label. "named" counts the programs, clean ones included, with a
claim of this kind; precision is the share of them that have this mistake. For all
kinds together, precision is the share of bad programs among all programs with a
claim. "pairs right" counts the pairs whose bad program has a claim and whose clean
one has none. A program with both "none" and another claim is an error.`
}

func (c *suiteScoreCommand) run(ctx context.Context, stdout, _ io.Writer) (int, error) {
	var claims []suite.Claim
	err := interruptible(ctx, func() error {
		in := os.Stdin
		if c.Claims != "-" {
			f, err := os.Open(c.Claims)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		text, err := utf8Of(in)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Claims, err)
		}
		claims, err = suite.ReadClaims(text)
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(claims) == 0 {
		return 0, fmt.Errorf("%s has no claims: give a line for each program that the tool has tried, with kind none if it found nothing", c.Claims)
	}
	result := suite.Score(claims)
	if c.JSON {
		return 0, inJSON(stdout, result)
	}
	_, err = io.WriteString(stdout, result.String())
	return 0, err
}

// suiteLibrariesCommand is the command line of suite libraries.
type suiteLibrariesCommand struct {
	All bool `help:"A line for each program; without it, counts by kind."`

	JSON bool `name:"json" help:"Print one JSON object a line for each program."`
}

func (c *suiteLibrariesCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	text := suite.Libraries()
	if c.JSON {
		return 0, libraryLines(stdout, text)
	}
	if !c.All {
		text = suite.LibraryTable(text)
	}
	_, err := io.WriteString(stdout, strings.TrimRight(text, "\n")+"\n")
	return 0, err
}

// libraryLines prints the table of results as a JSON object for each program.
func libraryLines(stdout io.Writer, table string) error {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	head := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		row := struct {
			Program string            `json:"program"`
			Kind    string            `json:"kind"`
			Results map[string]string `json:"results"` // by library
		}{Results: map[string]string{}}
		for i, f := range strings.Split(line, "\t") {
			switch i {
			case 0:
				row.Program = f
			case 1:
				row.Kind = f
			default:
				row.Results[head[i]] = f
			}
		}
		if err := inJSON(stdout, row); err != nil {
			return err
		}
	}
	return nil
}
