// Package replay replays traces of real jobs in the model of package machine: binary logs of
// Darshan, the text that darshan-dxt-parser and darshan-parser print of them, and the text that
// recorder2text makes of Recorder's traces. It also writes the runs of the model as such text.
//
// Start here: [ReadDarshan], [ReadDXT] or [ReadRecorder] reads a [Trace], [Trace.Workload]
// makes a workload of it in one of several ways, such as [AsItWas] or [Collective], and
// machine.Run returns its cost. [Trace.Findings] lists what in the accesses often costs time.
//
//	t, err := replay.ReadDXT("job.dxt.txt", file)
//	w, err := t.Workload(replay.Collective, replay.Options{})
//	report, err := machine.Run(ctx, m, w.Program(), replay.Collective.Options())
//
// A trace contains the requests of a job to the file system, with their times. The replay
// keeps ranks, files, offsets, sizes and the order of each rank's accesses. It does not keep
// their times: the model computes how long each takes. It leaves out the job's work between
// accesses unless [Options.Gaps] asks for it.
package replay
