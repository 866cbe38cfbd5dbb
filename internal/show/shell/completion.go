package shell

import (
	"fmt"
	"strings"
)

// A Command is a command of a program, by its words behind the name of the program, with what may
// follow it.
type Command struct {
	Words []string // none: of the program itself
	Help  string
	Below []Command // names of commands, or values, that may follow
	Flags []Flag
}

// A Flag is a flag of a command.
type Flag struct {
	Name, Help  string
	Short       string   // one letter, or none
	Values      []string // that its value may be; none: any
	Value       bool     // it has a value
	Placeholder string   // of the value
}

// Shells are the shells that have completions.
var Shells = []string{"bash", "zsh", "fish"}

// Completion returns the completions of a program for a shell. all has its commands, the program
// itself first.
func Completion(shell, program string, all []Command) string {
	switch shell {
	case "bash":
		return bash(program, all)
	case "zsh":
		return zsh(program, all)
	}
	return fish(program, all)
}

// Quoted returns a text in single quotes of a shell.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func bash(program string, all []Command) string {
	var b strings.Builder
	b.WriteString("# Completion of " + program + " for bash.\n_" + program + `() {
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
		before := strings.Join(c.Words[:len(c.Words)-1], " ")
		fmt.Fprintf(&b, "\t\t%s) cmd=%s ;;\n", Quoted(before+" "+c.Words[len(c.Words)-1]), Quoted(strings.Join(c.Words, " ")))
	}
	b.WriteString("\t\tesac\n\tdone\n\tcase \"$cmd $prev\" in\n")
	for _, c := range all {
		for _, f := range c.Flags {
			if len(f.Values) > 0 {
				fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", Quoted(strings.Join(c.Words, " ")+" --"+f.Name), Quoted(strings.Join(f.Values, " ")))
			}
		}
	}
	b.WriteString("\tesac\n\tcase $cmd in\n")
	for _, c := range all {
		var words []string
		for _, child := range c.Below {
			words = append(words, child.Words[0])
		}
		for _, f := range c.Flags {
			words = append(words, "--"+f.Name)
		}
		fmt.Fprintf(&b, "\t%s) words=%s ;;\n", Quoted(strings.Join(c.Words, " ")), Quoted(strings.Join(words, " ")))
	}
	b.WriteString(`	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	if [[ $cur != -* && ${#COMPREPLY[@]} -eq 0 ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
	fi
}
`)
	fmt.Fprintf(&b, "complete -F _%s %[1]s\n", program)
	return b.String()
}

func zsh(program string, all []Command) string {
	var b strings.Builder
	b.WriteString("#compdef " + program + "\n# Completion of " + program + " for zsh.\n_" + program + "() {\n\tlocal cmd='' i\n\tlocal -a below flags\n\tfor ((i = 2; i < CURRENT; i++)); do\n\t\tcase \"$cmd ${words[i]}\" in\n")
	for _, c := range all[1:] {
		before := strings.Join(c.Words[:len(c.Words)-1], " ")
		fmt.Fprintf(&b, "\t\t%s) cmd=%s ;;\n", Quoted(before+" "+c.Words[len(c.Words)-1]), Quoted(strings.Join(c.Words, " ")))
	}
	b.WriteString("\t\tesac\n\tdone\n\tcase $cmd in\n")
	described := strings.NewReplacer(":", `\:`, "\n", " ")
	inBrackets := strings.NewReplacer(":", `\:`, "[", `\[`, "]", `\]`, "\n", " ")
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s)\n\t\tbelow=(", Quoted(strings.Join(c.Words, " ")))
		for _, child := range c.Below {
			fmt.Fprintf(&b, "\n\t\t\t%s", Quoted(child.Words[0]+":"+described.Replace(child.Help)))
		}
		b.WriteString(")\n\t\tflags=(")
		for _, f := range c.Flags {
			text := "--" + f.Name
			if f.Value {
				text += "="
			}
			text += "[" + inBrackets.Replace(f.Help) + "]"
			switch {
			case len(f.Values) > 0:
				text += ":value:(" + strings.Join(f.Values, " ") + ")"
			case f.Value:
				text += ":value:_files"
			}
			fmt.Fprintf(&b, "\n\t\t\t%s", Quoted(text))
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
`)
	fmt.Fprintf(&b, "if [[ ${funcstack[1]} == _%s ]]; then\n\t_%[1]s \"$@\"\nelse\n\tcompdef _%[1]s %[1]s\nfi\n", program)
	return b.String()
}

func fish(program string, all []Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %s for fish.\n", program)
	for _, c := range all {
		seen := "__fish_use_subcommand"
		if len(c.Words) > 0 {
			seen = "__fish_seen_subcommand_from " + c.Words[0]
			if len(c.Words) > 1 {
				seen += "; and __fish_seen_subcommand_from " + c.Words[1]
			} else if len(c.Below) > 0 {
				for _, child := range c.Below {
					seen += "; and not __fish_seen_subcommand_from " + child.Words[0]
				}
			}
		}
		for _, child := range c.Below {
			fmt.Fprintf(&b, "complete -c %s -f -n %s -a %s -d %s\n", program, Quoted(seen), child.Words[0], fishQuoted(child.Help))
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, "complete -c %s -n %s -l %s", program, Quoted(seen), f.Name)
			if f.Short != "" {
				fmt.Fprintf(&b, " -s %s", f.Short)
			}
			if f.Value {
				b.WriteString(" -r")
			}
			if len(f.Values) > 0 {
				fmt.Fprintf(&b, " -f -a %s", Quoted(strings.Join(f.Values, " ")))
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuoted(f.Help))
		}
	}
	return b.String()
}

// fishQuoted returns a text in single quotes of fish, which has other escapes.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", " ").Replace(text) + "'"
}
