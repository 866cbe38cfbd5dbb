package course

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// marked has the verdicts on the submissions in testdata/marked.txtar, and words of the first
// finding.
var marked = map[string]struct {
	verdict Verdict
	kind    string
	words   string
}{
	"01-gather":           {Wrong, KindRequests, "is part of the data of rank 1, and rank 0 wrote it"},
	"01-writes-all":       {Wrong, KindRequests, "is part of the data of rank 1, and rank 0 wrote it"},
	"01-neighbour":        {Wrong, KindRequests, "is part of the data of rank"},
	"01-imports":          {Wrong, KindRequests, "no rank wrote byte 1 of \"page\" through MPI-IO"},
	"05-three":            {Wrong, "error", "describe the memory by the view's etype: types.Of(x).As(etype)"},
	"05-three-as":         {verdict: Right},
	"10-indexed":          {Wrong, "lint", "As takes as many as fit into the memory; if you mean one, add .Times(1) after As"},
	"10-indexed-once":     {verdict: Right},
	"10-vector":           {Wrong, "lint", "As takes as many as fit into the memory; if you mean one, add .Times(1) after As"},
	"10-vector-once":      {verdict: Right},
	"17-computes":         {Wrong, KindRequests, "with other numbers in the file, the program does not print them"},
	"17-bcast":            {Wrong, KindRequests, "1 read of the file, which found 0 bytes"},
	"02-lengths":          {verdict: Right},
	"05-not-resized":      {Wrong, "race", "resize it to the extent of the blocks of all ranks"},
	"07-barriers":         {verdict: Right},
	"07-prefix-sum":       {verdict: Right},
	"07-message-turns":    {Wrong, KindRequests, "by WriteShared (main.go:48), which is not a collective call"},
	"07-collective-turns": {Wrong, KindRequests, "3 ranks made 18 writes in 2 rounds"},
	"10-alone":            {Wrong, KindRequests, "by WriteAt (main.go:61), which is not a collective call"},
	"14-alone":            {Wrong, KindRequests, "which is not a collective call"},
	"14-ordered":          {verdict: Right},
	"17-rank-0-reads":     {Wrong, KindRequests, "rank 1 read 0 bytes of \"numbers\"; its numbers take 16"},
	"17-rank-0-sends":     {Wrong, KindRequests, "rank 1 read 0 bytes of \"numbers\"; its numbers take 16"},
	"17-all-write":        {Wrong, "race", "both ranks have the same view and the same offset"},
	"17-all-read":         {verdict: Right},
	"19-bytes":            {Wrong, "lint", "double moves unconverted"},
	"19-rank-0-reads":     {Wrong, KindRequests, "rank 2 read 0 bytes of \"numbers\"; its numbers take 96"},
	"21-alone":            {Wrong, KindRequests, "which is not a collective call"},
	"21-computes":         {Wrong, KindRequests, "the ranks sent 0 bytes to each other; the numbers of all take 48"},
	"21-exchange":         {verdict: Right},
	"22-blocking":         {Wrong, KindRequests, "which returns when the access is complete"},
	"22-split":            {verdict: Right},
	"03-whole-files":      {verdict: Right},
	"03-rank-0-reads":     {Wrong, KindRequests, "rank 1 read 0 bytes of \"part.1\"; its numbers take 12"},
	"21-attached-comm":    {Wrong, KindRequests, "IBSend relies on a buffered send"},
	"21-gather":           {verdict: Right},
	"21-isend":            {verdict: Right},
	"22-fresh":            {Wrong, KindRequests, "computes nothing between the start of a write and the wait for it"},
	"22-helper-waits":     {Wrong, KindRequests, "computes nothing between"},
	"22-split-at-once":    {Wrong, KindRequests, "computes nothing between"},
	"22-test-loop":        {Wrong, KindRequests, "computes nothing between"},
	"22-all-under-way":    {verdict: Right},
	"22-array":            {verdict: Right},
	"22-helper":           {verdict: Right},
	"22-poll":             {verdict: Right},
	"22-previous":         {verdict: Right},
	"18-turns":            {Wrong, KindRequests, "so that they take turns"},
	"18-atomic-turns":     {Wrong, KindRequests, "so that they take turns"},
	"18-message-turns":    {Wrong, KindRequests, "the program orders the ranks"},
	"18-last-alone":       {Wrong, KindRequests, "the record is that of rank"},
	"18-barriers-around":  {verdict: Right},
	"19-internal":         {Wrong, KindRequests, "in the representation \"internal\""},
	"19-by-hand":          {Wrong, KindRequests, "in the representation \"native\""},
	"04-header-again":     {Wrong, KindRequests, "byte 0 of \"numbers\" was there before, and rank 0 wrote it again"},
	"10-copies":           {Wrong, KindRequests, "rank 0 wrote to \"grid\" from memory without gaps"},
	"10-packs":            {Wrong, KindRequests, "rank 0 wrote to \"grid\" from memory without gaps"},
	"14-formula":          {Wrong, KindRequests, "the ranks did not communicate"},
	"16-collective":       {Wrong, KindRequests, "rank 0 wrote bytes 1024 to 1055; its domain has bytes 0 to 1023"},
	"16-knows-all":        {Wrong, KindRequests, "the ranks sent each other nothing"},
	"22-drops-test":       {Wrong, KindRequests, "the program drops the answer"},
	"10-row-extent":       {verdict: Right},
	"15-gap-alone":        {Wrong, KindRequests, "every 16: 32 requests for 128 bytes"},
	"15-picks-in-memory":  {verdict: Right},
	"16-stripes-counted":  {verdict: Right},
	"19-external32-hand":  {Wrong, KindRequests, "in the representation \"external32\" with etype byte"},
	"20-by-hand":          {Wrong, KindRequests, "in the representation \"native\" with etype byte"},
	"20-part-view":        {verdict: Right},
	"21-without-rank-0":   {Wrong, KindRequests, "2 of 3 ranks opened \"ring\""},
	"23-packed":           {Wrong, KindRequests, "in the representation \"native\" with etype byte"},
	"24-ids-too":          {Wrong, KindRequests, "byte 0 of \"table\" was there before"},
	"24-subarray":         {verdict: Right},
	"11-rank-0-saves":     {Wrong, KindRequests, "is part of the data of rank 1, and rank 0 wrote it"},
	"18-whole-record":     {Wrong, KindRequests, "in the holes of the record"},
	"22-frees":            {Wrong, KindRequests, "after Free the program cannot learn"},
	"23-byte-view":        {Wrong, "lint", "moves unconverted"},
	"11-no-barrier":       {Wrong, "race", "reads   ReadAtAll"},
	"04-seek-end":         {Wrong, "race", "reads   Seek"},
	"12-same-rows":        {Wrong, "race", "writes  WriteAtAll"},
	"11-hole":             {Wrong, "lint", "no rank wrote byte"},
	"08-rank-1-header":    {Wrong, KindBytes, "16 bytes from byte 0 on are a5: no rank has written them"},
	"05-four-blocks":      {Wrong, "race", "numbers"},
	"09-skips":            {Wrong, "mismatch", "WriteAtAll"},
	"20-skips":            {Wrong, "mismatch", "WriteAtAll"},
	"18-six-letters":      {Wrong, KindBytes, "letters of several ranks"},
	"21-even-odd":         {Wrong, "deadlock", "rank 0 waits for itself"},
	"21-even-or-alone":    {verdict: Right},
}

// If this fails, a submission with the right result by means that the task excludes is marked
// right, or a right one is marked wrong, or its finding does not say what to do.
func TestMarkKinds(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/marked.txtar")
	require.NoError(t, err)
	assert.Len(t, marked, len(archive.Files))
	for name, want := range marked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			number, _, _ := strings.Cut(name, "-")
			l, err := Find(number)
			require.NoError(t, err)
			m := mark(t, l, "marked/"+name, Limits{Time: time.Minute})
			assert.Equal(t, want.verdict, m.Verdict, "%+v", m.Findings)
			if want.verdict == Wrong && assert.NotEmpty(t, m.Findings) {
				assert.Equal(t, want.kind, m.Findings[0].Kind)
				assert.Contains(t, m.Findings[0].Text, want.words)
			}
		})
	}
}

// If this fails, a finding gives advice about another mistake than the one it shows, or names
// what only follows from it.
func TestAdvice(t *testing.T) {
	for name, want := range map[string]struct{ has, hasNot string }{
		"marked/11-no-barrier":     {"Put a barrier between reading the checkpoint", "ghost cells"},
		"marked/11-hole":           {"no rank wrote byte", "rank 0 read 0 bytes"},
		"17-missing-sync/skeleton": {"Three calls are needed", "offset 0 is the first"},
		"18-atomic/skeleton":       {"take effect as a whole", "let the displacement depend on the rank"},
		"12-transpose/skeleton":    {"publish, order, fetch", "writes its own rows"},
		"marked/04-seek-end":       {"reads   Seek", "Two ranks write the same numbers"},
		"marked/12-same-rows":      {"Each rank writes its own rows", "publish, order, fetch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lesson, program, _ := strings.Cut(name, "/")
			if lesson == "marked" {
				lesson = program
			}
			number, _, _ := strings.Cut(lesson, "-")
			l, err := Find(number)
			require.NoError(t, err)
			text := ""
			for _, f := range mark(t, l, name, Limits{Time: time.Minute}).Findings {
				text += f.Text + "\n" + f.Fix + "\n"
			}
			assert.Contains(t, text, want.has)
			assert.NotContains(t, text, want.hasNot)
		})
	}
}

// If this fails, a submission can be built that reads the memory of its process, starts
// others, or calls what belongs to the marker.
func TestRefusedSource(t *testing.T) {
	l, err := Find("17")
	require.NoError(t, err)
	clone, err := filepath.Abs("../..")
	require.NoError(t, err)
	program := func(imports, body string) string {
		return "package main\n\nimport (\n" + imports + "\n)\n\nfunc main() {\n" + body + "\n}\n"
	}
	fine := program("\t\"fmt\"", "\tfmt.Println(\"/process\")")
	for name, c := range map[string]struct {
		files map[string]string
		words string
	}{
		"fine":         {map[string]string{"main.go": fine, "go.mod": "module a\n", "x/x.go": "package x\n"}, ""},
		"own package":  {map[string]string{"main.go": program("_ \"a/x\"", ""), "go.mod": "module a\n", "x/x.go": "package x\n\nimport _ \"unsafe\"\n"}, "package \"unsafe\" is not for submissions: it reaches memory"},
		"internal":     {map[string]string{"main.go": program("_ \""+modulePath+"/internal/race\"", ""), "go.mod": "module " + modulePath + "/anything\n"}, "it belongs to the marker"},
		"course":       {map[string]string{"main.go": program("_ \""+modulePath+"/teach/course\"", "")}, "it belongs to the marker"},
		"unsafe":       {map[string]string{"main.go": program("\"unsafe\"", "")}, "reaches memory"},
		"cgo":          {map[string]string{"main.go": program("\"C\"", "")}, "reaches memory"},
		"syscall":      {map[string]string{"main.go": program("\"syscall\"", "")}, "reaches memory"},
		"x/sys":        {map[string]string{"main.go": program("\"golang.org/x/sys/unix\"", "")}, "an exercise needs Go's standard library"},
		"plugin":       {map[string]string{"main.go": program("\"plugin\"", "")}, "loads other code"},
		"exec":         {map[string]string{"main.go": program("\"os/exec\"", "")}, "starts other processes"},
		"named os":     {map[string]string{"main.go": program("\"os/exec\"", ""), "go.mod": "module os\n"}, "starts other processes"},
		"process":      {map[string]string{"main.go": program("o \"os\"", "o.StartProcess()")}, "os.StartProcess is not for submissions: it starts other processes"},
		"dot":          {map[string]string{"main.go": program(". \"os\"", "StartProcess()")}, "it starts other processes"},
		"reflect":      {map[string]string{"main.go": program("\"reflect\"", "f := reflect.NewAt; _ = f")}, "reflect.NewAt is not for submissions"},
		"dump":         {map[string]string{"main.go": program("\"runtime/debug\"", "debug.WriteHeapDump(1)")}, "writes the memory of the process"},
		"proc":         {map[string]string{"main.go": program("\"os\"", "os.ReadFile(\"/proc/self/mem\")")}, "the files below /proc are not for submissions"},
		"raw proc":     {map[string]string{"main.go": program("\"os\"", "os.Chdir(`/proc`)")}, "the files below /proc are not for submissions"},
		"linkname":     {map[string]string{"main.go": fine + "\n//go:linkname a b\n"}, "//go:linkname reaches what a package hides"},
		"assembly":     {map[string]string{"main.go": fine, "a_amd64.s": "TEXT ·a(SB)\n"}, "a_amd64.s is machine code"},
		"object":       {map[string]string{"main.go": fine, "a.syso": ""}, "a.syso is machine code"},
		"taken":        {map[string]string{"main.go": fine, "commworld_mark_first.go": "package main\n"}, "is taken"},
		"constrained":  {map[string]string{"main.go": fine, "b.go": "//go:build linux\n\npackage main\n\nimport _ \"unsafe\"\n"}, "reaches memory"},
		"not followed": {map[string]string{"main.go": fine, "other/main.go": program("\"os/exec\"", "")}, ""},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				put(t, filepath.Join(dir, file), text)
			}
			_, err := l.moduleFlags(dir, t.TempDir(), clone)
			if c.words == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.words)
			m, ok := l.refused(err)
			require.True(t, ok)
			assert.Equal(t, Unmarked, m.Verdict)
			assert.Equal(t, KindSource, m.Findings[0].Kind)
			assert.NotEmpty(t, m.Findings[0].Lines)
		})
	}
	for _, l := range Lessons() {
		for _, dir := range []string{"skeleton", "solution"} {
			_, err := l.moduleFlags(filepath.Join(l.Name, dir), t.TempDir(), clone)
			assert.NoError(t, err, l.Name)
		}
	}
}

// If this fails, a package of a submission reads the marker's key, and can write records that
// look genuine.
func TestKeyIsGone(t *testing.T) {
	thorough.Only(t)
	l, err := Find("17")
	require.NoError(t, err)
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "key")
	put(t, filepath.Join(dir, "go.mod"), "module aaa\n")
	put(t, filepath.Join(dir, "early", "early.go"), "package early\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc init() {\n\tb, _ := io.ReadAll(os.Stdin)\n\t_ = os.WriteFile(`"+out+"`, append(b, '.'), 0o600)\n}\n")
	put(t, filepath.Join(dir, "main.go"), "package main\n\nimport _ \"aaa/early\"\n\nfunc main() {}\n")
	m, err := l.Mark(t.Context(), dir, Limits{Time: time.Minute})
	require.NoError(t, err)
	assert.Equal(t, Wrong, m.Verdict)
	assert.Equal(t, KindWorld, m.Findings[0].Kind, m.Findings)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, ".", string(got))
}
