package findings

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
)

// Escapes of GitHub's workflow commands, for messages and for values of properties.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub writes a workflow command for each finding, which GitHub shows beside its line, and
// a last line for the log.
func writeGitHub(w io.Writer, r *Report) error {
	out := bufio.NewWriter(w)
	for i := range r.Findings {
		f := &r.Findings[i]
		level := "error"
		if f.warns() {
			level = "warning"
		}
		where := ""
		if at, ok := f.at(); ok {
			where = fmt.Sprintf("file=%s,line=%d,", property.Replace(at.File), at.Line)
		}
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", level, where, property.Replace(f.head()), message.Replace(f.whole()))
	}
	if r.Error != "" {
		fmt.Fprintf(out, "::error title=%s::%s\n", property.Replace(r.title()), message.Replace(r.Error))
	}
	fmt.Fprintf(out, "%s of %s (exit status %d)\n", plain.Count(len(r.Findings), "finding"), message.Replace(r.title()), r.Exit)
	return out.Flush()
}
