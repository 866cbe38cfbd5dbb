package replay

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/machine"
)

// WriteDXT runs p on m and writes its accesses in the format of darshan-dxt-parser: the
// requests as X_POSIX, the calls of MPI-IO as X_MPIIO, with the model's times. Tools that
// read such text can draw it, and [ReadDXT] reads it back. The offset of a call is that
// of its first byte; the text does not show gaps inside a call or request. Errors: those
// of machine.Run, ErrArg for a run of too many accesses, and those of w. Nothing is
// written before the run has ended.
func WriteDXT(ctx context.Context, w io.Writer, m machine.Machine, p machine.Program, o machine.Options) error {
	files := map[string]*written{}
	total := 0
	o.Observe = func(a machine.Access) {
		f := files[a.File]
		if f == nil {
			f = &written{name: a.File, first: a.First}
			files[a.File] = f
		}
		if total++; total <= mostAccesses {
			f.list[b2i(a.Call)] = append(f.list[b2i(a.Call)], Access{Rank: a.Rank, Write: a.Write, Off: a.Off, Len: a.Len, Begin: a.Begin, End: a.End})
		}
	}
	r, err := machine.Run(ctx, m, p, o)
	switch {
	case err != nil:
		return err
	case total > mostAccesses:
		return fault("%d requests and calls; a text has up to %d", total, mostAccesses)
	}
	out := bufio.NewWriter(w)
	name := cmp.Or(r.Name, "program")
	fmt.Fprintf(out, "# darshan log version: 3.41\n# compression method: NONE\n# exe: %s\n# uid: 0\n# jobid: 0\n", oneLine(name))
	fmt.Fprintf(out, "# start_time: 0\n# start_time_asci: Thu Jan  1 00:00:00 1970\n# end_time: %d\n# nprocs: %d\n# run time: %d\n", int64(r.Seconds), r.Ranks, int64(r.Seconds)+1)
	fmt.Fprintf(out, "# metadata: commworld = %s\n# metadata: machine = %s\n# metadata: strategy = %s\n", machine.Note, oneLine(m.Name), oneLine(r.Strategy))
	list := make([]*written, 0, len(files))
	for _, f := range files {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *written) int { return cmp.Compare(a.name, b.name) })
	for k, module := range [...]string{"POSIX", "MPIIO"} {
		stars := "# " + strings.Repeat("*", 51)
		fmt.Fprintf(out, "\n%s\n# DXT_%s module data\n%s\n", stars, module, stars)
		for _, f := range list {
			f.write(out, &m, module, f.list[k])
		}
	}
	return out.Flush()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A written is the accesses of one file: requests, then calls.
type written struct {
	name  string
	first int // server of the first stripe
	list  [2][]Access
}

func (f *written) write(out *bufio.Writer, m *machine.Machine, module string, list []Access) {
	slices.SortStableFunc(list, func(a, b Access) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(b2i(b.Write), b2i(a.Write)), cmp.Compare(a.Begin, b.Begin))
	})
	hash := fnv.New64a()
	hash.Write([]byte(f.name))
	osts := m.StripeCount
	if osts == 0 {
		osts = m.Servers
	}
	striped := module == "POSIX" && m.Name == "lustre"
	for len(list) > 0 {
		rank := list[0].Rank
		n := slices.IndexFunc(list, func(a Access) bool { return a.Rank != rank })
		if n < 0 {
			n = len(list)
		}
		writes := slices.IndexFunc(list[:n], func(a Access) bool { return !a.Write })
		if writes < 0 {
			writes = n
		}
		fmt.Fprintf(out, "\n# DXT, file_id: %d, file_name: %s\n# DXT, rank: %d, hostname: node%d\n", hash.Sum64(), oneLine(f.name), rank, rank/m.RanksPerNode)
		fmt.Fprintf(out, "# DXT, write_count: %d, read_count: %d\n# DXT, mnt_pt: /, fs_type: %s\n", writes, n-writes, cmp.Or(oneLine(m.Name), "UNKNOWN"))
		if striped {
			fmt.Fprintf(out, "# DXT, Lustre stripe_size: %d, Lustre stripe_count: %d\n# DXT, Lustre OST obdidx:", m.StripeSize, osts)
			for i := range osts {
				fmt.Fprintf(out, " %d", (f.first+i)%m.Servers)
			}
			out.WriteByte('\n')
		}
		out.WriteString("# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)")
		if striped {
			out.WriteString("  [OST]")
		}
		out.WriteByte('\n')
		for i, a := range list[:n] {
			op, segment := "write", i
			if !a.Write {
				op, segment = "read", i-writes
			}
			fmt.Fprintf(out, "%8s%8d%7s%9d%16d%16d%12.4f%12.4f", "X_"+module, rank, op, segment, a.Off, a.Len, a.Begin, a.End)
			if striped {
				for k, at := 0, a.Off/m.StripeSize; k < osts && at*m.StripeSize < a.Off+a.Len; k, at = k+1, at+1 {
					fmt.Fprintf(out, "  [%3d]", (f.first+int(at%int64(osts)))%m.Servers)
				}
			}
			out.WriteByte('\n')
		}
		list = list[n:]
	}
}

// oneLine returns text without line ends.
func oneLine(text string) string { return brief.Show(strings.ReplaceAll(text, "\n", " ")) }
