// Command hostile does what a program under check must not get away with.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func run(body func(c *comm.Comm) error) error {
	return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error { return body(c) })
}

func nothing(*comm.Comm) error { return nil }

var files = iofile.NewMem()

// share writes ten numbers, of which each rank has as many as the others, or all.
func share(c *comm.Comm, all bool) error {
	f, err := iofile.Open(c, files, "f", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	lo, hi := 10/c.Size()*c.Rank(), 10/c.Size()*(c.Rank()+1)
	if all {
		lo, hi = c.Rank()*10/c.Size(), (c.Rank()+1)*10/c.Size()
	}
	_, err = f.WriteAtAll(types.Of(make([]int32, hi-lo)), iofile.Offset(4*lo))
	return errors.Join(err, f.Close())
}

// startsToRead starts a read of one number and prints it, too early or not.
func startsToRead(c *comm.Comm, how string) error {
	f, err := iofile.Open(c.Self(), files, fmt.Sprint("f", c.Rank()), iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	if _, err = f.WriteAt(types.Of([]int32{42}), 0); err != nil {
		return err
	}
	got := make([]int32, 1)
	q, err := f.IReadAt(types.Of(got), 0)
	if err != nil {
		return err
	}
	if how == "early" {
		fmt.Println("it is", got[0])
	}
	if _, err = q.Wait(); err != nil {
		return err
	}
	fmt.Println("it was", got[0])
	if how == "chance" {
		fmt.Println(time.Now().UnixNano())
	}
	return f.Close()
}

func main() {
	what := "fine"
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	switch what {
	case "fine":
		fmt.Println(run(nothing))
	case "rest", "even":
		fmt.Println(run(func(c *comm.Comm) error { return share(c, what == "even") }))
	case "early", "waits", "chance":
		fmt.Println(run(func(c *comm.Comm) error { return startsToRead(c, what) }))
	case "loop":
		_ = run(func(c *comm.Comm) error {
			for {
			}
		})
	case "stuck":
		_ = run(func(c *comm.Comm) error { select {} })
	case "slow":
		fmt.Println(world.Run(context.Background(), 2, func(ctx context.Context, c *comm.Comm) error {
			<-ctx.Done()
			return ctx.Err()
		}))
	case "bomb":
		_ = run(func(c *comm.Comm) error {
			var all [][]byte
			for range 256 { // on each rank
				all = append(all, bytes.Repeat([]byte{1}, 1<<20))
			}
			time.Sleep(time.Hour)
			return errors.New(string(all[0]))
		})
	case "exit":
		_ = run(func(c *comm.Comm) error {
			if c.Rank() == 1 {
				os.Exit(0)
			}
			return c.Barrier()
		})
	case "fatal":
		_ = run(func(c *comm.Comm) error {
			log.Fatal("no more")
			return nil
		})
	case "print":
		_ = run(nothing)
		line := bytes.Repeat([]byte("commworld\x1b[31m "), 1<<12)
		for {
			os.Stdout.Write(line)
		}
	case "fork":
		_ = run(nothing)
		for range 200 {
			_ = exec.Command(os.Args[0], "sleep").Start()
		}
		time.Sleep(time.Hour)
	case "escape":
		_ = run(nothing)
		_ = exec.Command("setsid", os.Args[0], "sleep").Start()
		time.Sleep(200 * time.Millisecond)
	case "vanish": // leaves the group, the session, its parent and the environment
		_ = run(nothing)
		_ = exec.Command("setsid", "sh", "-c", "setsid env -i "+os.Args[0]+" sleep vanished & sleep 1000 & exit").Start()
		time.Sleep(500 * time.Millisecond)
	case "sleep":
		time.Sleep(time.Hour)
	case "none":
		fmt.Println("no world here")
	case "crash":
		_ = run(nothing)
		panic("after the world")
	case "drop": // the errors of its calls and of Run
		fsys := iofile.NewMem()
		_ = run(func(c *comm.Comm) error {
			f, _ := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			_ = f.SetView(iofile.View{Disp: -4, Etype: types.Int32, Filetype: types.Int32})
			return f.Close()
		})
	case "order", "first": // of three ranks, which of two messages comes first
		fail := what == "order"
		_ = world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() > 0 {
				return c.Send(types.Of([]byte{1}), 0, 0)
			}
			for i := range 2 {
				st, err := c.Recv(types.Of(make([]byte, 1)), comm.AnySource, 0)
				if err != nil {
					return err
				}
				if i == 0 && fail && st.Source == 2 {
					return errors.New("rank 2 came first")
				}
				if i == 0 && !fail {
					fmt.Println("first is", st.Source)
				}
			}
			return nil
		})
	case "race":
		fsys := iofile.NewMem()
		_ = run(func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			if _, err = f.WriteAt(types.Of([]byte{byte(c.Rank())}), 0); err != nil {
				return err
			}
			return f.Close()
		})
	}
}
