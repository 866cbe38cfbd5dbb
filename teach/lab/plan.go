package lab

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile/strategy"
)

// A PlanRequest has the settings of strategies.
type PlanRequest struct {
	Nodes  int   `json:"nodes"`  // aggregators of two-phase
	Buffer int64 `json:"buffer"` // size of the buffer of an aggregator or a sieve
}

// A planAnswer has the requests that strategies make to the file system.
type planAnswer struct {
	Requests string   `json:"requests"` // a drawing of the number of requests that each makes
	Bytes    string   `json:"bytes"`    // and what they move
	Words    string   `json:"words"`    // both in words
	Plans    []planOf `json:"plans"`
}

type planOf struct {
	Name       string `json:"name"`
	Text       string `json:"text"`
	Drawing    string `json:"drawing"`
	Words      string `json:"words"`
	Requests   int64  `json:"requests"`
	Bytes      int64  `json:"bytes"`
	Sent       int64  `json:"sent"`
	Useful     int64  `json:"useful"`
	Rounds     int64  `json:"rounds"`
	Collective bool   `json:"collective"`

	Exchange      string `json:"exchange,omitempty"` // a drawing of what ranks and aggregators send
	ExchangeWords string `json:"exchange_words,omitempty"`
}

// comparePlans plans one access of all ranks by each strategy.
func comparePlans(p *PlanRequest, parts []strategy.Part, write bool) (*planAnswer, error) {
	sieve := strategy.Sieve{ReadBuffer: p.Buffer, WriteBuffer: p.Buffer}
	a := &planAnswer{Plans: []planOf{}}
	for _, c := range []struct {
		name       string
		strategy   strategy.Strategy
		collective bool
	}{
		{"direct: each run of bytes is a request", strategy.Direct{}, false},
		{"sieving: each rank moves whole stretches", sieve, false},
		{"list: a request names many runs", strategy.List{}, false},
		{"two-phase: aggregators collect first", strategy.TwoPhase{Nodes: p.Nodes, Buffer: p.Buffer, Write: strategy.Enable, Read: strategy.Enable, Sieve: sieve}, true},
	} {
		made, err := strategy.NewPlan(c.strategy, write, c.collective, parts)
		if err != nil {
			return nil, err
		}
		d := &picture.Requests{Title: c.name, Data: dataOf(parts)}
		if two, ok := c.strategy.(strategy.TwoPhase); ok {
			domains, err := two.Domains(write, parts)
			if err != nil {
				return nil, err
			}
			for _, x := range domains {
				d.Domains = append(d.Domains, picture.Owned(x))
			}
		}
		a.Plans = append(a.Plans, drawPlan(d, made, c.collective))
	}
	a.compare()
	return a, nil
}

// dataOf returns the owners of the bytes of the file; none if they are too many to draw.
func dataOf(parts []strategy.Part) (all []picture.Owned) {
	for r := range parts {
		if parts[r].N == 0 {
			continue
		}
		for off, n := range parts[r].At.Runs(0, parts[r].N) {
			if len(all) == maxDrawnRequests {
				return nil
			}
			all = append(all, picture.Owned{Rank: r, Lo: off, Hi: off + n})
		}
	}
	return all
}

// compare draws the requests and bytes of all strategies side by side.
func (a *planAnswer) compare() {
	requests := &picture.Bars{Title: "Requests to the file system", Parts: []string{"requests"}}
	bytes := &picture.Bars{Title: "Bytes", Parts: []string{"data that ranks write", "moved besides: holes, reading before writing", "sent between ranks"}}
	for _, p := range a.Plans {
		name, _, _ := strings.Cut(p.Name, ":")
		requests.Runs = append(requests.Runs, picture.Run{Name: name, Values: []float64{float64(p.Requests)}, Text: plain.Count(p.Requests, "request")})
		useful := min(p.Useful, p.Bytes)
		bytes.Runs = append(bytes.Runs, picture.Run{
			Name: name, Values: []float64{float64(useful), float64(p.Bytes - useful), float64(p.Sent)},
			Text: fmt.Sprintf("%s moved, %d %% useful; %s sent", plain.Count(p.Bytes, "byte"), p.share(), plain.Count(p.Sent, "byte")),
		})
	}
	one, two := requests.Draw(), bytes.Draw()
	a.Requests, a.Bytes = one.Fragment(), two.Fragment()
	a.Words = one.Description() + two.Description()
}

// share returns the percentage of the moved bytes that are data.
func (p *planOf) share() int64 { return min(100, p.Useful*100/max(1, p.Bytes)) }

// maxDrawnRequests bounds the drawing of a plan.
const maxDrawnRequests = 400

// drawPlan draws the requests of a plan: a row for each round of each rank that makes any.
func drawPlan(d *picture.Requests, p *strategy.Plan, collective bool) planOf {
	n := p.Counts()
	o := planOf{
		Name: d.Title, Requests: n.Reads + n.Writes, Bytes: n.ReadBytes + n.WriteBytes, Sent: n.Sent, Useful: n.Useful, Rounds: n.Rounds, Collective: collective,
	}
	o.Text = fmt.Sprintf("%s, %s moved for %s of data (%d %% useful)", plain.Count(o.Requests, "request"), plain.Count(o.Bytes, "byte"),
		plain.Count(o.Useful, "byte"), o.share())
	if o.Sent > 0 {
		o.Text += fmt.Sprintf("; %s sent between ranks in %s", plain.Count(o.Sent, "byte"), plain.Count(o.Rounds, "round"))
	}
	if n.Locks > 0 {
		o.Text += fmt.Sprintf("; %s of the file", plain.Count(n.Locks, "lock"))
	}
	for i, r := range p.Requests {
		if i == maxDrawnRequests {
			o.Text += fmt.Sprintf("; the first %d are drawn", maxDrawnRequests)
			break
		}
		d.Boxes = append(d.Boxes, picture.Box{Rank: r.Rank, Round: r.Round, Lo: r.Off, Hi: r.Off + r.Len, Write: r.Write, Lock: r.Lock, Runs: r.Runs})
	}
	drawing := d.Draw()
	o.Drawing, o.Words = drawing.Fragment(), drawing.Description()
	return o
}
