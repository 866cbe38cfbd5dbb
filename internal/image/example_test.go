package image_test

import (
	"fmt"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
)

// An Image has the published bytes of a file, and a Handle is one rank's view of it. The
// writes of a handle are private until it publishes them, and other handles see them when
// they adopt.
func ExampleImage() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := types.Tiling{L: layout} // all bytes of the file, in order
	im := image.NewImage(image.NewMemory(image.Poison))
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
	im := image.NewImage(image.NewMemory(image.Poison))
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

// In atomic mode a write is in the image when it returns, and a read sees the newest bytes.
func ExampleHandle_SetAtomic() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := types.Tiling{L: layout}
	im := image.NewImage(image.NewMemory(image.Poison))
	a, b := im.Open(), im.Open()
	a.SetAtomic(true)
	b.SetAtomic(true)
	fmt.Println(a.Write(all, 0, []byte("now")), b.Size())
	// Output: <nil> 3
}

// Memory keeps the bytes of a file in memory and is sparse: a byte far from all others
// costs one page. Bytes that were never written read as the poison.
func ExampleMemory() {
	m := image.NewMemory('?')
	_, err := m.WriteAt([]byte("far"), 1<<40)
	fmt.Println(m.Size() == 1<<40+3, len(m.Pages(0, 1<<40)), "page", err)
	p := make([]byte, 5)
	_, err = m.ReadAt(p, 1<<40-2)
	fmt.Println(string(p), err)
	// Output:
	// true 1 page <nil>
	// ??far <nil>
}

// A write of one handle is seen through another when both have published and adopted
// it; in some file systems at once.
func ExampleRules() {
	layout, err := types.Byte.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	bytes := types.Tiling{L: layout}
	for _, m := range []image.Rules{{}, {Early: true, Fresh: true}} {
		im := image.NewImage(image.NewMemory(image.Poison))
		w, r := im.OpenAs(m), im.OpenAs(m)
		if err := w.Write(bytes, 0, []byte("new")); err != nil {
			fmt.Println(err)
		}
		before := r.Size()
		err := w.Publish()
		r.Adopt()
		fmt.Println(before, r.Size(), err)
	}
	// Output:
	// 0 3 <nil>
	// 3 3 <nil>
}
