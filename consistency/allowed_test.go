package consistency_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parse reads the programs of ranks, in the notation of litmus tests: O and Os open
// with all ranks or alone (O2: a second handle), C closes, A and a turn atomic
// mode on and off, S syncs, B is a barrier, W(place,v) and R(place) write and
// read, iW and iR are nonblocking and wK completes the K-th of them, >K and <K
// are message K, Z asks for the size, T(n) sets it, P(n) preallocates. A place
// is bytes: 0, 0-9 or 0-7+12-19. Words of handle 2 end in '.
func parse(t require.TestingT, init string, programs ...string) consistency.History {
	h := consistency.History{Init: []byte(init)}
	for r, text := range programs {
		var steps []consistency.Step
		barriers, opens, requests, names := 0, 0, 0, 0
		name := func() string { names++; return string(rune('w' + names)) }
		for _, word := range strings.Fields(text) {
			s := consistency.Step{Handle: 1}
			if w, second := strings.CutSuffix(word, "'"); second {
				word, s.Handle = w, 2
			}
			op, arg, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
			if rest, nb := strings.CutPrefix(op, "i"); nb {
				requests++
				op, s.Request = rest, requests
			}
			number := func(s string) int { n, err := strconv.Atoi(s); require.NoError(t, err); return n }
			switch {
			case op == "O":
				s.Do, s.ID = consistency.DoOpen, opens
				opens++
			case op == "Os":
				s.Do, s.ID = consistency.DoOpen, 100*(r+1)+opens
				opens++
			case op == "C":
				s.Do = consistency.DoClose
			case op == "S":
				s.Do = consistency.DoSync
			case op == "A" || op == "a":
				s.Do, s.On = consistency.DoAtomic, op == "A"
			case op == "B":
				s.Do, s.ID = consistency.DoBarrier, barriers
				barriers++
			case op == "W":
				place, v, _ := strings.Cut(arg, ",")
				s.Do, s.Runs = consistency.DoWrite, runs(t, place)
				for _, run := range s.Runs {
					s.Data = append(s.Data, slices.Repeat([]byte(v), int(run.Len))...)
				}
			case op == "R":
				s.Do, s.Runs, s.Name = consistency.DoRead, runs(t, arg), name()
			case op == "Z":
				s.Do, s.Name = consistency.DoSize, name()
			case op == "T", op == "P":
				s.Do, s.Bytes = map[string]consistency.Do{"T": consistency.DoSetSize, "P": consistency.DoGrow}[op], int64(number(arg))
			case op[0] == '>', op[0] == '<':
				s.Do, s.ID = map[byte]consistency.Do{'>': consistency.DoSend, '<': consistency.DoRecv}[op[0]], number(op[1:])
			case op[0] == 'w':
				s.Do, s.Request = consistency.DoWait, number(op[1:])
			default:
				require.Fail(t, "unknown word "+word)
			}
			steps = append(steps, s)
		}
		h.Ranks = append(h.Ranks, steps)
	}
	return h
}

func runs(t require.TestingT, place string) (list []consistency.Run) {
	for part := range strings.SplitSeq(place, "+") {
		var lo, hi int64
		if n, _ := fmt.Sscanf(part, "%d-%d", &lo, &hi); n == 1 {
			hi = lo
		} else {
			require.Equal(t, 2, n, part)
		}
		list = append(list, consistency.Run{Off: lo, Len: hi - lo + 1})
	}
	return list
}

// readable prints the values of an outcome as the text that was written.
func readable(o consistency.Outcome) string {
	var all []string
	for _, f := range strings.Fields(o.String()) {
		name, hex, _ := strings.Cut(f, "=")
		if name == "file" {
			continue
		}
		var b strings.Builder
		for len(hex) > 1 {
			n, err := strconv.ParseUint(hex[:2], 16, 8)
			if err != nil {
				b.WriteString(hex[:1])
			} else {
				b.WriteByte(byte(n))
			}
			hex = hex[2:]
		}
		all = append(all, name+"="+b.String()+hex)
	}
	return strings.Join(all, " ")
}

// If one of these fails, a user reads that the standard allows what it
// forbids, or the other way round. Each row lists all that is allowed.
func TestAllowedOutcomes(t *testing.T) {
	for _, l := range []struct {
		name, init string
		programs   []string
		want       []string
	}{
		{"LIT-01", "", []string{"O A W(0-3,5)", "O A R(0-3)"}, []string{"1.x=", "1.x=5555"}},
		{"LIT-02", "", []string{"O A W(0-3,5) B", "O A B R(0-3)"}, []string{"1.x=5555"}},
		{"LIT-03", "", []string{"O A W(0-3,5) >1", "O A <1 R(0-3)"}, []string{"1.x=5555"}},
		{"LIT-04", "", []string{"O W(0-3,5) S B S", "O S B S R(0-3)"}, []string{"1.x=5555"}},
		{"LIT-05 second syncs dropped", "0000", []string{"O W(0-3,5) S B", "O B S R(0-3)"}, []string{"1.x=5555"}},
		{"LIT-06", "", []string{"O W(0-3,5) S", "O S R(0-3)"}, []string{"1.x=*"}},
		{"LIT-07", "0000", []string{"O W(0,5) B", "O B R(0-1)"}, []string{"1.x=?0"}},
		{"LIT-08", "2", []string{"O A iW(0,4) iR(0) w1 w2"}, []string{"0.x=2", "0.x=4"}},
		{"LIT-13", "2", []string{"O iW(0,4) iR(0) w1 w2"}, []string{"0.x=?"}},
		{"LIT-14 atomic", "2", []string{"O A iW(0,4) iR(0) w2 w1"}, []string{"0.x=2", "0.x=4"}},
		{"LIT-14", "2", []string{"O iW(0,4) iR(0) w2 w1"}, []string{"0.x=?"}},
		{"LIT-15", "2", []string{"O iW(0,4) w1 iR(0) w2"}, []string{"0.x=4"}},
		{"LIT-15 atomic", "2", []string{"O A iW(0,4) w1 iR(0) w2"}, []string{"0.x=4"}},
		{"LIT-16", "2", []string{"O W(0,4) R(0)"}, []string{"0.x=4"}},
		{"LIT-17 atomic", "2", []string{"O A iW(0,4) iR(0) w1 w2", "O A iW(0,4) iR(0) w1 w2"}, []string{
			"0.x=2 1.x=2", "0.x=2 1.x=4", "0.x=4 1.x=2", "0.x=4 1.x=4",
		}},
		{"LIT-18", "2", []string{"O iW(0,4) iR(0) w2 w1"}, []string{"0.x=?"}},
		{"LIT-21", "0", []string{"Os W(0,5) C B", "B Os R(0)"}, []string{"1.x=5"}},
		{"LIT-22", "0", []string{"Os A W(0,5) B", "Os A B R(0)"}, []string{"1.x=?"}},
		{"LIT-23", "0", []string{"Os W(0,5) S B S", "Os S B S R(0)"}, []string{"1.x=5"}},
		{"LIT-24", "0", []string{"O W(0,5) S B", "O S B R(0)"}, []string{"1.x=?"}},
		{"LIT-25", "0", []string{"O W(0,5) B S", "O B S R(0)"}, []string{"1.x=?"}},
		{"LIT-26", "000", []string{"O A W(0-2,1) S B S R(0-2)", "O A W(0-2,2) S B S R(0-2)"}, []string{
			"0.x=111 1.x=111", "0.x=222 1.x=222",
		}},
		{"LIT-27", "0000000", []string{"O A W(0-2+5-6,1) S B S R(0-6)", "O A W(2-5,2) S B S R(0-6)"}, []string{
			"0.x=1112211 1.x=1112211", "0.x=1122221 1.x=1122221",
		}},
		{"LIT-28", "0000000", []string{"O W(0-2+5-6,1) S B S R(0-6)", "O W(2-5,2) S B S R(0-6)"}, []string{"0.x=11?22?1 1.x=11?22?1"}},
		{"LIT-29", "0000", []string{"O W(0+2,1) R(0+2) S B S R(0-3)", "O W(1+3,2) R(1+3) S B S R(0-3)"}, []string{
			"0.x=11 0.y=1212 1.x=22 1.y=1212",
		}},
		{"LIT-30", "0", []string{"O W(0,1) B S B S R(0)", "O B W(0,2) S B S R(0)"}, []string{"0.x=? 1.x=?"}},
		{"LIT-31", "0", []string{"O W(0,1) S B S S B S R(0)", "O S B S W(0,2) S B S R(0)"}, []string{"0.x=2 1.x=2"}},
		{"LIT-32", "00", []string{"O A W(0,1) R(1)", "O A W(1,1) R(0)"}, []string{"0.x=0 1.x=1", "0.x=1 1.x=0", "0.x=1 1.x=1"}},
		{"LIT-33", "00", []string{"O A W(0,1) W(1,1)", "O A R(1) R(0)"}, []string{"1.x=0 1.y=0", "1.x=0 1.y=1", "1.x=1 1.y=1"}},
		{"LIT-35", "0", []string{"O A W(0,1)", "O A R(0) R(0)"}, []string{"1.x=0 1.y=0", "1.x=0 1.y=1", "1.x=1 1.y=1"}},
		{"LIT-36 LIT-32 nonatomic", "00", []string{"O W(0,1) R(1)", "O W(1,1) R(0)"}, []string{"0.x=? 1.x=?"}},
		{"LIT-36 LIT-35 nonatomic", "0", []string{"O W(0,1)", "O R(0) R(0)"}, []string{"1.x=? 1.y=?"}},
		{"LIT-37", "0", []string{"O iW(0,7) A w1", "O A R(0)"}, []string{"1.x=?"}},
		{"LIT-38", "0", []string{"O A iW(0,7) w1", "O A R(0)"}, []string{"1.x=0", "1.x=7"}},
		{"LIT-41", "0000000000", []string{"Os R(0-9)", "Os T(0)"}, []string{"0.x=*"}},
		{"LIT-45 content only after sync, barrier, sync", "00", []string{"O W(0,1) B S B S", "O B W(1,2) R(0) S B S R(0-1)"}, []string{"1.x=? 1.y=12"}},
		{"LIT-46", "ab", []string{"O R(0-1)", "O R(0-1) A R(0)"}, []string{"0.x=ab 1.x=ab 1.y=a"}},
		{"LIT-47", "00", []string{"O iW(0,1) iW(1,2) w1 w2 R(0-1)"}, []string{"0.x=12"}},
		{"LIT-48", "0", []string{"O O' W(0,1) R(0)' S S' R(0)'"}, []string{"0.x=? 0.y=1"}},
		{"LIT-49", "00", []string{"O W(0,1) R(0-1)", "O W(1,2) R(0-1)"}, []string{"0.x=1? 1.x=?2"}},
	} {
		t.Run(l.name, func(t *testing.T) {
			all, err := consistency.Allowed(parse(t, l.init, l.programs...))
			require.NoError(t, err)
			var got []string
			for _, o := range all {
				if text := readable(o); !slices.Contains(got, text) {
					got = append(got, text)
				}
			}
			slices.Sort(got)
			want := slices.Clone(l.want)
			slices.Sort(want)
			assert.Equal(t, want, got)
		})
	}
}

// If this fails, four readers may see two orders of two writes, or sizes
// go wrong.
func TestAllowedOrdersAndSizes(t *testing.T) {
	t.Run("LIT-34", func(t *testing.T) {
		h := parse(t, "00", "O A W(0,1)", "O A W(1,1)", "O A R(0) R(1)", "O A R(1) R(0)")
		all, err := consistency.Allowed(h)
		require.NoError(t, err)
		see := func(x, y, z, w string) consistency.Outcome {
			return consistency.Outcome{Vars: map[string]string{"2.x": x, "2.y": y, "3.x": z, "3.y": w}}
		}
		assert.Len(t, all, 15)
		for _, o := range []struct {
			o    consistency.Outcome
			want bool
		}{{see("31", "30", "31", "30"), false}, {see("31", "30", "30", "30"), true}, {see("31", "31", "31", "31"), true}} {
			assert.Equal(t, o.want, all.Allows(o.o), "%v", o.o)
			ok, err := consistency.Explains(h, o.o)
			assert.NoError(t, err)
			assert.Equal(t, o.want, ok, "%v", o.o)
		}
	})
	size := func(h consistency.History) []string {
		all, err := consistency.Allowed(h)
		require.NoError(t, err)
		var list []string
		for _, o := range all {
			list = append(list, o.String())
		}
		return list
	}
	t.Run("LIT-39 LIT-40 LIT-42 sizes", func(t *testing.T) {
		assert.Equal(t, []string{"0.x=10 0.y=21 file=" + strings.Repeat("61", 10) + strings.Repeat("..", 10) + "62"},
			size(parse(t, "", "O W(0-49,a) T(10) Z W(20,b) Z")))
		assert.Equal(t, []string{"0.x=30 0.y=30 0.z=30 file=......62" + strings.Repeat("..", 26)}, size(parse(t, "", "O P(30) Z P(5) Z W(3,b) Z")))
		assert.Equal(t, []string{"1.x=* file=31313131"}, size(parse(t, "", "O W(0-3,1) B", "O B Z")))
		assert.Equal(t, []string{"1.x=4 file=31313131"}, size(parse(t, "", "O W(0-3,1) S B S", "O S B S Z")))
	})
	t.Run("programs that do not run are errors", func(t *testing.T) {
		for want, h := range map[string]consistency.History{
			"deadlock":      parse(t, "", "O <1", "O"),
			"CONS-SYNC-02":  parse(t, "", "O iW(0,1) S"),
			"no request 3":  parse(t, "", "O w3"),
			"not open":      parse(t, "", "W(0,1)"),
			"at most 64":    parse(t, "", "O"+strings.Repeat(" W(0,1)", 65)),
			"bytes of data": {Ranks: [][]consistency.Step{{{Do: consistency.DoOpen}, {Do: consistency.DoWrite, Runs: []consistency.Run{{Len: 2}}}}}},
		} {
			_, err := consistency.Allowed(h)
			assert.ErrorContains(t, err, want)
		}
	})
}

// player runs a history on an image, step by step, and notifies a detector.
type player struct {
	im     *image.Image
	d      *race.Detector
	hs     []map[int]*image.Handle
	ts     []map[int]*race.Tracker
	clocks [][]uint64
	atomic []map[int]bool
	vars   map[string]string
}

type known []uint64

func (k known) Covers(rank int, time uint64) bool { return time <= k[rank] }

// bytesAt shows all bytes from disp on, in order.
func bytesAt(disp int64) types.Tiling {
	l, err := types.Byte.Layout(types.Host)
	if err != nil {
		panic(fmt.Sprint("bytes have a layout: ", err))
	}
	return types.Tiling{L: l, Disp: disp}
}

func rulesOf(m consistency.Model) image.Rules {
	r := image.Rules{Early: m.PublishesEarly(), Fresh: m.ReadsFresh()}
	r.Seed, r.Chaos = m.Seed()
	return r
}

func (p *player) tick(r int) (uint64, known) {
	p.clocks[r][r]++
	return p.clocks[r][r], slices.Clone(p.clocks[r])
}

func play(t *rapid.T, h consistency.History, model consistency.Model, pick func(n int) int) *player {
	p := &player{im: image.NewImage(image.NewMemory(0xA5)), d: race.NewDetector(race.DetectorOptions{}), vars: map[string]string{}}
	first := p.im.Open()
	if err := first.Write(bytesAt(0), 0, slices.Clone(h.Init)); err != nil {
		t.Fatal(err)
	}
	first.Close()
	for range h.Ranks {
		p.hs = append(p.hs, map[int]*image.Handle{})
		p.ts = append(p.ts, map[int]*race.Tracker{})
		p.atomic = append(p.atomic, map[int]bool{})
		p.clocks = append(p.clocks, make([]uint64, len(h.Ranks)))
	}
	pc := make([]int, len(h.Ranks))
	for {
		var able []int
		waiting := 0
		for r := range pc {
			switch {
			case pc[r] == len(h.Ranks[r]):
			case h.Ranks[r][pc[r]].Do == consistency.DoBarrier:
				waiting++
			default:
				able = append(able, r)
			}
		}
		if len(able) == 0 {
			if waiting == 0 {
				return p
			}
			all := make([]uint64, len(pc))
			for _, c := range p.clocks {
				for i := range c {
					all[i] = max(all[i], c[i])
				}
			}
			for r := range pc {
				copy(p.clocks[r], all)
				pc[r]++
			}
			continue
		}
		r := able[pick(len(able))]
		p.step(t, r, &h.Ranks[r][pc[r]], model)
		pc[r]++
	}
}

func (p *player) step(t *rapid.T, r int, s *consistency.Step, model consistency.Model) {
	time, clock := p.tick(r)
	h, tr := p.hs[r][s.Handle], p.ts[r][s.Handle]
	var err error
	a := &race.Access{Op: "x", Atomic: p.atomic[r][s.Handle], Time: time, Clock: clock}
	switch s.Do {
	case consistency.DoOpen:
		p.hs[r][s.Handle] = p.im.OpenAs(rulesOf(model))
		p.ts[r][s.Handle] = p.d.Open(s.ID, r, time, clock)
	case consistency.DoSync:
		err = h.Publish()
		h.Adopt()
		tr.Sync(time, clock)
	case consistency.DoClose:
		err = h.Close()
		tr.Close(time, clock)
	case consistency.DoAtomic:
		err = h.Publish()
		h.SetAtomic(s.On)
		p.atomic[r][s.Handle] = s.On
	case consistency.DoWrite:
		run := s.Runs[0]
		err = h.Write(bytesAt(0), run.Off, slices.Clone(s.Data))
		a.Write, a.Bytes = true, extent.Between(run.Off, run.Off+run.Len)
		tr.Access(a)
	case consistency.DoRead:
		run := s.Runs[0]
		got := make([]byte, run.Len)
		var n int64
		n, err = h.Read(bytesAt(0), run.Off, got)
		p.vars[fmt.Sprintf("%d.%s", r, s.Name)] = fmt.Sprintf("%x", got[:n])
		a.Bytes = extent.Between(run.Off, run.Off+n)
		a.Short, a.EndsAt = n < run.Len, h.Size()
		tr.Access(a)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func drawHistory(t *rapid.T) consistency.History {
	n := rapid.IntRange(2, 3).Draw(t, "ranks")
	rounds := rapid.IntRange(1, 3).Draw(t, "rounds")
	programs := make([]string, n)
	style := rapid.SampledFrom([]string{" S B S", " S B S", " B", " S", " S B", " B S", " C B O"}).Draw(t, "between")
	atomic := rapid.IntRange(0, 2).Draw(t, "atomic") == 0
	for r := range programs {
		programs[r] = "O"
		if atomic {
			programs[r] += " A B"
		}
		names := 0
		for k := range rounds {
			if k > 0 {
				programs[r] += style
				if atomic && strings.Contains(style, "O") {
					programs[r] += " A B"
				}
			}
			for range rapid.IntRange(0, 2).Draw(t, "accesses") {
				lo := rapid.IntRange(0, 3).Draw(t, "lo")
				hi := lo + rapid.IntRange(0, 1).Draw(t, "more")
				if rapid.Bool().Draw(t, "write") {
					programs[r] += fmt.Sprintf(" W(%d-%d,%c)", lo, hi, 'a'+byte(r*8+k*2+names%2))
				} else {
					programs[r] += fmt.Sprintf(" R(%d-%d)", lo, hi)
				}
				names++
			}
		}
		programs[r] += " S B C"
	}
	return parse(t, rapid.SampledFrom([]string{"0123456", "01", ""}).Draw(t, "init"), programs...)
}

// Two theorems on which everything rests. If the first fails, some model shows
// what the standard forbids. If the second fails, a program that was called
// clean gives other results elsewhere.
func TestOutcomesAreAllowed(t *testing.T) {
	t.Run("LIT-X2 CONS-D03 random programs, models and schedules", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			h := drawHistory(t)
			allowed, err := consistency.Allowed(h)
			if err != nil {
				t.Fatal(err)
			}
			seed := rapid.Uint64().Draw(t, "seed")
			clean, unordered := true, false
			seen := map[string]bool{}
			for i, m := range []consistency.Model{
				consistency.Weakest, consistency.Weakest, consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX,
				consistency.Chaos(seed), consistency.Chaos(seed + 1),
			} {
				dice := seed + uint64(i)
				p := play(t, h, m, func(n int) int { dice = dice*6364136223846793005 + 1442695040888963407; return int(dice>>33) % n })
				if !allowed.Allows(consistency.Outcome{Vars: p.vars}) {
					t.Fatalf("under %v: %v\nallowed:\n%v", m, p.vars, allowed)
				}
				ok, err := consistency.Explains(h, consistency.Outcome{Vars: p.vars})
				if err != nil || !ok {
					t.Fatalf("%v is not explained: %v", p.vars, err)
				}
				clean = clean && len(p.d.Races()) == 0
				unordered = unordered || len(p.d.Unordered()) > 0
				seen[fmt.Sprint(p.vars)] = true
			}
			if clean && !unordered && len(seen) > 1 {
				t.Fatalf("no race, and yet %v", seen)
			}
			if clean && strings.Contains(valuesOf(allowed), "??") {
				t.Fatalf("no race was found, and yet\n%v", allowed)
			}
		})
	})
}

func valuesOf(all consistency.Outcomes) string {
	var b strings.Builder
	for _, o := range all {
		text, _, _ := strings.Cut(o.String(), "file=")
		b.WriteString(text)
	}
	return b.String()
}
