package consistency_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/types"
)

// An Image is a file as it was published, and a Handle is what one rank sees of it. What
// a handle writes stays its own until it publishes, and another sees it when it adopts.
func ExampleImage() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := types.Tiling{L: layout} // all bytes of the file, in order
	im := consistency.NewImage(consistency.NewMemory(consistency.Poison))
	a, b := im.Open(), im.Open()
	fmt.Println("write", a.Write(all, 0, []byte("new")))
	fmt.Println(a.Size(), b.Size(), im.Size(), a.Pending())
	fmt.Println("publish", a.Publish())
	fmt.Println(a.Size(), b.Size(), im.Size(), a.Pending())
	b.Adopt()
	p := make([]byte, 8)
	n, err := b.Read(all, 0, p)
	fmt.Println(string(p[:n]), err)
	fmt.Println(a.Close(), b.Close(), im.Close())
	// Output:
	// write <nil>
	// 3 0 0 true
	// publish <nil>
	// 3 0 3 false
	// new <nil>
	// <nil> <nil> <nil>
}

// Exchange publishes and adopts in one step, as a sync of a file does.
func ExampleHandle_Exchange() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := types.Tiling{L: layout}
	im := consistency.NewImage(consistency.NewMemory(consistency.Poison))
	a, b := im.Open(), im.Open()
	fmt.Println(a.Write(all, 0, []byte("aa")), b.Write(all, 2, []byte("bb")))
	fmt.Println(a.Exchange(), b.Exchange())
	p := make([]byte, 4)
	n, err := b.Read(all, 0, p)
	fmt.Println(string(p[:n]), err)
	n, err = a.Read(all, 0, p) // a exchanged before b published
	fmt.Println(string(p[:n]), err)
	// Output:
	// <nil> <nil>
	// <nil> <nil>
	// aabb <nil>
	// aa <nil>
}

// In atomic mode a write is in the image when it returns, and a read sees what is newest.
func ExampleHandle_SetAtomic() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := types.Tiling{L: layout}
	im := consistency.NewImage(consistency.NewMemory(consistency.Poison))
	a, b := im.Open(), im.Open()
	a.SetAtomic(true)
	b.SetAtomic(true)
	fmt.Println(a.Write(all, 0, []byte("now")), b.Size())
	// Output: <nil> 3
}

// Crash returns what may be stored after a power cut: all that was published, and of the
// rest any part. The random numbers decide.
func ExampleImage_Crash() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := types.Tiling{L: layout}
	im := consistency.NewImage(consistency.NewMemory(consistency.Poison))
	h := im.Open()
	fmt.Println(h.Write(all, 0, []byte("safe")), h.Publish(), h.Write(all, 4, []byte("?")))
	left := map[string]bool{}
	for seed := range uint64(50) {
		m, err := im.Crash([]*consistency.Handle{h}, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			fmt.Println(err)
			return
		}
		p := make([]byte, m.Size())
		n, _ := m.ReadAt(p, 0)
		left[string(p[:n])] = true
	}
	fmt.Println(left)
	// Output:
	// <nil> <nil> <nil>
	// map[safe:true safe?:true]
}

// Memory keeps the bytes of a file in memory and is sparse: a byte far from all others
// costs one page. Bytes that were never written read as the poison.
func ExampleMemory() {
	m := consistency.NewMemory('?')
	_, err := m.WriteAt([]byte("far"), 1<<40)
	fmt.Println(m.Size() == 1<<40+3, len(m.Pages(0, 1<<40)), "page", err)
	p := make([]byte, 5)
	_, err = m.ReadAt(p, 1<<40-2)
	fmt.Println(string(p), err)
	// Output:
	// true 1 page <nil>
	// ??far <nil>
}

// A profile says whose promises the detector takes for granted. Strict is the standard;
// under ROMIO and OMPIO on one machine no sync is needed, but order still is.
func ExampleProfile() {
	for _, p := range []consistency.Profile{consistency.Strict, consistency.ROMIO, consistency.OMPIO} {
		d := consistency.NewDetector(consistency.DetectorOptions{File: "grid", Profile: p, Ranks: 2})
		w := d.Open("the open", 0, 1, nil)
		r := d.Open("the open", 1, 1, nil)
		bytes := consistency.BytesFrom(0, 8)
		w.Access(&consistency.Access{Op: "WriteAt", Write: true, Bytes: bytes, Time: 2})
		r.Access(&consistency.Access{Op: "ReadAt", Bytes: bytes, Time: 2, Clock: vector{3, 2}}) // after a message
		fmt.Println(p, "races:", len(d.Races()), "forgiven:", len(d.Forgiven()))
	}
	// Output:
	// strict races: 1 forgiven: 0
	// ROMIO races: 0 forgiven: 1
	// OMPIO races: 0 forgiven: 1
}

// A Tracker is a handle as the detector knows it. An access that is under way from Begin
// to End races with another one of the same handle that begins meanwhile.
func ExampleTracker() {
	for _, wait := range []bool{true, false} {
		d := consistency.NewDetector(consistency.DetectorOptions{File: "grid", Ranks: 1})
		h := d.Open("the open", 0, 1, nil)
		write := consistency.Access{Op: "IWriteAt", Write: true, Bytes: consistency.BytesFrom(0, 8), Time: 2}
		pending, _ := h.Begin(&write)
		if wait {
			pending.End(3)
		}
		race := h.Access(&consistency.Access{Op: "ReadAt", Bytes: consistency.BytesFrom(0, 8), Time: 4})
		fmt.Println("waited:", wait, "race:", race != nil)
		if !wait {
			fmt.Println(race.Rule)
			pending.End(5)
		}
		h.Close(6, nil)
	}
	// Output:
	// waited: true race: false
	// waited: false race: true
	// CONS-C1
}

// Join builds a list of origins, in which what continues the last one becomes part of it.
func ExampleJoin() {
	write := consistency.Origin{From: consistency.FromWrite, Rank: 1, Op: "WriteAt", Type: "byte", Rep: "native"}
	var all []consistency.Origin
	all = consistency.Join(all, write, 0, 4)
	all = consistency.Join(all, write, 4, 8)
	all = consistency.Join(all, consistency.Origin{From: consistency.FromHole}, 8, 10)
	for _, o := range all {
		fmt.Println(o)
	}
	// Output:
	// bytes 0 to 7: WriteAt on rank 1, native byte, not synced
	// bytes 8 to 9: hole, never written
}
