//go:build js && wasm

// Command wasm is the lab for a page without a server: `commworld lab --static` builds it.
// It gives the page's worker the functions labAnswer(number, request, done) and
// labCancel(number).
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

// running has the answers under way, by the numbers that the page gave them. All functions of
// a page run one after another.
var running = map[int]context.CancelFunc{}

func main() {
	js.Global().Set("labAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		number, request, done := args[0].Int(), args[1].String(), args[2]
		ctx, stop := context.WithTimeoutCause(context.Background(), longest, errLate)
		running[number] = stop
		go func() {
			defer delete(running, number)
			defer stop()
			done.Invoke(string(lab.Answer(lab.WithPause(ctx, pause), []byte(request))))
		}()
		return nil
	}))
	js.Global().Set("labCancel", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if stop := running[args[0].Int()]; stop != nil {
			stop()
		}
		return nil
	}))
	js.Global().Call("labReady")
	select {}
}

// pause lets the browser deliver messages: it does so only while no goroutine can run.
func pause() { time.Sleep(time.Millisecond) }
