package calibrate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
)

// A Residual compares one measurement with the model.
type Residual struct {
	Run     *Run
	Access  string  // write or read
	Is      float64 // bytes a second, as measured
	Model   float64 // by the fitted machine
	Stripes int
}

// Off returns by which factor the model is off, at least 1.
func (r *Residual) Off() float64 { return math.Max(r.Is/r.Model, r.Model/r.Is) }

// A Result is a fitted machine.
type Result struct {
	Machine   machine.Machine
	Residuals []Residual
	Unknown   []string // parameters that these runs do not determine: they are those of the machine that the fit began with
}

// A parameter of a machine that a fit changes.
type parameter struct {
	name string
	at   func(m *machine.Machine) []*float64
}

var parameters = []parameter{
	{"server.write", func(m *machine.Machine) []*float64 { return []*float64{&m.Server.Write} }},
	{"server.read", func(m *machine.Machine) []*float64 { return []*float64{&m.Server.Read} }},
	{"client.shared_write", func(m *machine.Machine) []*float64 { return []*float64{&m.Client.SharedWrite} }},
	{"client.shared_read", func(m *machine.Machine) []*float64 { return []*float64{&m.Client.SharedRead} }},
	{"client.process", func(m *machine.Machine) []*float64 { return []*float64{&m.Client.Process} }},
	{"lock.move, lock.extent", func(m *machine.Machine) []*float64 { return []*float64{&m.Lock.Move, &m.Lock.Extent} }},
	{"network.bandwidth", func(m *machine.Machine) []*float64 { return []*float64{&m.Network.Bandwidth} }},
}

// Fit returns m with bandwidths and locks with which the model comes nearest to the runs: the sum of the squares of the
// logarithms of model by measurement is least. progress is called before each pass. Errors: ErrArg for runs that the
// model does not have, and the error of ctx.
func Fit(ctx context.Context, m machine.Machine, runs []Run, progress func(string)) (*Result, error) {
	f := &fit{ctx: ctx}
	for i := range runs {
		if err := f.take(&runs[i]); err != nil {
			return nil, err
		}
	}
	for _, t := range f.tests {
		m.Servers = max(m.Servers, t.stripes)
	}
	best, err := f.error(&m)
	if err != nil {
		return nil, err
	}
	matters := make([]bool, len(parameters))
	for _, step := range []float64{4, 2, 1.4, 1.2, 1.08} {
		progress(fmt.Sprintf("steps of %.3gx, off by %.3gx so far", step, math.Exp(math.Sqrt(best/float64(len(f.tests))))))
		for pass := range 2 {
			before := best
			for i := range parameters {
				if pass > 0 && !matters[i] {
					continue
				}
				moved, err := f.improve(&m, &best, &parameters[i], step)
				if err != nil {
					return nil, err
				}
				matters[i] = matters[i] || moved
			}
			if best > before*0.99 {
				break
			}
		}
	}
	r := &Result{Machine: m}
	for i, p := range parameters {
		if !matters[i] {
			r.Unknown = append(r.Unknown, p.name)
		}
	}
	if r.Residuals, err = f.residuals(&m); err != nil {
		return nil, err
	}
	r.Machine.Name = "calibrated"
	r.Machine.Fitted = r.summary(len(runs))
	return r, nil
}

// summary says how good the fit is.
func (r *Result) summary(runs int) string {
	sum, most := 0.0, 1.0
	for i := range r.Residuals {
		off := r.Residuals[i].Off()
		sum, most = sum+math.Log(off), math.Max(most, off)
	}
	return fmt.Sprintf("%d measurements of %d IOR tests, off by %.2gx on average and %.2gx at most", len(r.Residuals), runs, math.Exp(sum/float64(len(r.Residuals))), most)
}

// A test is one measurement and its program.
type test struct {
	run     *Run
	access  string
	is      float64
	program machine.Program
	stripes int
}

type fit struct {
	ctx   context.Context
	tests []test
}

// mostTransfers is how many transfers of a rank the model runs: the rest of a run is like them.
const (
	mostTransfers = 16
	mostRequests  = 16 << 10
)

// take adds the measurements of a run.
func (f *fit) take(r *Run) error {
	if r.Block%r.Transfer != 0 {
		return wrong("%s: a block of %d bytes is not a multiple of a transfer of %d", r.Source, r.Block, r.Transfer)
	}
	block, segments := r.Block, r.Segments
	most := int64(max(2, min(mostTransfers, mostRequests/r.Ranks)))
	if n := block / r.Transfer; n >= most {
		block, segments = most*r.Transfer, 1
	} else {
		segments = min(segments, most/n)
	}
	for _, x := range []struct {
		access string
		is     float64
	}{{"write", r.Write}, {"read", r.Read}} {
		if x.is == 0 {
			continue
		}
		line := fmt.Sprintf("ior -t %d -b %d -s %d -%s", r.Transfer, block, segments, x.access[:1])
		for flag, on := range map[string]bool{"F": r.Apart, "c": r.Together && !r.Apart, "C": r.Shifted && x.access == "read" && !r.Apart, "e": r.Synced && x.access == "write"} {
			if on {
				line += " -" + flag
			}
		}
		w, err := pattern.Parse(line, r.Ranks)
		if err != nil {
			return wrong("%s: %w", r.Source, err)
		}
		f.tests = append(f.tests, test{r, x.access, x.is, w.Program(), r.Stripes})
	}
	return nil
}

// bandwidth returns the model's bandwidth of a test.
func (f *fit) bandwidth(m *machine.Machine, t *test) (float64, error) {
	own := *m
	own.RanksPerNode = t.run.PerNode
	if t.stripes > 0 {
		own.StripeCount = t.stripes
	}
	if s := t.run.StripeSize; s > 0 {
		if own.Lock.Unit == own.StripeSize {
			own.Lock.Unit = s
		}
		own.StripeSize = s
	}
	r, err := machine.Run(f.ctx, own, t.program, machine.Options{})
	if err != nil {
		return 0, err
	}
	return r.Bandwidth(), nil
}

// error returns the sum of the squares of the logarithms.
func (f *fit) error(m *machine.Machine) (sum float64, err error) {
	for i := range f.tests {
		is, err := f.bandwidth(m, &f.tests[i])
		if err != nil {
			return 0, err
		}
		off := math.Log(is / f.tests[i].is)
		sum += off * off
	}
	return sum, nil
}

// improve moves a parameter by a step up or down as long as that helps, and reports whether it did.
func (f *fit) improve(m *machine.Machine, best *float64, p *parameter, step float64) (moved bool, err error) {
	for _, factor := range []float64{step, 1 / step} {
		for range 6 {
			next := *m
			for _, x := range p.at(&next) {
				*x *= factor
			}
			if next.Check() != nil {
				break
			}
			e, err := f.error(&next)
			if err != nil {
				return moved, err
			}
			if e > *best*0.995 {
				break
			}
			*m, *best, moved = next, e, true
		}
		if moved {
			break
		}
	}
	return moved, nil
}

func (f *fit) residuals(m *machine.Machine) (list []Residual, err error) {
	for i := range f.tests {
		t := &f.tests[i]
		is, err := f.bandwidth(m, t)
		if err != nil {
			return nil, err
		}
		list = append(list, Residual{t.run, t.access, t.is, is, t.stripes})
	}
	return list, nil
}

// String returns the machine in TOML, with the residuals as comments.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fitted to %s.\n", r.Machine.Fitted)
	if r.Unknown != nil {
		fmt.Fprintf(&b, "# Not determined by these runs: %s.\n", strings.Join(r.Unknown, "; "))
	}
	fmt.Fprintf(&b, "#\n# %-34s %6s %6s %7s %12s %12s %6s\n", "run", "access", "ranks", "stripes", "MiB a second", "model", "by")
	for i := range r.Residuals {
		x := &r.Residuals[i]
		stripes := "?"
		if x.Stripes > 0 {
			stripes = fmt.Sprint(x.Stripes)
		}
		fmt.Fprintf(&b, "# %-34s %6s %6d %7s %12.0f %12.0f %6.2f\n", x.Run.Source, x.Access, x.Run.Ranks, stripes, x.Is/(1<<20), x.Model/(1<<20), x.Model/x.Is)
	}
	return b.String() + "\n" + r.Machine.String()
}
