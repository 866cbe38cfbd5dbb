package machine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/show/picture"
)

// Draw runs p on m and returns a drawing, as SVG, of the load of its servers and its slowest
// ranks over time. It runs the model twice: first to find the slowest ranks.
func Draw(ctx context.Context, m Machine, p Program, o Options) (string, error) {
	r, err := Run(ctx, m, p, o)
	if err != nil {
		return "", err
	}
	o.Chart, o.Follow = true, r.slowest(8)
	if r, err = Run(ctx, m, p, o); err != nil {
		return "", err
	}
	return r.draw(o.Follow).SVG(), nil
}

// slowest returns up to n ranks; the one that waited least for others comes first.
func (r *Report) slowest(n int) []int {
	list := make([]int, r.Ranks)
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(r.Ends[b]-r.Parts[b][InPeers], r.Ends[a]-r.Parts[a][InPeers])
	})
	list = list[:min(n, len(list))]
	slices.Sort(list)
	return list
}

// mostServers bounds the servers in a drawing.
const mostServers = 24

func (r *Report) draw(ranks []int) *picture.Drawing {
	d := &picture.Load{
		Title: fmt.Sprintf("%s, %d ranks, %v, machine %s", r.Name, r.Ranks, r.Strategy, r.Machine.Name),
		End:   seconds(r.Seconds),
		Notes: []string{fmt.Sprintf("%s, %d requests, %d lock transfers; darker: busier", seconds(r.Seconds), r.Requests(), r.LockTransfers), Note},
	}
	busiest := make([]int, len(r.Servers))
	for i := range busiest {
		busiest[i] = i
	}
	slices.SortStableFunc(busiest, func(a, b int) int { return cmp.Compare(r.Servers[b].Busy, r.Servers[a].Busy) })
	used := 0
	for used < len(busiest) && r.Servers[busiest[used]].Requests > 0 {
		used++
	}
	shown := busiest[:min(mostServers, used)]
	slices.Sort(shown)
	for _, i := range shown {
		d.Lanes = append(d.Lanes, r.lane(fmt.Sprintf("server %d", i), r.serverCharts[i]))
	}
	if used > len(shown) {
		d.Notes = append([]string{fmt.Sprintf("the %d busiest of %d servers that got requests", len(shown), used)}, d.Notes...)
	}
	if idle := len(r.Servers) - used; idle > 0 {
		d.Notes = append([]string{fmt.Sprintf("%d of %d servers got no request", idle, len(r.Servers))}, d.Notes...)
	}
	for _, rank := range ranks {
		d.Lanes = append(d.Lanes, r.lane(fmt.Sprintf("rank %d", rank), r.rankCharts[rank]))
	}
	return d.Draw()
}

func (r *Report) lane(name string, t *timeline) picture.LoadLane {
	const cells = 240
	l := picture.LoadLane{Name: name, Busy: make([]float64, cells)}
	for i := range cells {
		l.Busy[i] = t.at(r.Seconds*float64(i)/cells, r.Seconds*float64(i+1)/cells)
	}
	return l
}

// Compare returns a drawing, as SVG, of the time of several runs, split by the parts of
// their critical paths.
func Compare(title string, names []string, reports []*Report) string {
	d := &picture.Bars{Title: title, Parts: PartNames[:], Notes: []string{"length: the model's time, by what the critical path went into", Note}}
	for i, r := range reports {
		sum := r.Critical()
		values := sum[:]
		if total := sum.Sum(); total > 0 {
			for k := range values {
				values[k] *= r.Seconds / total
			}
		}
		d.Runs = append(d.Runs, picture.Run{
			Name: names[i], Values: values,
			Text: fmt.Sprintf("%s, %d requests, %d lock transfers", seconds(r.Seconds), r.Requests(), r.LockTransfers),
		})
	}
	return d.Draw().SVG()
}
