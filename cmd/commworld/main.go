package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitIdentical = 0
	exitDifferent = 1
	exitUsage     = 2 // wrong use, or a file that cannot be read or written
)

// commands are what the program can do.
type commands struct {
	Verify  verifyCommand  `cmd:"" help:"Show on a real file that its bytes are the same whatever the number of ranks that write or read it."`
	Type    typeCommand    `cmd:"" help:"Show how a datatype lies in memory or in a file."`
	View    viewCommand    `cmd:"" help:"Show which bytes of a file each rank sees."`
	Convert convertCommand `cmd:"" help:"Rewrite a file of typed data for another representation or architecture."`
	Dump    dumpCommand    `cmd:"" help:"Show a file as typed values beside their bytes."`
	Run     runCommand     `cmd:"" help:"Run a script of ranks and files, once or under every schedule, and judge what comes out."`
	Litmus  litmusCommand  `cmd:"" help:"Run the litmus tests of the consistency rules."`
}

// A command does its work and returns the exit code; an error is printed and
// exits with exitUsage.
type command interface {
	run(ctx context.Context, stdout, stderr io.Writer) (int, error)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exited is how --help leaves the parser, which expects the process to end.
type exited int

// run is the program without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exited:
			code = int(r)
		default:
			panic(r)
		}
	}()
	switch { // what people try first
	case len(args) == 0:
		run(ctx, []string{"--help"}, stderr, stderr)
		return exitUsage
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c commands
	parser, err := kong.New(&c,
		kong.Name("commworld"),
		kong.Description("A simulated MPI world in one process."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.WithHyphenPrefixedParameters(true),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
	if err != nil {
		panic(err) // the tags above are wrong
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return fail(stderr, err)
	}
	chosen := parsed.Selected().Target.Addr().Interface().(command)
	code, err = chosen.run(ctx, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	return code
}

func fail(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "commworld: %v\n", err)
	return exitUsage
}
