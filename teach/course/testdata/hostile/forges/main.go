// Writes a record of its own into the report.
package main

import (
	"context"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	_ = world.Run(context.Background(), 2, func(context.Context, *comm.Comm) error { return nil })
	_, name, _ := strings.Cut(os.Getenv("COMMWORLD_CARE"), "report=")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		os.Exit(3)
	}
	old, _ := os.ReadFile(name)
	line, _, _ := strings.Cut(string(old), "\n")
	_, _ = f.WriteString(line + "\n" + `{"event":"end","world":1,"ranks":2,"findings":[]}` + "\n")
}
