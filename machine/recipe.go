package machine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/iofile/strategy"
)

// A Recipe has lines that make an MPI library follow advice.
type Recipe struct {
	Library string
	Lines   []string
	Report  *Report // of the run in the model with that library's rules; nil: the model does not have them
}

// Recipes returns the lines for each library, and runs p with the rules of each that the model has. If stripes change,
// the first is for the file system, without a report.
func (a *Advice) Recipes(ctx context.Context, p Program) (list []Recipe, err error) {
	if line := a.setstripe(); line != "" {
		list = append(list, Recipe{Library: "Lustre, before the file exists", Lines: []string{line}})
	}
	hints := a.hints()
	if len(hints) == 0 || a.Apart {
		return list, nil
	}
	romio := Recipe{Library: "ROMIO (MPICH, MVAPICH, Open MPI with --mca io romio341), in a file named by ROMIO_HINTS"}
	for _, h := range hints {
		romio.Lines = append(romio.Lines, h.Key+" "+h.Value)
	}
	intel := Recipe{Library: "Intel MPI, with the same file", Lines: []string{"export I_MPI_EXTRA_FILESYSTEM=1"}}
	cray := Recipe{Library: "Cray MPICH", Lines: []string{`export MPICH_MPIIO_HINTS="*` + crayHints(hints) + `"`}}
	for _, l := range []struct {
		r      *Recipe
		driver strategy.Driver
	}{{&romio, strategy.Lustre}, {&intel, strategy.Lustre}, {&cray, strategy.Cray}} {
		if err := a.run(ctx, p, l.r, l.driver); err != nil {
			return nil, err
		}
		list = append(list, *l.r)
	}
	if parameters := a.ompio(hints); parameters != "" {
		list = append(list, Recipe{Library: "OMPIO (Open MPI)", Lines: []string{"mpirun" + parameters + " ..."}})
	}
	return list, nil
}

// run runs p for a recipe, with a driver if the machine is Lustre.
func (a *Advice) run(ctx context.Context, p Program, r *Recipe, driver strategy.Driver) (err error) {
	s := a.Settings
	if s.Machine.driver() == strategy.UFS || s.Machine.driver() == driver {
		r.Report = a.Report
		return nil
	}
	s.Machine.Driver = driver.String()
	two := s.twoPhase()
	two.Driver = driver
	s.Options.Strategy = two
	r.Report, err = Run(ctx, s.Machine, s.program(p), s.Options)
	return err
}

// hints returns the hints among the settings.
func (a *Advice) hints() (list []strategy.Hint) {
	for _, set := range a.Set {
		if key, value, ok := strings.Cut(set, "="); ok {
			list = append(list, strategy.Hint{Key: key, Value: value})
		}
	}
	return list
}

func crayHints(hints []strategy.Hint) string {
	var b strings.Builder
	for _, h := range hints {
		if !strings.HasPrefix(h.Key, "romio_lustre_") && h.Key != "cb_config_list" { // its colon separates hints
			b.WriteString(":" + h.Key + "=" + h.Value)
		}
	}
	return b.String()
}

// setstripe returns the command that sets the stripes, "" if advice does not change them or there are none.
func (a *Advice) setstripe() string {
	changed := slices.ContainsFunc(a.hints(), func(h strategy.Hint) bool { return strings.HasPrefix(h.Key, "striping_") })
	if !changed || a.Machine.driver() == strategy.UFS {
		return ""
	}
	return fmt.Sprintf("lfs setstripe -c %d -S %d FILE-OR-DIRECTORY", a.Machine.stripes(), a.Machine.StripeSize)
}

// ompio returns the parameters of Open MPI's own implementation that come nearest.
func (a *Advice) ompio(hints []strategy.Hint) string {
	var b strings.Builder
	for _, h := range hints {
		switch h.Key {
		case "cb_nodes":
			b.WriteString(" --mca io_ompio_num_aggregators " + h.Value)
		case "striping_factor":
			b.WriteString(" --mca fs_lustre_stripe_width " + h.Value)
		case "striping_unit":
			b.WriteString(" --mca fs_lustre_stripe_size " + h.Value)
		}
	}
	return b.String()
}
