package findings

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/commworld/commworld/world"
)

// The parts of SARIF 2.1.0 that a report fills.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		Stacks    []sarifStack    `json:"stacks,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifStack struct {
		Frames []sarifFrame `json:"frames"`
	}
	sarifFrame struct {
		Location sarifLocation `json:"location"`
	}
)

// writeSARIF writes a log with one run.
func writeSARIF(w io.Writer, r *Report) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"commworld", "https://github.com/commworld/commworld", []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: r.Error == "", ExitCode: r.Exit}},
		Results:     []sarifResult{},
	}
	if r.Error != "" {
		run.Invocations[0].Notifications = []sarifNotification{{"error", sarifText{r.Error}}}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		rules := &run.Tool.Driver.Rules
		at := slices.IndexFunc(*rules, func(known sarifRule) bool { return known.ID == f.id() })
		if at < 0 {
			at = len(*rules)
			help := "commworld explain " + f.Rule
			if f.Rule == "" {
				help = "docs/mistakes.md lists the kinds of findings."
			}
			*rules = append(*rules, sarifRule{f.id(), sarifText{string(f.Kind)}, sarifText{help}})
		}
		run.Results = append(run.Results, f.sarif(at))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func (f *Finding) sarif(rule int) sarifResult {
	r := sarifResult{RuleID: f.id(), RuleIndex: rule, Level: "error", Message: sarifText{f.whole()}}
	if f.warns() {
		r.Level = "warning"
	}
	for _, p := range f.Places {
		if p.File == "" || p.Line < 1 {
			continue
		}
		if at := locationOf(p); len(r.Locations) == 0 {
			r.Locations = []sarifLocation{at}
		} else {
			at.ID, at.Message = len(r.Related)+1, &sarifText{"the other call"}
			r.Related = append(r.Related, at)
		}
		var s sarifStack
		for q := &p; q != nil && q.File != "" && q.Line > 0; q = q.Caller {
			s.Frames = append(s.Frames, sarifFrame{locationOf(*q)})
		}
		if len(s.Frames) > 1 {
			r.Stacks = append(r.Stacks, s)
		}
	}
	return r
}

func locationOf(p world.Place) sarifLocation {
	return sarifLocation{Physical: sarifPhysical{sarifArtifact{uriOf(p.File)}, sarifRegion{p.Line}}}
}

// uriOf returns the name of a file as a URI: relative as it is, absolute with its scheme.
func uriOf(name string) string {
	u := url.URL{Path: name}
	if path.IsAbs(name) || len(name) > 1 && name[1] == ':' { // also of Windows
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(name, "/")
	}
	return u.String()
}
