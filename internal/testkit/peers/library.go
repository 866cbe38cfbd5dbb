package peers

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed c/datatype.c
var datatypeSource string

//go:embed c/peer.c
var peerSource string

// A Library is an MPI library that may be installed here. The names of its programs are
// those of Debian's alternatives, which distinguish the libraries if both are installed.
type Library struct {
	Name     string // as its users write it
	compiler string
	mpirun   []string // of one rank that is asked questions
	launcher []string // of a whole program
	crowded  []string // further arguments of the launcher, with more ranks than processors
	env      []string
	packages string
}

// The libraries.
var (
	MPICH = &Library{
		Name:     "MPICH",
		compiler: "mpicc.mpich",
		mpirun:   []string{"mpirun.mpich", "-n", "1"},
		launcher: []string{"mpirun.mpich"},
		packages: "mpich libmpich-dev",
	}
	OpenMPI = &Library{
		Name:     "Open MPI",
		compiler: "mpicc.openmpi",
		// The rank is not bound to a core, because this process needs the core as soon as it
		// has its answer. Only root needs the two variables.
		mpirun:   []string{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "1"},
		launcher: []string{"mpirun.openmpi", "--oversubscribe"},
		crowded:  []string{"--mca", "mpi_yield_when_idle", "1"},
		env:      []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
		packages: "openmpi-bin libopenmpi-dev",
	}
)

// OpenMPIROMIO is Open MPI with the second of its two MPI-IO implementations, which comes
// from MPICH.
var OpenMPIROMIO = func() *Library {
	l := *OpenMPI
	l.Name = "Open MPI with ROMIO"
	l.launcher = append([]string{}, l.launcher...)
	l.launcher = append(l.launcher, "--mca", "io", "romio321")
	return &l
}()

// All lists the libraries.
func All() []*Library { return []*Library{MPICH, OpenMPI} }

// Missing returns nil if l is installed, else an error to print in place of its answers,
// with the remedy.
func (l *Library) Missing() error {
	for _, program := range []string{l.compiler, l.mpirun[0]} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("SKIPPED: no %s here: apt-get install %s", l.Name, l.packages)
		}
	}
	return nil
}

// Start compiles the program and starts one rank of it. The caller closes the peer. Start
// removes the executable from the disk before it returns.
func (l *Library) Start() (*Peer, error) {
	if err := l.Missing(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "commworld-peer")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "peer")
	if err := l.compile([]byte(datatypeSource+peerSource), program); err != nil {
		return nil, err
	}
	p := &Peer{lib: l}
	if err := p.run(program); err != nil {
		return nil, err
	}
	if p.version, err = p.ask("version"); err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

func (l *Library) compile(source []byte, program string, flags ...string) error {
	if len(flags) == 0 {
		flags = []string{"-O2"}
	}
	file := program + ".c"
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return err
	}
	out, err := exec.Command(l.compiler, append(flags, "-o", program, file)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", l.compiler, err, out)
	}
	return nil
}

func (p *Peer) run(program string) error {
	line := append(p.lib.mpirun[:len(p.lib.mpirun):len(p.lib.mpirun)], program)
	p.cmd = exec.Command(line[0], line[1:]...)
	p.cmd.Env = append(os.Environ(), p.lib.env...)
	p.complaints = new(bytes.Buffer)
	p.cmd.Stderr = p.complaints
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p.cmd.Start()
}
