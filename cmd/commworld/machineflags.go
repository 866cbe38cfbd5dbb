package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/machine"
)

// machineFlags choose the machine of a model.
type machineFlags struct {
	Machine string `placeholder:"NAME|FILE.toml" help:"Machine: lustre, gpfs, nfs, burstbuffer, laptop, or a file; without it, that of a trace's file system, else lustre."`

	Servers      int    `placeholder:"N" help:"File servers, in place of the machine's."`
	StripeCount  int    `placeholder:"N" help:"Servers that hold a file; without it, the machine's."`
	StripeSize   string `placeholder:"SIZE" help:"Bytes of a stripe, such as 4m."`
	RanksPerNode int    `placeholder:"N" help:"Ranks of a node, in place of the machine's."`
}

// machine returns the machine with the changes that the command line asks for.
func (c *machineFlags) machine() (machine.Machine, error) {
	m, ok := machine.Named(cmp.Or(c.Machine, "lustre"))
	if !ok {
		f, err := os.Open(c.Machine)
		if err != nil {
			return m, fmt.Errorf("machine %q is none of %s, and no file: %w%s", c.Machine, strings.Join(machine.Names, ", "), err, brief.Meant(c.Machine, machine.Names))
		}
		defer f.Close()
		if m, err = machine.Decode(f); err != nil {
			return m, err
		}
	}
	if c.Servers != 0 {
		if m.Servers = c.Servers; m.StripeCount > m.Servers {
			m.StripeCount = 0
		}
	}
	if c.StripeCount != 0 {
		m.StripeCount = c.StripeCount
	}
	if c.RanksPerNode != 0 {
		m.RanksPerNode = c.RanksPerNode
	}
	if c.StripeSize != "" {
		if err := setStripeSize(&m, c.StripeSize); err != nil {
			return m, err
		}
	}
	return m, m.Check()
}

// striping sets the stripes of m from the hints, as the creation of a file does;
// --stripe-count and --stripe-size have priority. It returns the other hints.
func (c *machineFlags) striping(hints []string, m *machine.Machine) (rest []string, err error) {
	for _, h := range hints {
		key, value, _ := strings.Cut(h, "=")
		switch key {
		case "striping_factor":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("hint striping_factor is %q; it needs a number from 1 on", value)
			}
			if c.StripeCount == 0 {
				m.StripeCount = min(n, m.Servers)
			}
		case "striping_unit":
			if c.StripeSize == "" {
				if err := setStripeSize(m, value); err != nil {
					return nil, err
				}
			}
		default:
			rest = append(rest, h)
		}
	}
	return rest, nil
}
