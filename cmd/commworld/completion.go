package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/commworld/commworld/internal/show/shell"
)

// completionCommand is the command line of completion.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// Help returns the text of --help between the summary and the flags.
func (*completionCommand) Help() string {
	return `To complete commands, flags and their values in new shells:

  commworld completion bash -o ~/.local/share/bash-completion/completions/commworld
  commworld completion zsh -o ~/.zfunc/_commworld      with fpath+=~/.zfunc in .zshrc
  commworld completion fish -o ~/.config/fish/completions/commworld.fish

The folders have to exist.`
}

func (c *completionCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	_, err := io.WriteString(stdout, shell.Completion(c.Shell, "commworld", completions()))
	return 0, err
}

// completions returns all commands, the program itself first.
func completions() (all []shell.Command) {
	app := newParser(&commands{}, io.Discard, io.Discard).Model
	var add func(n *kong.Node, words []string)
	add = func(n *kong.Node, words []string) {
		c := shell.Command{Words: words, Help: n.Help}
		for _, flags := range n.AllFlags(true) {
			for _, f := range flags {
				c.Flags = append(c.Flags, flagOf(f))
			}
		}
		for _, child := range n.Children {
			c.Below = append(c.Below, shell.Command{Words: []string{child.Name}, Help: child.Help})
		}
		for _, p := range n.Positional {
			if p.Enum != "" {
				for _, value := range strings.Split(p.Enum, ",") {
					c.Below = append(c.Below, shell.Command{Words: []string{value}, Help: p.Help})
				}
			}
		}
		all = append(all, c)
		for _, child := range n.Children {
			add(child, append(slices.Clone(words), child.Name))
		}
	}
	add(app.Node, nil)
	return all
}

func flagOf(f *kong.Flag) shell.Flag {
	c := shell.Flag{Name: f.Name, Help: f.Help, Value: !f.IsBool(), Placeholder: f.FormatPlaceHolder()}
	if f.Short != 0 {
		c.Short = string(f.Short)
	}
	if f.Enum != "" {
		c.Values = strings.Split(f.Enum, ",")
	}
	return c
}
