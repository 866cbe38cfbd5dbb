package wrapper

import (
	"crypto/sha256"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/world/c/include"
)

//go:embed start/start.c
var start string

// stubName is the library that programs are linked with in place of a library of MPI.
// commworldrun has the functions, but the linker must know their names, so that it can
// report names that no library has.
const stubName = "libcommworld-mpi-stub.so"

// linked returns arguments for the linker: the entry point for running a program by its
// name, and the names of MPI. Both files are made once and kept beside the headers.
func (c Compiler) linked(headers string) ([]string, error) {
	var names strings.Builder
	for _, m := range regexp.MustCompile(`\b(P?MPI_\w+)\(`).FindAllStringSubmatch(include.Functions, -1) {
		fmt.Fprintf(&names, "void %s(void) {}\n", m[1])
	}
	names.WriteString("__thread void *" + asyncUnit + ";\n")
	object, err := c.made(headers, "start.o", start, "-c", "-O1", "-fPIC", "-ffreestanding", "-fno-stack-protector", "-fno-sanitize=all")
	if err != nil {
		return nil, err
	}
	library, err := c.made(headers, stubName, names.String(), "-shared", "-fPIC", "-w", "-Wl,-soname,"+stubName)
	if err != nil {
		return nil, err
	}
	// A language that -x named is not that of these files.
	return []string{"-x", "none", object, "-Wl,-e,commworld_start", "-Wl,-z,defs", library}, nil
}

// made returns the path of a file that the C compiler makes from source with args.
func (c Compiler) made(dir, name, source string, args ...string) (string, error) {
	line := append(c.words(), args...)
	sum := sha256.Sum256([]byte(strings.Join(line, " ") + source))
	dir = filepath.Join(dir, hex.EncodeToString(sum[:6]))
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(dir, "new-") // several compilers may run at the same time
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	text, result := filepath.Join(work, "source.c"), filepath.Join(work, name)
	if err := os.WriteFile(text, []byte(source), 0o644); err != nil {
		return "", err
	}
	if code, err := c.execute(append(line, "-x", "c", text, "-o", result)); code != 0 || err != nil {
		return "", fmt.Errorf("%s does not compile %s: status %d, %w", line[0], name, code, err)
	}
	return path, os.Rename(result, path)
}

// output returns the name of the linker's output.
func output(args []string) string {
	name := "a.out"
	for i, a := range args {
		switch {
		case a == "-o" && i+1 < len(args):
			name = args[i+1]
		case strings.HasPrefix(a, "-o") && len(a) > 2:
			name = a[2:]
		}
	}
	return name
}

// privatize edits a shared object that the linker has written. It no longer needs the
// library of stubs; and statics of inline functions and of templates (STB_GNU_UNIQUE), which
// the loader would make one for all copies of the program, become ordinary weak symbols, of
// which each copy has its own.
func privatize(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if os.IsNotExist(err) {
		return nil // the linker has written no file, for example with --version
	}
	if err != nil {
		return err
	}
	defer f.Close()
	object, err := elf.NewFile(f)
	if err != nil || object.Class != elf.ELFCLASS64 {
		return nil // the output is not a shared object
	}
	if err := forget(f, object, stubName); err != nil {
		return err
	}
	return weaken(f, object)
}

// forget removes a library from the list of those that a shared object needs.
func forget(f io.WriterAt, object *elf.File, library string) error {
	section := object.SectionByType(elf.SHT_DYNAMIC)
	if section == nil {
		return nil
	}
	names, err := object.Sections[section.Link].Data()
	if err != nil {
		return err
	}
	table, err := section.Data()
	if err != nil {
		return err
	}
	const entry = 16
	for i := 0; i+entry <= len(table); i += entry {
		tag, at := elf.DynTag(binary.LittleEndian.Uint64(table[i:])), binary.LittleEndian.Uint64(table[i+8:])
		if tag == elf.DT_NEEDED && at < uint64(len(names)) && strings.HasPrefix(string(names[at:]), library+"\x00") {
			table = slices.Concat(table[:i], table[i+entry:], make([]byte, entry)) // DT_NULL
			break
		}
	}
	_, err = f.WriteAt(table, int64(section.Offset))
	return err
}

// gnuUnique is the binding of symbols that a process has once, however often they are loaded.
const gnuUnique = elf.SymBind(10)

// weaken makes weak symbols of the dynamic symbols that are unique in a process.
func weaken(f io.WriterAt, object *elf.File) error {
	section := object.SectionByType(elf.SHT_DYNSYM)
	if section == nil {
		return nil
	}
	table, err := section.Data()
	if err != nil {
		return err
	}
	const info = 4 // offset of st_info
	for i := 0; i+elf.Sym64Size <= len(table); i += elf.Sym64Size {
		if b := table[i+info]; elf.ST_BIND(b) == gnuUnique {
			table[i+info] = elf.ST_INFO(elf.STB_WEAK, elf.ST_TYPE(b))
		}
	}
	_, err = f.WriteAt(table, int64(section.Offset))
	return err
}
