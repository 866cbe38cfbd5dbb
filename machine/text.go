package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile/strategy"
)

// Note is the remark about the figures in every report.
const Note = "The seconds are those of a model, for comparing ways of writing; docs/machine.md states its assumptions."

// String returns the report as text.
func (r *Report) String() string {
	var b strings.Builder
	name := r.Name
	if name == "" {
		name = "program"
	}
	fmt.Fprintf(&b, "%s, %s, %v, machine %s: %s a file, stripes of %s\n",
		name, plain.Count(r.Ranks, "rank"), r.Strategy, r.Machine.Name, plain.Count(r.Machine.stripes(), "server"), size(r.Machine.StripeSize))
	all, busiest := r.Utilisation()
	fmt.Fprintf(&b, "\nmodel's time     %s   %s/s of the program's bytes\n", seconds(r.Seconds), size(int64(r.Bandwidth())))
	share := fmt.Sprintf("%.1f %% of the bytes are the program's", 100*r.Useful())
	if r.Useful() > 1 {
		share = fmt.Sprintf("ranks ask for the same bytes, on average %.4g ranks for each", r.Useful())
	}
	fmt.Fprintf(&b, "requests         %d, %s; %s\n", r.Requests(), size(r.Bytes()), share)
	fmt.Fprintf(&b, "lock transfers   %d\n", r.LockTransfers)
	fmt.Fprintf(&b, "between ranks    %s sent, %d rounds\n", size(r.Counts.Sent), r.Counts.Rounds)
	fmt.Fprintf(&b, "servers          busy %.0f %% of the time, the busiest %.0f %%\n", 100*all, 100*busiest)
	r.sizesText(&b)
	r.partsText(&b)
	r.pathText(&b)
	b.WriteString("\n" + Note + "\n")
	if f := r.Machine.Fitted; f != "" {
		fmt.Fprintf(&b, "The machine was fitted to %s.\n", f)
	}
	for _, line := range r.Unknown() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Unknown returns what the model does not know about this run, a sentence each.
func (r *Report) Unknown() (list []string) {
	if m := &r.Machine; m.driver() != strategy.UFS && m.stripes() > knownStripes {
		list = append(list, fmt.Sprintf("Stripes beyond %d were not seen to help on any published machine (docs/machine-data.md); the model does not know why.", knownStripes))
	}
	return list
}

func (r *Report) sizesText(b *strings.Builder) {
	var words []string
	for i, n := range r.Sizes {
		if n > 0 {
			words = append(words, fmt.Sprintf("%s: %d", SizeClass(i), n))
		}
	}
	if words != nil {
		fmt.Fprintf(b, "request sizes    %s\n", strings.Join(words, ", "))
	}
}

// A Spread is the distribution of a figure over all ranks.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// Spread returns how a part of the ranks' time is distributed over the ranks.
func (r *Report) Spread(kind int) Spread {
	list := make([]float64, len(r.Parts))
	for i := range r.Parts {
		list[i] = r.Parts[i][kind]
	}
	slices.Sort(list)
	return Spread{list[0], list[len(list)/2], list[len(list)-1]}
}

func (r *Report) partsText(b *strings.Builder) {
	slowest := r.Slowest()
	fmt.Fprintf(b, "\n%-10s %12s %12s %12s %14s\n", "time in", "least", "median", "most", fmt.Sprintf("rank %d, last", slowest))
	for kind, name := range PartNames {
		s := r.Spread(kind)
		if s.Max == 0 {
			continue
		}
		fmt.Fprintf(b, "%-10s %12s %12s %12s %14s\n", name, seconds(s.Min), seconds(s.Median), seconds(s.Max), seconds(r.Parts[slowest][kind]))
	}
}

func (r *Report) pathText(b *strings.Builder) {
	sum := r.Critical()
	if total := sum.Sum(); total > 0 {
		k := sum.largest()
		fmt.Fprintf(b, "\ncritical path    %.0f %% %s", 100*sum[k]/total, PartNames[k])
		if len(r.Labels) > 0 {
			fmt.Fprintf(b, "; most time of all ranks goes into %s", r.Labels[0].Label)
		}
		b.WriteString("\n")
	}
	const most = 6
	path := slices.Clone(r.Path)
	slices.SortStableFunc(path, func(x, y Stretch) int {
		switch a, c := x.Parts.Sum(), y.Parts.Sum(); {
		case a > c:
			return -1
		case a < c:
			return 1
		}
		return 0
	})
	shown := 0
	for i := range path {
		p := &path[i]
		if t := p.Parts.Sum(); t > 0 && shown < most {
			shown++
			fmt.Fprintf(b, "  rank %d before %s: %s, of it %s in %s\n", p.Rank, p.Before, seconds(t), seconds(p.Parts[p.Parts.largest()]), PartNames[p.Parts.largest()])
		}
	}
	if more := len(path) - shown; more > 0 && shown == most {
		fmt.Fprintf(b, "  and %d more, shorter\n", more)
	}
}

func size(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	v, i := float64(n)/(1<<10), 0
	for v >= 1<<10 && i < len(units)-1 {
		v /= 1 << 10
		i++
	}
	return fmt.Sprintf("%.4g %ciB", v, units[i])
}

// MarshalJSON returns the report as one object: "seconds", "requests", "bytes",
// "lock_transfers" and more; "ranks", the parts of each rank's time; "critical_path", its
// stretches in order of time; and "calls", the parts of all ranks' time by the label of
// calls.
func (r *Report) MarshalJSON() ([]byte, error) {
	ranks := make([]map[string]any, len(r.Parts))
	for i := range r.Parts {
		ranks[i] = r.Parts[i].named()
		ranks[i]["rank"], ranks[i]["end"] = i, r.Ends[i]
	}
	path := make([]map[string]any, len(r.Path))
	for i := range r.Path {
		path[i] = r.Path[i].Parts.named()
		path[i]["rank"], path[i]["before"] = r.Path[i].Rank, r.Path[i].Before
	}
	calls := make([]map[string]any, len(r.Labels))
	for i := range r.Labels {
		calls[i] = r.Labels[i].Parts.named()
		calls[i]["call"] = r.Labels[i].Label
	}
	parts := map[string]Spread{}
	for k, name := range PartNames {
		parts[name] = r.Spread(k)
	}
	sizes := map[string]int64{}
	for i, n := range r.Sizes {
		sizes[SizeClass(i)] = n
	}
	all, busiest := r.Utilisation()
	return json.Marshal(map[string]any{
		"note": Note, "name": r.Name, "machine": r.Machine, "strategy": r.Strategy,
		"ranks_count": r.Ranks, "seconds": r.Seconds, "bandwidth": r.Bandwidth(),
		"requests": r.Requests(), "bytes": r.Bytes(), "useful_bytes": r.Counts.Useful, "sent_bytes": r.Counts.Sent,
		"reads": r.Counts.Reads, "writes": r.Counts.Writes, "read_bytes": r.Counts.ReadBytes, "write_bytes": r.Counts.WriteBytes,
		"rounds": r.Counts.Rounds, "locks": r.Counts.Locks, "lock_transfers": r.LockTransfers, "metadata_operations": r.MetadataOps,
		"sizes": sizes, "servers": r.Servers, "server_utilisation": all, "busiest_server": busiest,
		"parts": parts, "ranks": ranks, "critical_path": path, "calls": calls,
	})
}

// named returns the parts by name.
func (p *Parts) named() map[string]any {
	m := map[string]any{}
	for k, name := range PartNames {
		m[name] = p[k]
	}
	return m
}
