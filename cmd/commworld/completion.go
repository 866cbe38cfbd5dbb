package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
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
	all := completions()
	_, err := io.WriteString(stdout, map[string]func([]shellCommand) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell](all))
	return 0, err
}

// A shellCommand is a command, by its words behind commworld, with what may follow it.
type shellCommand struct {
	words []string // none: of the program itself
	help  string
	below []shellCommand // names of commands, or values, that may follow
	flags []shellFlag
}

type shellFlag struct {
	name, help string
	short      string   // one letter, or none
	values     []string // that its value may be; none: any
	value      bool     // it has a value
}

// completions returns all commands, the program itself first.
func completions() (all []shellCommand) {
	app := newParser(&commands{}, io.Discard, io.Discard).Model
	var add func(n *kong.Node, words []string)
	add = func(n *kong.Node, words []string) {
		c := shellCommand{words: words, help: n.Help}
		for _, flags := range n.AllFlags(true) {
			for _, f := range flags {
				c.flags = append(c.flags, flagOf(f))
			}
		}
		for _, child := range n.Children {
			c.below = append(c.below, shellCommand{words: []string{child.Name}, help: child.Help})
		}
		for _, p := range n.Positional {
			if p.Enum != "" {
				for _, value := range strings.Split(p.Enum, ",") {
					c.below = append(c.below, shellCommand{words: []string{value}, help: p.Help})
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

func flagOf(f *kong.Flag) shellFlag {
	c := shellFlag{name: f.Name, help: f.Help, value: !f.IsBool()}
	if f.Short != 0 {
		c.short = string(f.Short)
	}
	if f.Enum != "" {
		c.values = strings.Split(f.Enum, ",")
	}
	return c
}

// quoted returns a text in single quotes of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func bashCompletion(all []shellCommand) string {
	var b strings.Builder
	b.WriteString(`# Completion of commworld for bash.
_commworld() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd='' words='' i
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$cmd ${COMP_WORDS[i]}" in
`)
	for _, c := range all[1:] {
		before := strings.Join(c.words[:len(c.words)-1], " ")
		fmt.Fprintf(&b, "\t\t%s) cmd=%s ;;\n", quoted(before+" "+c.words[len(c.words)-1]), quoted(strings.Join(c.words, " ")))
	}
	b.WriteString("\t\tesac\n\tdone\n\tcase \"$cmd $prev\" in\n")
	for _, c := range all {
		for _, f := range c.flags {
			if len(f.values) > 0 {
				fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", quoted(strings.Join(c.words, " ")+" --"+f.name), quoted(strings.Join(f.values, " ")))
			}
		}
	}
	b.WriteString("\tesac\n\tcase $cmd in\n")
	for _, c := range all {
		var words []string
		for _, child := range c.below {
			words = append(words, child.words[0])
		}
		for _, f := range c.flags {
			words = append(words, "--"+f.name)
		}
		fmt.Fprintf(&b, "\t%s) words=%s ;;\n", quoted(strings.Join(c.words, " ")), quoted(strings.Join(words, " ")))
	}
	b.WriteString(`	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	if [[ $cur != -* && ${#COMPREPLY[@]} -eq 0 ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _commworld commworld
`)
	return b.String()
}

func zshCompletion(all []shellCommand) string {
	var b strings.Builder
	b.WriteString("#compdef commworld\n# Completion of commworld for zsh.\n_commworld() {\n\tlocal cmd='' i\n\tlocal -a below flags\n\tfor ((i = 2; i < CURRENT; i++)); do\n\t\tcase \"$cmd ${words[i]}\" in\n")
	for _, c := range all[1:] {
		before := strings.Join(c.words[:len(c.words)-1], " ")
		fmt.Fprintf(&b, "\t\t%s) cmd=%s ;;\n", quoted(before+" "+c.words[len(c.words)-1]), quoted(strings.Join(c.words, " ")))
	}
	b.WriteString("\t\tesac\n\tdone\n\tcase $cmd in\n")
	described := strings.NewReplacer(":", `\:`, "\n", " ")
	inBrackets := strings.NewReplacer(":", `\:`, "[", `\[`, "]", `\]`, "\n", " ")
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s)\n\t\tbelow=(", quoted(strings.Join(c.words, " ")))
		for _, child := range c.below {
			fmt.Fprintf(&b, "\n\t\t\t%s", quoted(child.words[0]+":"+described.Replace(child.help)))
		}
		b.WriteString(")\n\t\tflags=(")
		for _, f := range c.flags {
			text := "--" + f.name
			if f.value {
				text += "="
			}
			text += "[" + inBrackets.Replace(f.help) + "]"
			switch {
			case len(f.values) > 0:
				text += ":value:(" + strings.Join(f.values, " ") + ")"
			case f.value:
				text += ":value:_files"
			}
			fmt.Fprintf(&b, "\n\t\t\t%s", quoted(text))
		}
		b.WriteString(")\n\t\t;;\n")
	}
	b.WriteString(`	esac
	if (( ${#below} )) && [[ ${words[CURRENT]} != -* ]]; then
		_describe command below
	else
		_arguments $flags '*:file:_files'
	fi
}
if [[ ${funcstack[1]} == _commworld ]]; then
	_commworld "$@"
else
	compdef _commworld commworld
fi
`)
	return b.String()
}

func fishCompletion(all []shellCommand) string {
	var b strings.Builder
	b.WriteString("# Completion of commworld for fish.\n")
	for _, c := range all {
		seen := "__fish_use_subcommand"
		if len(c.words) > 0 {
			seen = "__fish_seen_subcommand_from " + c.words[0]
			if len(c.words) > 1 {
				seen += "; and __fish_seen_subcommand_from " + c.words[1]
			} else if len(c.below) > 0 {
				for _, child := range c.below {
					seen += "; and not __fish_seen_subcommand_from " + child.words[0]
				}
			}
		}
		for _, child := range c.below {
			fmt.Fprintf(&b, "complete -c commworld -f -n %s -a %s -d %s\n", quoted(seen), child.words[0], fishQuoted(child.help))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c commworld -n %s -l %s", quoted(seen), f.name)
			if f.short != "" {
				fmt.Fprintf(&b, " -s %s", f.short)
			}
			if f.value {
				b.WriteString(" -r")
			}
			if len(f.values) > 0 {
				fmt.Fprintf(&b, " -f -a %s", quoted(strings.Join(f.values, " ")))
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuoted(f.help))
		}
	}
	return b.String()
}

// fishQuoted returns a text in single quotes of fish, which has other escapes.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", " ").Replace(text) + "'"
}
