package script

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
)

// The families of random programs: each adds statements of its kind to plain ones.
var exploredFamilies = []string{
	"plain", "atomic", "nonblocking", "split", "shared", "ordered", "pointer", "two handles", "two files",
	"self", "groups", "sizes", "collective", "reopen", "delete",
}

// A sharedFile draws a program of one family.
type sharedFile struct {
	*rand.Rand
	strings.Builder
	ranks, n int
	handles  []string
	under    [][]string // by rank: requests
}

// draw writes a program of a few statements, so that there are not too many orders.
func (p *sharedFile) draw(family string) string {
	p.ranks = 2
	if p.IntN(3) == 0 {
		p.ranks += 1 + p.IntN(2)
	}
	p.under = make([][]string, p.ranks)
	fmt.Fprintf(p, "ranks %d\n", p.ranks)
	if p.IntN(3) > 0 {
		p.WriteString("file f = 09*6\n")
	}
	if family == "two files" {
		p.WriteString("file g = 08*6\n")
	}
	if p.handles = []string{"h"}; family == "delete" && p.IntN(2) == 0 {
		for range 3 + p.IntN(3) {
			p.n++
			p.special(family) // each rank opens it by itself
		}
		return p.String()
	}
	p.WriteString("all:\n open h f rdwr|create\n")
	if family == "two files" || family == "two handles" {
		fmt.Fprintf(p, " open k %s rdwr\n", map[string]string{"two files": "g", "two handles": "f"}[family])
		p.handles = append(p.handles, "k")
	}
	if family == "atomic" && p.IntN(2) == 0 {
		p.WriteString(" atomic h on\n")
	}
	for range 3 + p.IntN(5-p.ranks/2) {
		if p.n++; p.IntN(2) == 0 || !p.special(family) {
			p.plain()
		}
	}
	for r := range p.ranks {
		if len(p.under[r]) > 0 {
			fmt.Fprintf(p, "%d:\n waitall\n", r)
		}
	}
	for _, h := range p.handles {
		fmt.Fprintf(p, "all:\n close %s\n", h)
	}
	return p.String()
}

func (p *sharedFile) rank() int      { return p.IntN(p.ranks) }
func (p *sharedFile) handle() string { return p.handles[p.IntN(len(p.handles))] }

// plain writes a statement that all families have.
func (p *sharedFile) plain() {
	r, h := p.rank(), p.handle()
	switch p.IntN(8) {
	case 0:
		fmt.Fprintf(p, "all:\n sync %s\n", h)
	case 1:
		p.WriteString("all:\n barrier\n")
	case 2:
		to := (r + 1 + p.IntN(p.ranks-1)) % p.ranks
		fmt.Fprintf(p, "%d:\n send %d %d byte 1\n%d:\n recv %d %d byte*1 -> m%d\n", r, to, p.n, to, r, p.n, p.n)
	case 3, 4, 5:
		fmt.Fprintf(p, "%d:\n write_at %s %d byte %d*%d\n", r, h, p.IntN(3), 10*p.n+r, 1+p.IntN(3))
	default:
		fmt.Fprintf(p, "%d:\n read_at %s %d byte*%d -> v%d\n", r, h, p.IntN(3), 1+p.IntN(3), p.n)
	}
}

// special writes a statement of the family, and reports whether it did.
func (p *sharedFile) special(family string) bool {
	r, h := p.rank(), p.handle()
	one := func(list ...string) string { return list[p.IntN(len(list))] }
	switch family {
	case "atomic":
		fmt.Fprintf(p, "all:\n atomic %s %s\n", h, one("on", "off"))
	case "nonblocking":
		q := fmt.Sprintf("q%d", p.n)
		if p.under[r] = append(p.under[r], q); p.IntN(2) == 0 {
			fmt.Fprintf(p, "%d:\n iwrite_at %s %d byte %d*2 as %s\n", r, h, p.IntN(3), 10*p.n+r, q)
		} else {
			fmt.Fprintf(p, "%d:\n %s -> v%d as %s\n", r, one("iread_at h 1 byte*2", "iread h byte*2"), p.n, q)
		}
		if p.IntN(2) == 0 {
			fmt.Fprintf(p, "%d:\n waitall\n", r)
			p.under[r] = nil
		}
	case "split":
		begin, end := fmt.Sprintf("write_at_all_begin %s r byte %d*2", h, 10*p.n), "write_at_all_end"
		if p.IntN(2) == 0 {
			begin, end = fmt.Sprintf("read_at_all_begin %s r byte*2 -> v%d", h, p.n), "read_at_all_end"
		}
		fmt.Fprintf(p, "all:\n %s\n", begin)
		p.n++
		p.plain()
		fmt.Fprintf(p, "all:\n %s %s\n", end, h)
	case "shared":
		fmt.Fprintf(p, "%d:\n %s\n", r, one(fmt.Sprintf("write_shared %s byte %d", h, 10*p.n+r), fmt.Sprintf("read_shared %s byte*1 -> v%d", h, p.n)))
	case "ordered":
		fmt.Fprintf(p, "all:\n %s\n", one(fmt.Sprintf("write_ordered %s byte %d", h, 10*p.n), fmt.Sprintf("read_ordered %s byte*1 -> v%d", h, p.n)))
	case "pointer":
		fmt.Fprintf(p, "%d:\n %s\n", r, one(fmt.Sprintf("write %s byte %d", h, 10*p.n+r), fmt.Sprintf("read %s byte*2 -> v%d", h, p.n),
			fmt.Sprintf("seek %s 0 end\n get_position %s -> v%d", h, h, p.n), fmt.Sprintf("seek %s 1 set", h)))
	case "two handles", "two files":
		fmt.Fprintf(p, "all:\n sync %s\n barrier\n sync %s\n", h, p.handle())
	case "self":
		fmt.Fprintf(p, "%d:\n self open s%d f rdwr\n", r, p.n)
		if p.IntN(2) == 0 {
			fmt.Fprintf(p, " write_at s%d %d byte %d*2\n", p.n, p.IntN(3), 10*p.n)
		} else {
			fmt.Fprintf(p, " read_at s%d %d byte*2 -> v%d\n", p.n, p.IntN(3), p.n)
		}
		fmt.Fprintf(p, " close s%d\n", p.n)
	case "groups":
		for r := range p.ranks {
			fmt.Fprintf(p, "%d:\n allgather int %d*%d -> m%d\n", r, r, p.n%2, p.n)
		}
	case "sizes":
		if p.IntN(2) == 0 {
			fmt.Fprintf(p, "%d:\n get_size %s -> v%d\n", r, h, p.n)
			return true
		}
		fmt.Fprintf(p, "all:\n %s %s %d\n", one("set_size", "preallocate"), h, p.IntN(8))
	case "collective":
		fmt.Fprintf(p, "all:\n %s\n", one(fmt.Sprintf("write_at_all %s r byte %d*2", h, 10*p.n), fmt.Sprintf("read_at_all %s r byte*2 -> v%d", h, p.n)))
	case "reopen":
		fmt.Fprintf(p, "all:\n close h\n open h f rdwr\n")
	case "delete":
		fmt.Fprintf(p, "%d:\n self open s%d f rdwr|create%s\n", r, p.n, one("", "|delete_on_close", "|unique_open", "|excl"))
		fmt.Fprintf(p, " %s\n close s%d\n", one(fmt.Sprintf("read_at s%d 0 byte*2 -> v%d", p.n, p.n), fmt.Sprintf("write_at s%d 1 byte %d", p.n, 10*p.n)), p.n)
	default:
		return false
	}
	return true
}

var exploredPrograms = flag.Uint64("explored", 0, "how many random programs of each model are explored and compared with seeds")

// TestLITX2ExploredCoversSeeds: whatever a random program finds under any seed is among what was
// explored, under each model, if the exploration says that it is complete.
func TestLITX2ExploredCoversSeeds(t *testing.T) {
	n, seeds := *exploredPrograms, uint64(20)
	switch {
	case n > 0:
	case testing.Short() || !thorough.All():
		n = 60
	default:
		n = 500
	}
	for _, model := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			complete, racy := 0, 0
			for i := range n {
				p := &sharedFile{Rand: rand.New(rand.NewPCG(i, *family))}
				text := p.draw(exploredFamilies[i%uint64(len(exploredFamilies))])
				s, err := Parse(text)
				require.NoError(t, err, text)
				rep, err := Explore(t.Context(), s, Options{Model: model, MaxSchedules: 3000})
				require.NoError(t, err, "program %d\n%s", i, text)
				if !rep.Complete || rep.Deadlock != nil {
					continue
				}
				if complete++; len(rep.Races) > 0 {
					racy++
				}
				known := map[string]bool{}
				for _, o := range rep.Outcomes {
					known[o.text] = true
					assert.True(t, !o.Judged || o.Allowed, "program %d: not allowed: %s\n%s", i, o.text, text)
				}
				for seed := range seeds {
					o := Options{Model: model, Seed: seed}
					if seed%4 == 3 {
						o.Replay = fmt.Sprint("pct:3:", seed)
					}
					one, err := Run(t.Context(), s, o)
					require.NoError(t, err, text)
					if one.Err != nil || one.Deadlock != nil {
						continue
					}
					for _, got := range one.Outcomes {
						if !known[got.text] {
							t.Errorf("program %d, seed %d: %s\nis not among the %d outcomes\n%s", i, seed, got.text, len(known), text)
						}
					}
				}
			}
			t.Logf("%d programs, %d explorations complete, %d of them with a race", n, complete, racy)
			assert.NotZero(t, complete)
			assert.NotZero(t, racy)
		})
	}
}

// What was once not explored, though an exploration said that it was complete.
func TestLITX2ExploredOutcomes(t *testing.T) {
	const open, end = "ranks 2\nall:\n open h f rdwr|create\n", "\nall:\n close h\n"
	for _, row := range []struct {
		name, text string
		model      consistency.Model
		want       []string // outcomes
		runs       int
	}{
		{
			"CONS-C2 when a rank opens", "0:\n write_at h 0 byte 5\n1:\n read_at h 0 byte*1 -> x", consistency.Session,
			[]string{"1.x = , file f = 05", "1.x = 05, file f = 05"},
			2,
		},
		{
			"CONS-C2 when a rank syncs", "0:\n write_at h 0 byte 5\nall:\n sync h\n1:\n read_at h 0 byte*1 -> x", consistency.Session,
			[]string{"1.x = , file f = 05", "1.x = 05, file f = 05"},
			2,
		},
		{
			"CONS-C2 when a rank publishes", "0:\n write_at h 0 byte 5\n1:\n read_at h 0 byte*1 -> x\nall:\n sync h", consistency.Commit,
			[]string{"1.x = , file f = 05", "1.x = 05, file f = 05"},
			2,
		},
		{
			"CONS-PTR-01 a pointer moves by what its read finds", "0:\n write h byte 7*4\n1:\n read h byte*4 -> x\n read h byte*4 -> y", consistency.POSIX,
			[]string{"1.x = , 1.y = , file f = 07070707", "1.x = , 1.y = 07070707, file f = 07070707", "1.x = 07070707, 1.y = , file f = 07070707"},
			3,
		},
		{
			"CONS-D08 another write makes the file longer first",
			"1:\n read_at h 2 byte*3 -> v\n0:\n get_size h -> s\n1:\n get_size h -> w\n0:\n write_at h 2 byte 40\n1:\n write_at h 0 byte 51*2",
			consistency.POSIX,
			[]string{
				"0.s = 0, 1.v = , 1.w = 0, file f = 333328", "0.s = 0, 1.v = , 1.w = 3, file f = 333328",
				"0.s = 0, 1.v = 28, 1.w = 3, file f = 333328", "0.s = 2, 1.v = , 1.w = 0, file f = 333328",
			},
			4,
		},
		{
			"IO-AMODE-06 a close deletes the file", "0:\n self open k f rdwr|delete_on_close\n close k\n1:\n self open s f rdwr\n read_at s 0 byte*1 -> x\n close s",
			consistency.Session,
			[]string{"1.x = ", ""},
			2,
		},
		{
			"IO-AMODE-07 others have closed the file",
			"ranks 2\n0:\n self open k f rdwr|create|unique_open\n close k\n1:\n self open s f rdwr|create\n read_at s 0 byte*1 -> x\n close s",
			consistency.Weakest,
			[]string{"1.x = , file f = ", "file f = "},
			4,
		},
		{
			"CONS-C3 a handle that is opened when others have closed theirs",
			"ranks 3\nfile f = 09*4\nall:\n self open h f rdwr\n0:\n set_size h 1\n write_at h 1 byte 20*3\n1:\n write_at h 0 byte 16*2\n2:\n get_size h -> x\nall:\n close h\n",
			consistency.Weakest,
			[]string{
				"2.x = 1, file f = 10101414", "2.x = 2, file f = 10101414", "2.x = 4, file f = 10101414",
				"2.x = 1, file f = 10141414", "2.x = 2, file f = 10141414", "2.x = 4, file f = 10141414",
			},
			16,
		},
		{
			"CONS-PTR-01 a pointer moves by what its read finds before or after a write that is under way",
			"0:\n iwrite_at h 1 byte 10 as p\n iread h byte*2 -> x as q\n waitall\n read h byte*1 -> y",
			consistency.Commit,
			[]string{"0.x = , 0.y = .., file f = ..0a", "0.x = ..0a, 0.y = .., file f = ..0a", "0.x = ..0a, 0.y = , file f = ..0a"},
			3,
		},
		{
			"CONS-ATOM-01 an atomic read moves the pointer by what it finds",
			" atomic h on\n0:\n write_at h 0 byte 1*2\n1:\n read h byte*2 -> x\n write h byte 9", consistency.Weakest,
			[]string{"1.x = 0101, file f = 010109", "1.x = , file f = 0901", "1.x = , file f = 0101"},
			3,
		},
		{
			"IO-SIZE-08 a write that a test has not found is under way",
			"ranks 1\nfile f = \"\"\n0:\n open h f rdwr\n iwrite_at h 2 byte 1 as q\n test q -> t\n iread_at h 0 byte*1 -> x as p\n waitall q p\n close h\n",
			consistency.Commit,
			[]string{"0.t = 1, 0.x = .., file f = ....01", "0.t = 0, 0.x = .., file f = ....01", "0.t = 0, 0.x = , file f = ....01"},
			3,
		},
		{
			"IO-SIZE-08 another open cuts the file beside a read that is under way",
			"ranks 2\nfile f = 09*4\nall:\n self open h f rdwr\n0:\n iread_at h 3 byte*1 -> x as q\n write_at h 5 byte 20\n wait q\n1:\n set_size h 3\nall:\n close h\n",
			consistency.Commit,
			[]string{"0.x = , file f = 090909....14", "0.x = .., file f = 090909....14", "0.x = 09, file f = 090909....14", "0.x = 09, file f = 090909"},
			4,
		},
		{
			"IO-SIZE-08 another rank makes the file longer before a write that is under way",
			"ranks 2\nfile f = \"\"\nall:\n open h f rdwr\n0:\n iwrite_at h 0 byte 1 as q1\n iread_at h 0 byte*1 -> x as q2\n wait q1\n wait q2\n" +
				"1:\n iread_at h 0 byte*2 -> y as q3\n iwrite_at h 1 byte 2 as q4\n wait q3\n wait q4\nall:\n close h\n",
			consistency.POSIX,
			[]string{
				"0.x = 00, 1.y = 0002, file f = 0102", "0.x = 00, 1.y = 0102, file f = 0102", "0.x = 00, 1.y = , file f = 0102",
				"0.x = 01, 1.y = 0002, file f = 0102", "0.x = 01, 1.y = 01, file f = 0102", "0.x = 01, 1.y = 0102, file f = 0102", "0.x = 01, 1.y = , file f = 0102",
				"0.x = , 1.y = 0002, file f = 0102", "0.x = , 1.y = 01, file f = 0102", "0.x = , 1.y = 0102, file f = 0102", "0.x = , 1.y = , file f = 0102",
			},
			14,
		},
		{
			"IO-SIZE-08 a write that is under way does not make the file longer yet",
			"0:\n write_at h 3 byte 1\n1:\n iwrite_at h 1 byte 2 as q\n read_at h 0 byte*1 -> x\n wait q", consistency.POSIX,
			[]string{"1.x = , file f = ..02..01", "1.x = 00, file f = ..02..01"},
			4,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := open + row.text + end
			if strings.HasPrefix(row.text, "ranks") {
				text = row.text
			}
			s, err := Parse(text)
			require.NoError(t, err)
			rep, err := Explore(t.Context(), s, Options{Model: row.model})
			require.NoError(t, err)
			assert.True(t, rep.Complete, "%v", rep.Stopped)
			var all []string
			for _, o := range rep.Outcomes {
				all = append(all, o.text)
			}
			assert.ElementsMatch(t, row.want, all)
			assert.Equal(t, row.runs, rep.Schedules)
		})
	}
}

// TestLITX2ExploredAtomicWrites: what a handle of another open finds may be an atomic write that others
// have overwritten: it sees each of them, or not. So their order counts, though no other rank sees it.
func TestLITX2ExploredAtomicWrites(t *testing.T) {
	s, err := Parse("ranks 3\nfile f = 00*3\nall:\n open h f rdwr\n open k f rdwr\n atomic h on\n0:\n write_at h 1 byte 10\n" +
		"1:\n write_at h 0 byte 20*3\n2:\n write_at h 0 byte 30*3\n read_at k 0 byte*3 -> x\nall:\n close h\n close k\n")
	require.NoError(t, err)
	rep, err := Explore(t.Context(), s, Options{})
	require.NoError(t, err)
	assert.True(t, rep.Complete)
	assert.Len(t, rep.Outcomes, 22)
	assert.True(t, slices.ContainsFunc(rep.Outcomes, func(o Seen) bool { return o.text == "2.x = 140a14, file f = 1e1e1e" }))
}

// TestLITX2RunsPerOutcome: an exploration makes few runs for each outcome, in families of programs
// in which all orders of the calls are possible. Runs that are stopped because they would repeat
// others are counted apart. Run it with -v for the table. Models and numbers of ranks that are not in
// it take longer. A query of the size takes a run for each set of writes before it, if what it finds is
// not chosen: 16 runs for 5 outcomes of five ranks. To leave out those beside a longer write would be
// wrong: the run in which that one comes later is planned from them.
func TestLITX2RunsPerOutcome(t *testing.T) {
	open := func(ranks int, body string) string {
		return fmt.Sprintf("ranks %d\nfile f = 00010203\nall:\n open h f rdwr\n%sall:\n close h\n", ranks, body)
	}
	each := func(n int, text string) (all string) {
		for i := range n {
			all += strings.ReplaceAll(text, "#", fmt.Sprint(i))
		}
		return all
	}
	some := func(first, last int, text string) string { return fmt.Sprintf("%d-%d:\n%s", first, last, text) }
	senders := func(n int, receive string) string {
		return fmt.Sprintf("ranks %d\n", n) + some(1, n-1, " send 0 1 int {r}\n") + "0:\n" + receive
	}
	const write, read = " write_at h 0 int {r+1}\n", " read_at h 0 int*1 -> x\n"
	all := []consistency.Model{consistency.Weakest, consistency.POSIX, consistency.Session, consistency.Commit}
	sizes := func(n int) string { // the longest of those before the query
		return open(n, each(n-1, "#:\n write_at h 1# byte 1\n")+fmt.Sprintf("%d:\n get_size h -> s\n", n-1))
	}
	five := func(n int) int { // or n, unless tests run in full
		if thorough.All() {
			return 5
		}
		return n
	}
	for _, row := range []struct {
		name     string
		most     int // ranks
		outcomes []int
		text     func(n int) string
		models   []consistency.Model // under which it is measured
	}{
		{"senders to any source", 5, []int{1, 2, 6, 24}, func(n int) string {
			return senders(n, each(n-1, " recv any 1 int*1 -> x#\n"))
		}, all},
		{"probes", 5, []int{1, 4, 36, 576}, func(n int) string { // and any of the messages is received
			return senders(n, each(n-1, " probe any 1 -> p#\n recv any 1 int*1 -> x#\n"))
		}, all},
		{"polls", 5, []int{2, 4, 12, 48}, func(n int) string {
			return senders(n, " irecv any 1 int*1 -> a as q\n test q -> s\n test q -> t\n wait q\n"+each(n-2, " recv any 1 int*1 -> x#\n"))
		}, all},
		{"atomic writers", 5, []int{2, 3, 4, 5}, func(n int) string {
			return open(n, "all:\n atomic h on\n"+write)
		}, all},
		{"atomic writers and a reader", 5, []int{2, 6, 12, 20}, func(n int) string {
			return open(n, "all:\n atomic h on\n"+some(0, n-2, write)+fmt.Sprintf("%d:\n", n-1)+read)
		}, all},
		{"racing writers and a reader", 5, []int{2, 6, 12, 20}, func(n int) string {
			return open(n, some(0, n-2, write)+fmt.Sprintf("%d:\n", n-1)+read)
		}, all},
		{"ranks that write and read", five(4), []int{4, 24, 200, 2160}, func(n int) string {
			return open(n, "all:\n"+write+read)
		}, all[:2]},
		{"shared pointer", 5, []int{2, 6, 24, 120}, func(n int) string { // each order is an outcome
			return open(n, "all:\n write_shared h int {r+1}\n")
		}, all},
		{"ordered", 5, []int{1, 1, 1, 1}, func(n int) string {
			return open(n, "all:\n write_ordered h int {r+1}\n read_ordered h int*1 -> x\n")
		}, all},
		{"sizes", 4, []int{2, 3, 4}, sizes, all[1:]},
		{"sizes that are chosen", 5, []int{2, 3, 4, 5}, sizes, all[:1]},
		{"two files", 5, []int{4, 9, 16, 25}, func(n int) string {
			return fmt.Sprintf("ranks %d\nfile f = 00*4\nfile g = 00*4\nall:\n open h f rdwr\n open k g rdwr\n%s%s close h\n close k\n",
				n, write, strings.Replace(write, "h", "k", 1))
		}, all},
		{"session", five(4), []int{4, 24, 200, 2160}, func(n int) string {
			return open(n, "all:\n"+write+" sync h\n"+read)
		}, all[2:3]},
		{"commit", five(4), []int{4, 24, 200, 2160}, func(n int) string {
			return open(n, "all:\n"+write+" sync h\n"+read)
		}, all[3:]},
		{"message and file", 5, []int{1, 6, 60, 888}, func(n int) string {
			return open(n, some(1, n-1, write+" send 0 1 int {r}\n")+"0:\n"+each(n-1, " recv any 1 int*1 -> m#\n read_at h 0 int*1 -> x#\n"))
		}, all[1:2]},
		{"delete", 5, []int{2, 4, 8, 16}, func(n int) string { // who is there before it
			return fmt.Sprintf("ranks %d\nfile f = 00*4\n%d:\n delete f\n", n, n-1) +
				each(n-1, "#:\n self open h f rdwr|create\n write_at h # byte 1\n close h\n")
		}, all},
	} {
		t.Run(row.name, func(t *testing.T) {
			for ranks := 2; ranks <= row.most; ranks++ {
				s, err := Parse(row.text(ranks))
				require.NoError(t, err)
				for _, model := range row.models {
					rep, err := Explore(t.Context(), s, Options{Model: model})
					require.NoError(t, err)
					require.True(t, rep.Complete, "%v", rep.Stopped)
					n := len(rep.Outcomes)
					t.Logf("%d ranks, %-8v %4d runs, %3d more stopped, %3d outcomes", ranks, model, rep.Schedules, rep.Redundant, n)
					assert.Equal(t, row.outcomes[ranks-2], n, "%d ranks, %v", ranks, model)
					assert.LessOrEqual(t, rep.Schedules, 3*n, "%d ranks, %v", ranks, model)
				}
			}
		})
	}
	t.Run("POSIX needs no fewer than the weakest model", func(t *testing.T) { // which lets a read choose
		s, err := Parse(open(4, "all:\n"+write+read))
		require.NoError(t, err)
		weakest, err := Explore(t.Context(), s, Options{})
		require.NoError(t, err)
		posix, err := Explore(t.Context(), s, Options{Model: consistency.POSIX})
		require.NoError(t, err)
		assert.LessOrEqual(t, weakest.Schedules, posix.Schedules)
	})
}
