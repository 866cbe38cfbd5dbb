package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// kept are mutants that survived once. Each has the test that notices it now, or
// the reason why none does.
var kept = []mutant{
	{
		"internal/overlay/overlay.go", "for some := range 1 << len(racing) {", "for some := range 2 << len(racing) {",
		"", "each result is kept once",
	},
	{
		"internal/overlay/overlay.go", "for some := range 1 << len(free) {", "for some := range 2 << len(free) {",
		"", "each position is kept once",
	},
	{
		"internal/overlay/overlay.go", "least := NewState(base, 0, 0)", "least := NewState(base, 0, 1)",
		"", "only the size of this state is read",
	},
	{
		"internal/overlay/overlay.go", "for k := i + 1; k < len(layers); k++ {", "for k := max(i-1, 0); k < len(layers); k++ {",
		"", "up to layer i the inner loop is empty",
	},
	{
		"internal/overlay/overlay.go", "for j := i; j < k && !on[k]; j++ {", "for j := i; j <= k && !on[k]; j++ {",
		"", "a layer that is not marked marks nothing",
	},
	{
		"internal/overlay/overlay.go", "if len(other) > 0 {", "if len(other) > 1 {",
		"", "one byte left is that of the last run",
	},
	{
		"internal/overlay/overlay.go", "if len(data) > 0 {", "if len(data) > 1 {",
		"", "one byte left is that of the last run",
	},
	{
		"internal/overlay/overlay.go", "make([]int16, hi-lo)", "make([]int16, hi+lo)",
		"./internal/overlay -run TestStateEqualsDefinition", "",
	},
	{
		"internal/race/extents.go", "e.byStride() && tree.Len() == 0 {", "e.byStride() && tree.Len() == 1 {",
		"./internal/race -run TestFootprintsEqualList", "",
	},
	{
		"iofile/written.go", "\tw.kinds.cut(size)\n", "",
		"./iofile -run TestWrittenTypes", "",
	},
	{
		"internal/overlay/overlay.go", "return x.Kind != Bytes }", "return x.Kind == Bytes }",
		"./internal/overlay -run TestTouchesEqualsDefinition", "",
	},
	{
		"types/nest.go", "if a.n != b.n || a.stride != b.stride {", "if a.n != b.n && a.stride != b.stride {",
		"./types -run TestEngineMatchesDefinition", "",
	},
	{
		"types/overlap.go", "o := overlap(l.overlap.Load()); o != unknown {", "o := overlap(l.overlap.Load()); o == unknown {",
		"./types -run TestEngineMatchesDefinition/bounds", "",
	},
	{
		"internal/sched/history.go", "bits := blank(max(i/64+1, h.words()))", "bits := blank(max(i/64-1, h.words()))",
		"./internal/sched -run TestExploreSharedObjects", "",
	},
	{
		"iofile/size.go", "		f.track.Joins(was.write)\n", "",
		"./script -run TestResizeEndsWithTheOpen", "",
	},
	{
		"internal/sched/explorer.go", "		i := slices.Index(n.menu, first)\n		if i < 0 {", "		i := slices.Index(n.menu, first)\n		if i <= 0 {",
		"./world -run TestExploreRaceOfBegun", "",
	},
	{
		"internal/sched/exploring.go", "	slices.SortStableFunc(x.asked, func(a, b *Decision) int { return int(a.label.rank) - int(b.label.rank) })\n", "	_ = slices.SortStableFunc[[]*Decision]\n",
		"./internal/sched", "",
	},
	{
		"internal/sched/clocktimes.go", "k, own := c.known, c.time == 0", "k, own := c.known, c.time == 1",
		"./internal/sched", "",
	},
	{
		"internal/race/writehistory.go", "		if closed := h.Close(); err == nil {\n			err = closed\n		}\n", "		_ = h.Close()\n",
		"", "closing an image in memory that nothing is left to publish of cannot fail",
	},
	{
		"internal/image/records.go", "b, keep := l.blocks[k], max(0, n-k<<blockShift)", "b, keep := l.blocks[k], max(1, n-k<<blockShift)",
		"./internal/image", "",
	},
	{
		"internal/image/records.go", "if k >= keptBlocks && keep == 0 {", "if k >= keptBlocks || keep == 0 {",
		"", "dropping kept blocks costs allocations only",
	},
	{
		"internal/image/privatelog.go", "	l.published, l.index = 0, nil\n	if rest == 0 {\n", "	l.published, l.index = 0, nil\n	if rest != 0 {\n",
		"./internal/image -run TestUnpublishedWrites", "",
	},
	{
		"internal/image/privatelog.go", "	if l.published == 0 {\n		return\n	}\n	for i := range l.published {", "	if l.published == 1 {\n		return\n	}\n	for i := range l.published {",
		"./internal/image", "",
	},
	{
		"internal/race/detector.go", "return !a.Atomic && !t.d.profile.Visible() || a.LastKnown > 0 && a.LastKnown <= time", "return !a.Atomic && !t.d.profile.Visible() || a.LastKnown > 0 && a.LastKnown < time",
		"./internal/race -run TestDetectorMergesUnobserved", "",
	},
	{
		"internal/race/detector.go", "return !a.Atomic && !t.d.profile.Visible() || a.LastKnown > 0 && a.LastKnown <= time", "return !a.Atomic || !t.d.profile.Visible() || a.LastKnown > 0 && a.LastKnown <= time",
		"./internal/race -run TestDetectorMergesUnobserved", "",
	},
	{
		"internal/image/read.go", "if extent.Ascending(at) && hi-lo > n {", "if extent.Ascending(at) && hi-lo >= n {",
		"", "a contiguous read locks the same bytes either way",
	},
	{
		"internal/image/read.go", "if k := len(hits) - 1; k < 0 || !h.log.covered(hits[k], lo, lo+n) {", "if k := len(hits) - 1; k <= 0 || !h.log.covered(hits[k], lo, lo+n) {",
		"", "reading an image whose bytes are then covered costs time only",
	},
	{
		"internal/image/image.go", "	im.sized.Store(im.size)\n	im.pager, _ = b.(Pager)", "	im.pager, _ = b.(Pager)",
		"./internal/image ./iofile", "",
	},
	{
		"comm/msg_channel.go", "(p.items() > 0 || p.done())", "(p.items() > 1 || p.done())",
		"", "one item is one partition, which has arrived when all is done",
	},
	{
		"reps/legal.go", "v > 1 || len(p) > 8 {", "v > 1 || len(p) > 9 {",
		"", "truth values have a power of two of bytes",
	},
	{
		"reps/legal.go", "if v := load(p, r.order, false); v > 0x10ffff ||", "if v := load(p, r.order, false); v > 0x10fffe ||",
		"./reps -run TestLegalCharacters", "",
	},
	{
		"reps/registry.go", "end = min(n, max(end, at+1))", "end = min(n, max(end, at))",
		"./iofile -run TestUserDatarep/REP-USR-03 -timeout 20s", "",
	},
	{
		"types/move.go", "return n > 1 && kid.n > 1 && near >= w", "return n > 1 && kid.n > 1 && near > w",
		"", "columns that touch may be moved either way; one way is faster",
	},
	{
		"types/walk.go", "w.stop = w.stop || w.left < 0", "w.stop = w.stop || w.left <= 0",
		"./types -run TestWithinBudget", "",
	},
	{
		"types/match.go", "n := (d.Len()-1)/e.Len() + 1", "n := d.Len()/e.Len() + 1",
		"", "a repetition that is longer by a whole etype differs at the same item",
	},
	{
		"types/array.go", "case g.Rank < 0 || g.Rank >= g.Size:", "case g.Rank < 0 || g.Rank > g.Size:",
		"./types -run TestArguments", "",
	},
	{
		"types/array.go", "return o == OrderC || o == OrderFortran }", "return o == OrderC }",
		"./types -run TestDarray", "",
	},
	{
		"iofile/access.go", "	if !f.cached.covers(f.view, a) {", "	if true {",
		"", "it costs time only: checkData finds what covers knows",
	},
	{
		"internal/extent/place.go", "	if k > 0 { // the copy before may reach farther", "	if k > 1 { // the copy before may reach farther",
		"./iofile -run TestExtremeOffsetsAndCounts", "",
	},
	{
		"internal/extent/place.go", "	if hi != 0 || far > MaxSize || max(tiles.Disp", "	if hi != 0 || far >= MaxSize || max(tiles.Disp",
		"", "a view shows no byte below 0, so a copy that begins MaxSize bytes after the first has none that fits: the last line says so, too",
	},
	{
		"iofile/view.go", "		if common.unlike < 0 && !v.like(first) {\n			common.unlike = r", "		if !v.like(first) {\n			common.unlike = r",
		"./iofile -run TestSharedPointer", "",
	},
	{
		"internal/race/row.go", "if next.Hi() == e.Hi() { // enough for repetitions\n		r.patience = min(2*r", "if next.Hi() == e.Hi() { // enough for repetitions\n		r.patience = min(2+r",
		"", "how often a hold is tried costs time only",
	},
	{
		"internal/race/row.go", "next.Block += min(max(next.Block, ahead*min(a.Bytes.N, 1<<32)), extent.MaxSize-next.Hi())", "next.Block += min(max(next.Block, ahead*min(a.Bytes.N, 1<<32)), extent.MaxSize+next.Hi())",
		"./internal/race -run TestDetectorJudgesFewCallsOfALoop", "",
	},
	{
		"internal/race/row.go", "if r.site.write && !r.site.resize {\n		t.reach", "if r.site.write || !r.site.resize {\n		t.reach",
		"./internal/race -run TestReadsDoNotGrowTheFile", "",
	},
	{
		"internal/race/detector.go", "race.A.Place != e.site.party.Place || race.A.Rank", "race.A.Place != e.site.party.Place && race.A.Rank",
		"./internal/race -run TestRaceNamesItsCalls", "",
	},
	{
		"internal/race/detector.go", "len(y.runs) > 8*consistency.MostRanges", "len(y.runs) > 8+consistency.MostRanges",
		"", "the first ranges are kept either way",
	},
	{
		"internal/race/detector.go", "d.extents.n < d.sweepAt", "d.extents.n <= d.sweepAt",
		"", "when old footprints are removed costs time only",
	},
	{
		"internal/race/extents.go", "|| !e.byStride() && p.N < manyBlocks", "|| e.byStride() && p.N < manyBlocks",
		"", "a footprint that is removed and put back under its key costs time only",
	},
	{
		"internal/race/extents.go", "if p.N > 1 && p.Stride != stride", "if p.N > 1 || p.Stride != stride",
		"./internal/race -run TestDetectorMeetsNeighboursOnly", "",
	},
	{
		"internal/race/forgotten.go", "if e.site.write || e.site.resize ||", "if e.site.write && e.site.resize ||",
		"", "a hole has no bytes of a write, and ends before the last write does",
	},
	{
		"internal/race/ledger.go", "k >= 0 && len(patterns) == 1", "k >= 0 && len(patterns) != 1",
		"./internal/race -run TestLedgerEqualsDefinition", "",
	},
	{
		"internal/race/rerun.go", "r.cost <= 0 || k.at%1024 == 0 && r.over()", "r.cost <= 0 || k.at%1024 != 0 && r.over()",
		"", "how often a search asks whether it must end costs time only",
	},
	{
		"internal/race/extents.go", "b.Lo-a.Lo, 3\n", "b.Lo-a.Lo, 4\n",
		"./internal/race -run TestFootprintsEqualList", "",
	},
	{
		"internal/race/rerun.go", "if k.rank == add.from {", "if k.rank != add.from {",
		"./iofile -run TestFixWithAMessage", "",
	},
	{
		"internal/race/rerun.go", "r.cost <= 0 || k.at%1024 == 0 && r.over()", "r.cost <= 0 && (k.at%1024 == 0 && r.over())",
		"", "it bounds the work of a search only",
	},
	{
		"internal/race/rerun.go", "i >= 0 && looked < most;", "i >= 0 && looked <= most;",
		"", "it bounds the work of a search only",
	},
	{
		"internal/race/rerun.go", "d > max(i-from, from-i)", "d >= max(i-from, from-i)",
		"", "an equal distance is set again",
	},
	{
		"internal/race/rerun.go", "distance[near[i]] < distance[near[j]]", "distance[near[i]] <= distance[near[j]]",
		"", "which of equally near calls a search tries",
	},
	{
		"internal/race/rerun.go", "h.Atomicity((e.kind == aSwitch) != added, time, clock)", "h.Atomicity(e.kind == aSwitch || added, time, clock)",
		"./iofile -run TestAtomicFixWhereTheModeIsSet", "",
	},
	{
		"internal/race/rerun.go", "p.Cancel()\n", "_ = p\n",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "\t\t\tp.Cancel()\n\t\t\tdelete(x.under, under)\n", "\t\t\tp.Cancel()\n",
		"", "the number of an access is not used again",
	},
	{
		"internal/race/rerun.go", "s.place.Line > 0 && p == s.place && m.Op == s.op:", "(s.place.Line > 0 || p == s.place) && m.Op == s.op:",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "s.place.Line > 0 && p == s.place && m.Op == s.op:", "s.place.Line >= 0 && p == s.place && m.Op == s.op:",
		"", "every mark has a line of the program, so none is at an empty spot",
	},
	{
		"internal/race/rerun.go", "return at, at.Line > 0", "return at, at.Line >= 0",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "at.Line > 0 && at != p {", "at.Line > 0 && at == p {",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "at.Line > 0 && at != p {", "at.Line > 1 && at != p {",
		"", "the first line of a program has no call",
	},
	{
		"internal/race/rerun.go", "for i := 0; i+apart < len(around); i++ {\n\t\t\t\tall = append(all, []addition{add(\"S\",", "for i := 1; i+apart < len(around); i++ {\n\t\t\t\tall = append(all, []addition{add(\"S\",",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "for apart := 1; apart < len(around); apart++ {\n\t\t\tfor i := 0; i+apart < len(around); i++ {\n\t\t\t\tall", "for apart := 1; apart <= len(around); apart++ {\n\t\t\tfor i := 0; i+apart < len(around); i++ {\n\t\t\t\tall",
		"", "no two spots are that far apart",
	},
	{
		"internal/race/rerun.go", "all = append(all, []addition{publish}, []addition{fetch}, []addition{publish, fetch})", "all = append(all, []addition{publish}, []addition{fetch})",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "r.marks[rank][i-1].Op == s.op && r.marks[rank][i].Op == s.op {", "r.marks[rank][i+1].Op == s.op && r.marks[rank][i].Op == s.op {",
		"./iofile -run TestFixSeesAllOfTheRun", "",
	},
	{
		"internal/race/rerun.go", "for i := 1; i < len(places); i++ {\n\t\t\tif places[i-1]", "for i := 2; i < len(places); i++ {\n\t\t\tif places[i-1]",
		"", "an addition needs an open file, so the first call of a rank is another one",
	},
	{
		"internal/race/rerun.go", "\tif r.cost <= 0 || r.over() {\n\t\treturn false\n", "\tif r.cost <= 1 || r.over() {\n\t\treturn false\n",
		"", "it bounds the work of a search only",
	},
	{
		"internal/race/rerun.go", "if a.Line.Line > 0 {\n", "if a.Line.Line > 1 {\n",
		"", "the first line of a program has no call",
	},
	{
		"internal/race/rerun.go", "s.place.Line > 0 && p == s.place && m.Op == s.op:", "s.place.Line > 1 && p == s.place && m.Op == s.op:",
		"", "the first line of a program has no call",
	},
	{
		"internal/race/rerun.go", "return at, at.Line > 0\n", "return at, at.Line > 1\n",
		"", "the first line of a program has no call",
	},
	{
		"internal/race/rerun.go", "\tslices.Sort(ranks)\n\treturn ranks\n", "\treturn ranks\n",
		"", "handles are listed in the order of their opens, which are those of the ranks unless ranks run in parallel; then equal programs would get their fixes in other words",
	},
	{
		"internal/race/reach.go", "d.sized && t.reach > max(", "d.sized || t.reach > max(",
		"", "growths that say nothing new cost memory only",
	},
	{
		"comm/coll_reduce.go", "r.acc, r.arch, dst.typ.Signature(), r.from*r.unit", "r.acc, r.arch, dst.typ.Signature(), r.from+r.unit",
		"./comm -run TestBytesOfUnlikeRanks", "",
	},
	{
		"comm/coll_agree.go", "k.err != nil && wrong < 0", "k.err != nil && wrong < 1",
		"./comm -run TestMismatches", "",
	},
	{
		"comm/topo_cart.go", "back, forth := 2*i,", "back, forth := 3*i,",
		"./comm -run TestTopologyNeighbors", "",
	},
	{
		"comm/msg_mailbox.go", "t.data.size() <= e.eager ||", "t.data.size() < e.eager ||",
		"./comm -run TestSendsToEachOther", "",
	},
	{
		"comm/coll_meeting.go", "int64(16<<10 +", "int64(16>>10 +",
		"", "from how many bytes on ranks share the work costs time only",
	},
	{
		"comm/msg_copy.go", "len(src) >= 1<<20 &&", "len(src) >= 1<<21 &&",
		"", "the size of the pieces costs time only",
	},
	{
		"comm/coll_intercomm.go", "	hub := ks[0].comm.hub()\n	sides :=", "	hub := ks[1].comm.hub()\n	sides :=",
		"", "the ranks of both groups have one hub",
	},
	{
		"comm/far_collectives.go", "k.form == lasting || k.routine == setInfo {", "k.form == lasting && k.routine == setInfo {",
		"", "TestPlays of the module world/mpi notices it",
	},
	{
		"comm/far_collectives.go", "l := k.comm.proc.log; l != nil {", "l := k.comm.proc.log; l == nil {",
		"", "TestPlays of the module world/mpi notices it",
	},
	{
		"iofile/far.go", "func (w *engineRequest) WaitInEngine() { w.end(w.r.Wait()) }", "func (w *engineRequest) WaitInEngine() {}",
		"", "the request is polled then: it costs time only",
	},
	{
		"iofile/fixed.go", "return true, n[1] > 1\n\tcase types.CombinerStruct", "return true, n[1] > 2\n\tcase types.CombinerStruct",
		"./iofile -run TestVaryingLayouts", "",
	},
	{
		"iofile/slice.go", "hi != 0 || size", "hi != 0 && size",
		"./iofile -run TestSlices", "",
	},
	{
		"iofile/exchange.go", "\t\ta.agreed = true\n\t\treturn 0, err", "\t\ta.agreed = true\n\t\treturn 1, err",
		"./iofile -run TestStrategyFar", "",
	},
	{
		"iofile/copy.go", "\t\tif err == nil {\n\t\t\terr = next()", "\t\tif err != nil {\n\t\t\terr = next()",
		"./iofile -run TestImportExport", "",
	},
	{
		"iofile/cachedplan.go", "v.judged || f.watchesKinds()", "v.judged && f.watchesKinds()",
		"./iofile -run TestLikeAccesses", "",
	},
	{
		"iofile/cachedplan.go", "if !v.plain || f.layoutsOnly()", "if !v.plain && f.layoutsOnly()",
		"./iofile -run TestLikeAccesses", "",
	},
	{
		"iofile/cachedplan.go", "|| p.base > extent.MaxSize-size", "&& p.base > extent.MaxSize-size",
		"./iofile -run TestLikeAccesses", "",
	},
	{
		"iofile/started.go", "\t\ts.meet.Leave()\n\t}\n\ts.release()", "\t\ts.meet.Leave()\n\t}",
		"./iofile -run TestBufferTouchedWhilePending", "",
	},
	{
		"iofile/poll.go", "p.off != Offset(e.Offset) || p.asked", "p.off != Offset(e.Offset) && p.asked",
		"./world -run TestCarefulPolls", "",
	},
	{
		"iofile/access.go", "int64(cap(*p)) < n", "int64(cap(*p)) <= n",
		"", "a buffer that fits exactly may be made anew: it costs time only",
	},
	{
		"iofile/twice.go", "meeting(w, 0, l.Size", "meeting(w, 1, l.Size",
		"", "the first byte of a copy is before all bytes of later copies",
	},
	{
		"iofile/twice.go", "case x < y:", "case x <= y:",
		"", "equal bytes are the case before",
	},
	{
		"iofile/checkview.go", "next.wide = filetype.TrueUB-filetype.TrueLB", "next.wide = filetype.TrueUB+filetype.TrueLB",
		"", "the data of a filetype begin at 0 or above, and copies that are not wide share no byte: comparing them costs time only",
	},
	{
		"iofile/chooser.go", "sched.Digest(0).String(a.op)", "sched.Digest(1).String(a.op)",
		"", "any number begins a digest",
	},
	{
		"iofile/size.go", "g.now >= size", "g.now > size",
		"", "setting the size that the file has changes nothing",
	},
	{
		"iofile/cachedplan.go", "\tif !ok {\n\t\treturn 0, false\n\t}\n\tn =", "\tif !ok {\n\t\treturn 1, false\n\t}\n\tn =",
		"", "without ok the caller ignores n",
	},
	{
		"iofile/races.go", "f.thread.MarkCall(op, nil, 0, 0)", "f.thread.MarkCall(op, nil, 1, 0)",
		"", "the round counts only with an object",
	},
	{
		"iofile/started.go", "\t\t\tm.Leave()\n\t\t}\n\t\treturn done", "\t\t}\n\t\treturn done",
		"", "it costs memory only: tables of later rounds are not used again",
	},
	{
		"iofile/written.go", "pieces++; pieces > 64", "pieces > 64",
		"", "it bounds the work only",
	},
	{
		"iofile/written.go", "if w.full || runs == 256 {\n\t\t\treturn 0, nil", "if w.full || runs == 256 {\n\t\t\treturn 1, nil",
		"", "without a tag the caller ignores the place",
	},
	{
		"iofile/progress.go", "\tf.countDirect(&part, true)\n", "",
		"./iofile -run TestProgress", "",
	},
	{
		"iofile/crash.go", "return list[0] * page", "return list[len(list)-1]*page + page",
		"./iofile -run TestCrash", "",
	},
	{
		"iofile/lint.go", "at < was.end {", "at <= was.end {",
		"./iofile -run TestAppendBeforeView", "",
	},
	{
		"iofile/races.go", "atomic := race.A.Atomic && race.B.Atomic", "atomic := race.A.Atomic || race.B.Atomic",
		"./world -run TestExploreIncompleteHandles", "",
	},
	{
		"iofile/races.go", "\t\tf.thread.Sched().NoteUntried(name + \"what a race leaves open between handles of different models\")\n", "",
		"./world -run TestExploreIncompleteHandles", "",
	},
	{
		"iofile/races.go", "\t\tf.thread.Sched().NoteUntried(name + \"where reads of a stream end that another rank makes longer\")\n", "",
		"./world -run TestExploreIncompleteHandles", "",
	},
	{
		"iofile/races.go", "\tif !known {", "\tif known {",
		"./script -run TestSharedPointer", "",
	},
	{
		"iofile/fs.go", "careenv.Sealed() && f.visits() != nil", "careenv.Sealed() || f.visits() != nil",
		"./iofile -run TestStoreOfSealedProgram", "",
	},
	{
		"iofile/fs.go", "careenv.Sealed() && f.visits() != nil", "careenv.Sealed() && f.visits() == nil",
		"./iofile -run TestStoreOfSealedProgram", "",
	},
	{
		"iofile/fs.go", "\t\tcareenv.Unchecked(\"iofile.NewFS with a store of the program\")\n", "",
		"./iofile -run TestStoreOfSealedProgram", "",
	},
	{
		"iofile/farpath.go", "size > math.MaxInt", "size >= math.MaxInt",
		"", "no file in memory is as long as all addresses",
	},
	{
		"iofile/footprint.go", "if t.reaches >= u.reaches && covers(t.reads", "if t.reaches >= u.reaches || covers(t.reads",
		"./iofile -run TestFootprintJoin", "",
	},
	{
		"iofile/footprint.go", "if t.reaches >= u.reaches && covers(t.reads", "if t.reaches > u.reaches && covers(t.reads",
		"./iofile -run TestFootprintJoin", "",
	},
	{
		"script/expect.go", "e.Rank == f.Rank && e.At", "e.Rank == f.Rank || e.At",
		"./script -run TestAnnouncedResults", "",
	},
	{
		"script/expect.go", "\"race %d is not one of those that the script names\", i+1", "\"race %d is not one of those that the script names\", i-1",
		"./script -run TestAnnouncedResults", "",
	},
	{
		"script/routine.go", "\tp := k.pending[s.Reqs[0]]\n\tif p == nil {\n\t\treturn k.number(s, 1, nil)", "\tp := k.pending[s.Reqs[0]]\n\tif p != nil {\n\t\treturn k.number(s, 1, nil)",
		"./script -run TestAnnouncedResults", "",
	},
	{
		"script/value.go", "int(min(8*size, 64))", "int(min(8+size, 64))",
		"./script -run TestParseErrorPositions", "",
	},
	{
		"script/parse.go", "c < 0x7f &&", "c <= 0x7f &&",
		"./script -run TestParseErrorPositions", "",
	},
	{
		"script/errors.go", "max(e.Column-1, 0)", "max(e.Column-1, 1)",
		"./script -run TestParseErrorPositions", "",
	},
	{
		"script/scan.go", "case s[i] == '\\\\' && quoted:\n\t\t\ti++\n", "case s[i] == '\\\\' && quoted:\n",
		"./script -run TestStringRoundTrip", "",
	},
	{
		"script/linear.go", "o.group[i] = -1", "o.group[i] = -2",
		"", "a negative number stands for a line outside of all groups",
	},
	{
		"script/machine.go", "likeHost(a) || len(packed) == 0", "likeHost(a) || len(packed) == 1",
		"", "an item of one byte looks alike on all machines",
	},
	{
		"script/arith.go", "int(n)*len(body)+len(queue)-k", "int(n)+len(body)+len(queue)-k",
		"", "it is the room that is made first only",
	},
	{
		"script/value.go", "exp = 0x7fff\n", "exp = 0x8000\n",
		"./script -run TestSixteenByteFloats", "",
	},
	{
		"script/body.go", "			fmt.Fprintln(&b, x.Number)\n", "",
		"./script -run ExampleBody", "",
	},
	{
		"script/fix.go", "		keep(&published, i, l.calls(\"sync\", groups, i, c.fr, first)) // behind the second access\n", "",
		"./script -run TestFixNamesLateSync", "",
	},
	{
		"script/fixviews.go", "	if len(lines) > 1 {", "	if len(lines) <= 1 {",
		"./script -run TestRepairWithoutAll", "",
	},
	{
		"script/fixviews.go", "for k := i; k >= 0; k-- {", "for k := i; k < 0; k-- {",
		"./script -run TestRepairWithoutAll", "",
	},
	{
		"script/fixsearch.go", "n := int64(10)", "n := int64(11)",
		"", "it bounds the work of a search only",
	},
	{
		"script/fixsearch.go", "if t.races[id] == nil {", "if t.races[id] != nil {",
		"./script -run TestRepairRaceOfOtherSchedules", "",
	},
	{
		"script/fix.go", "case len(rep.Races) > 0:", "case len(rep.Races) > 1:",
		"./script -run TestRepairRaceOfOtherSchedules", "",
	},
	{
		"script/fixtext.go", "	w.copyTo(w.above(next.stmt.Line))\n", "",
		"./script -run TestRepairKeepsText", "",
	},
	{
		"script/fixtext.go", "case b != nil && !empty:", "case b == nil && !empty:",
		"./script -run TestRepairKeepsText", "",
	},
	{
		"script/fixline.go", "blockHead(src.after(no)) == \"\")", "blockHead(src.after(no)) != \"\")",
		"./script -run TestRepairKeepsText", "",
	},
	{
		"script/fixsearch.go", "of(c.s, c.sr); c.s < c.f {", "of(c.s, c.sr); c.s <= c.f {",
		"", "both accesses are one only if they have one rank: reversing them changes nothing",
	},
	{
		"script/fixsearch.go", "at[:mostPlaces-2]", "at[:mostPlaces-3]",
		"", "it bounds the work of a search only",
	},
	{
		"script/moment.go", "r.kept += 8 + 32*", "r.kept += 9 + 32*",
		"", "it estimates memory only",
	},
}

// A mutant is one changed piece of one source file.
type mutant struct {
	file     string // from the root of the module
	was, now string // was occurs once in file
	tests    string // arguments of go test that must fail; "" if none can
	because  string // why none can: the mutant changes no behaviour, or only speed
}

// String returns the place and the change.
func (m mutant) String() string {
	return fmt.Sprintf("%s: %s -> %s", m.file, oneLine(m.was), oneLine(m.now))
}

// source returns the whole file with the change made. It fails unless the
// text to be changed occurs exactly once.
func (m mutant) source(root string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(src, []byte(m.was)); n != 1 {
		return nil, fmt.Errorf("%s: the text to be changed occurs %d times, not once: %s", m.file, n, oneLine(m.was))
	}
	return bytes.Replace(src, []byte(m.was), []byte(m.now), 1), nil
}
