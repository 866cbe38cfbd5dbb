package iofile

import (
	"encoding/hex"
	"strconv"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
)

// recording is the listener that keeps what a run does to files, if its world compares that
// with the standard or draws it.
type recording struct{}

func (recording) Wants(handle any) journal.Kind {
	if handle.(*File).recorder() == nil {
		return 0
	}
	return journal.Opened | journal.Begun | journal.Moved | journal.Done | journal.Ended | journal.Sized | journal.Found | journal.Switched | journal.Synced | journal.Closed | journal.Lost
}

// recorder returns the recorder of the world; nil if it has none.
func (f *File) recorder() *journal.Recorder {
	if !f.thread.Sched().Controlled() {
		return nil
	}
	r, _ := port.Kept(f.c, journal.RecorderKey{}).(*journal.Recorder)
	return r
}

func (recording) Record(e *journal.Event) {
	f := e.Handle.(*File)
	var key any = f.set.watch
	if f.track == nil {
		key = f.set.file.inUse
	}
	x := f.recorder().File(key, f.thread.Sched().Len(), f.startRecording)
	switch e.Kind {
	case journal.Opened:
		f.recordStep(x, e, consistency.Step{Do: consistency.DoOpen, ID: x.OpenID(f.set)})
	case journal.Begun, journal.Moved, journal.Done, journal.Ended:
		f.recordAccess(x, e)
	case journal.Sized:
		f.recordSize(x, e)
	case journal.Found:
		x.Set(f.thread.ID(), string(x.Take(f)), strconv.FormatInt(e.EndsAt, 10))
	case journal.Switched:
		if e.Atomic != f.atomic {
			f.recordStep(x, e, consistency.Step{Do: consistency.DoAtomic, On: e.Atomic})
		}
	case journal.Synced:
		f.recordStep(x, e, consistency.Step{Do: consistency.DoSync})
	case journal.Closed:
		f.recordStep(x, e, consistency.Step{Do: consistency.DoClose})
	case journal.Lost:
		x.Stop("a handle of file %q was not closed", f.name)
	}
}

// startRecording begins the recording of a file.
func (f *File) startRecording(x *journal.Recording) {
	const most = 1 << 20 // bytes, as package consistency limits them
	x.Name = f.name
	image := f.set.file.image
	switch {
	case f.track == nil:
		x.Stop("file %q has no race detector, so the order of accesses is not known", f.name)
	case f.strongModel:
		x.Stop("file %q has a model that guarantees more than the standard", f.name)
	case f.layoutsOnly():
		x.Stop("file %q has no bytes", f.name)
	case image.Size() > most:
		x.Stop("file %q has more than %d bytes", f.name, most)
	default:
		x.Init = make([]byte, image.Size())
		if _, err := image.ReadAt(x.Init, 0); err != nil {
			x.Stop("file %q cannot be read: %w", f.name, err)
		}
	}
}

// recordStep records a step with the time of the event, or a new time.
func (f *File) recordStep(x *journal.Recording, e *journal.Event, s consistency.Step) {
	time := e.Time
	if time == 0 {
		time = f.thread.Tick()
	}
	x.Add(f.thread.ID(), f, consistency.Stamped{Step: s, Time: time, Clock: f.thread.Clock()})
}

// recordAccess records an access to data. The event of its bytes has the data; the event of
// its beginning or end has its place in the order.
func (f *File) recordAccess(x *journal.Recording, e *journal.Event) {
	rank, under := f.thread.ID(), x.Under(e.Under)
	switch e.Kind {
	case journal.Moved:
		t, _ := e.Buffer.Items()
		x.Item(t, f.c.Arch(), e.Bytes.At.Runs(e.Bytes.From, e.Moved))
		data := f.inFile(x, e)
		if e.Under == nil {
			x.Keep(f, data)
		} else if under != nil {
			under.Data = data
		}
	case journal.Done:
		s := f.accessStep(x, e)
		if data := x.Take(f); e.Write {
			s.Data = data
		} else {
			x.Set(rank, s.Name, hex.EncodeToString(data))
		}
		f.recordStep(x, e, s)
	case journal.Begun:
		s := f.accessStep(x, e)
		s.Request = x.Begin(e.Under, s.Name).Request
		if e.Write {
			s.Data = f.inFile(x, e)
		}
		f.recordStep(x, e, s)
	case journal.Ended:
		if under == nil {
			return
		}
		if under.Name != "" {
			x.Set(rank, under.Name, hex.EncodeToString(under.Data))
		}
		f.recordStep(x, e, consistency.Step{Do: consistency.DoWait, Request: under.Request})
	}
	if e.Err != nil {
		x.Stop("%s on file %q failed", e.Op, f.name)
	}
}

// accessStep returns the step of an access without its data.
func (f *File) accessStep(x *journal.Recording, e *journal.Event) consistency.Step {
	s := consistency.Step{Do: consistency.DoWrite}
	if !e.Write {
		s.Do, s.Name = consistency.DoRead, x.ResultName(f.thread.ID(), lineOf(&e.Access))
	}
	for off, n := range e.Bytes.At.Runs(e.Bytes.From, e.Asked) {
		s.Runs = append(s.Runs, consistency.Run{Off: off, Len: n})
	}
	return s
}

// inFile returns the bytes of an access as they are in the file.
func (f *File) inFile(x *journal.Recording, e *journal.Event) []byte {
	n := e.Asked
	if e.Kind == journal.Moved {
		n = e.Moved
	}
	if f.layoutsOnly() { // the recording is incomplete
		return nil
	}
	packed := make([]byte, e.Buffer.Packed(f.c.Arch()))
	if !f.view.plain || n > int64(len(packed)) {
		x.Stop("file %q has a view that converts", f.name)
		return make([]byte, n)
	}
	e.Buffer.Pack(packed, 0, f.view.memory)
	return packed[:n]
}

// recordSize records a change or a query of the size.
func (f *File) recordSize(x *journal.Recording, e *journal.Event) {
	s := consistency.Step{Bytes: e.EndsAt}
	switch {
	case e.Op == "SetSize":
		s.Do = consistency.DoSetSize
	case e.Op == "Preallocate":
		s.Do = consistency.DoGrow
	case e.Write:
		x.Stop("%s cut file %q", e.Op, f.name)
		return
	default:
		s = consistency.Step{Do: consistency.DoSize, Name: x.ResultName(f.thread.ID(), lineOf(&e.Access))}
		x.Keep(f, []byte(s.Name)) // until the size is known
	}
	f.recordStep(x, e, s)
}

// lineOf returns the line of the program that made an access, as text.
func lineOf(a *race.Access) string {
	place := a.Line
	if place.Line == 0 {
		line := sched.Line{}
		copy(line.PCs[:], a.Where[:])
		place = line.Place()
	}
	return place.Base()
}
