//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"bytes"
	"debug/elf"
	"regexp"
	"slices"
)

// plainLibraries lists the libraries through which a program meets variables or other state of
// its thread only if it calls one of [threadFunctions].
var plainLibraries = []string{
	"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "librt.so.1", "libpthread.so.0",
	"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
}

// threadFunctions matches functions of these libraries whose effect or result depends on the
// thread that calls them. errno is not among them, because each rank has its own.
var threadFunctions = regexp.MustCompile(`^(__)?(pthread_.*|thrd_.*|tss_.*|mtx_.*|cnd_.*|sem_.*|sched_.*|gettid|syscall|clone|unshare|setns` +
	`|tls_get_addr|tlsdesc.*|cxa_thread_atexit.*|h_errno_location|uselocale|dl(m?open|v?sym|error)` +
	`|sig(procmask|altstack|pending|suspend|wait|waitinfo|timedwait|setmask|block|hold|relse|pause)` +
	`|arch_prctl|prctl|[gs]etpriority|nice|setfs[ug]id|timer_create|signalfd|getcpu` +
	`|fe(clearexcept|disableexcept|enableexcept|getenv|getexcept|getexceptflag|getmode|getround|holdexcept|raiseexcept|setenv|setexcept|setexceptflag|setmode|setround|testexcept|testexceptflag|updateenv))$`)

// seesThreads reports whether a program can tell on which thread it runs: by variables of
// threads, a function that depends on the thread, or a library that may do either. Ranks of
// such a program have threads of their own. Others share threads, because handing on the turn
// from thread to thread takes about ten times as long.
func seesThreads(image []byte) bool {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return true
	}
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_TLS }) {
		return true
	}
	libraries, err := f.ImportedLibraries()
	if err != nil || slices.ContainsFunc(libraries, func(l string) bool { return !slices.Contains(plainLibraries, l) }) {
		return true
	}
	symbols, err := f.ImportedSymbols()
	return err != nil || slices.ContainsFunc(symbols, func(s elf.ImportedSymbol) bool { return threadFunctions.MatchString(s.Name) })
}
