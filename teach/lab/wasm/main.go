//go:build js && wasm

// Command wasm is the lab for a page without a server: `commworld lab --static` builds it.
// It gives the page's worker a function labAnswer(request, done).
package main

import (
	"context"
	"fmt"
	"syscall/js"
	"time"

	"github.com/commworld/commworld/teach/lab"
)

// longest bounds one answer; the page ends a worker that does not keep to it.
const longest = 10 * time.Second

var errLate = fmt.Errorf("the answer took longer than %v; make the program smaller", longest)

func main() {
	js.Global().Set("labAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, done := args[0].String(), args[1]
		go func() {
			ctx, stop := context.WithTimeoutCause(context.Background(), longest, errLate)
			defer stop()
			done.Invoke(string(lab.Answer(ctx, []byte(request))))
		}()
		return nil
	}))
	js.Global().Call("labReady")
	select {}
}
