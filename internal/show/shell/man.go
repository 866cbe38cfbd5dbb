package shell

import (
	"fmt"
	"strings"
)

// ManFlag writes a flag of a manual page.
func ManFlag(b *strings.Builder, f Flag) {
	name := "--" + f.Name
	if f.Short != "" {
		name = "-" + f.Short + ", " + name
	}
	if f.Value {
		name += "=" + f.Placeholder
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", Roff(name), RoffLine(f.Help))
}

// ManText writes paragraphs; lines with a margin are shown as they are.
func ManText(b *strings.Builder, text string) {
	shown := false
	b.WriteString(".PP\n")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != shown && line != "" {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			shown = indented
		}
		if line == "" && !shown {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(RoffLine(line) + "\n")
	}
	if shown {
		b.WriteString(".fi\n")
	}
}

// Roff escapes a text for troff.
func Roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`, "'", `\(aq`, ",", `,\:`).Replace(text) // a line may break behind a comma
}

// RoffLine escapes a line of text, which may begin as a request does.
func RoffLine(text string) string {
	if text = Roff(text); strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
