// Command release makes what a release has besides its tags, from a tag: archives of the command for
// six platforms, with completions and manual page, their checksums, a list of what is in the command
// (SPDX), and the notes of the release from CHANGELOG.md:
//
//	bash .ci/release v0.1.0
//	go -C tools run ./release -o ../dist v0.1.0
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platforms are those with an archive.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	out := flag.String("o", "dist", "`folder` to write to; it must not exist")
	root := flag.String("C", "..", "`clone` that has the tag")
	only := flag.String("platforms", strings.Join(platforms, ","), "`platforms` to build for")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: release [flags] TAG")
		os.Exit(2)
	}
	if err := release(*root, flag.Arg(0), *out, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A file is one file of an archive.
type file struct {
	name string
	text []byte
	mode os.FileMode
}

func release(root, tag, out string, platforms []string) (err error) {
	root, err1 := filepath.Abs(root)
	out, err2 := filepath.Abs(out)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	commit, err := call(root, nil, "git", "rev-parse", "--verify", "--quiet", "refs/tags/"+tag+"^{commit}")
	if err != nil {
		return fmt.Errorf("no tag %s in %s: make it with .ci/release %[1]s", tag, root)
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	tmp, err := os.MkdirTemp("", "commworld-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	tree := filepath.Join(tmp, "tree")
	if _, err := call(root, nil, "git", "clone", "-q", "--shared", "--branch", tag, root, tree); err != nil {
		return err
	}
	when, err := call(tree, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(when), &seconds); err != nil {
		return err
	}
	at := time.Unix(seconds, 0).UTC() // the same tag gives the same archives
	change, err := os.ReadFile(filepath.Join(tree, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	text, err := notes(string(change), tag)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "notes.md"), []byte(text), 0o644); err != nil {
		return err
	}
	common, err := commonFiles(tree, tmp)
	if err != nil {
		return err
	}
	for _, platform := range platforms {
		system, arch, _ := strings.Cut(platform, "/")
		name := "commworld"
		if system == "windows" {
			name += ".exe"
		}
		program := filepath.Join(tmp, name)
		if err := build(tree, program, system, arch); err != nil {
			return err
		}
		base := fmt.Sprintf("commworld_%s_%s_%s", strings.TrimPrefix(tag, "v"), system, arch)
		sbom, err := contents(program, base, strings.TrimSpace(string(commit)), at)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, base+".spdx.json"), sbom, 0o644); err != nil {
			return err
		}
		binary, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		files := append([]file{{name, binary, 0o755}}, common...)
		if system == "windows" {
			err = writeZip(filepath.Join(out, base+".zip"), base, files, at)
		} else {
			err = writeTar(filepath.Join(out, base+".tar.gz"), base, files, at)
		}
		if err != nil {
			return err
		}
	}
	return checksums(out)
}

// call runs a command and returns its output.
func call(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return out, nil
}

func build(tree, program, system, arch string) error {
	env := []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off"}
	_, err := call(tree, env, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/commworld")
	return err
}

// commonFiles are the files of every archive besides the command; the command of this machine makes
// completions and manual page.
func commonFiles(tree, tmp string) (files []file, err error) {
	program := filepath.Join(tmp, "commworld-here")
	if err := build(tree, program, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	for name, args := range map[string][]string{
		"man/commworld.1": {"man"}, "completions/commworld.bash": {"completion", "bash"},
		"completions/_commworld": {"completion", "zsh"}, "completions/commworld.fish": {"completion", "fish"},
	} {
		text, err := call(tree, nil, append([]string{program}, args...)...)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, text, 0o644})
	}
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, text, 0o644})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// notes returns the section of a version in the text of CHANGELOG.md, without the changes on the
// way to it.
func notes(changelog, tag string) (string, error) {
	version := strings.TrimPrefix(tag, "v")
	for section := range strings.SplitSeq(changelog, "\n## ") {
		head, body, _ := strings.Cut(section, "\n")
		if name, _, _ := strings.Cut(head, " "); name == version {
			body, _, _ = strings.Cut(body, "\n### Changes on the main branch")
			return "# commworld " + version + "\n\n" + strings.TrimSpace(body) + "\n", nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has no section %q", "## "+version)
}

// contents returns the SPDX document of a program, from what go build has recorded in it.
func contents(program, name, commit string, at time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	type pkg struct {
		ID       string `json:"SPDXID"`
		Name     string `json:"name"`
		Version  string `json:"versionInfo"`
		Download string `json:"downloadLocation"`
		Analyzed bool   `json:"filesAnalyzed"`
	}
	type relation struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
	packages := []pkg{{"SPDXRef-0", info.Main.Path, info.Main.Version, "NOASSERTION", false}}
	relations := []relation{{"SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-0"}}
	for i, d := range append(info.Deps, nil) {
		p := pkg{fmt.Sprint("SPDXRef-", i+1), "go", strings.TrimPrefix(info.GoVersion, "go"), "NOASSERTION", false}
		if d != nil {
			p.Name, p.Version = d.Path, d.Version
		}
		packages = append(packages, p)
		relations = append(relations, relation{"SPDXRef-0", "CONTAINS", p.ID})
	}
	text, err := json.MarshalIndent(map[string]any{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
		"documentNamespace": "https://github.com/commworld/commworld/spdx/" + name + "-" + commit,
		"creationInfo":      map[string]any{"created": at.Format(time.RFC3339), "creators": []string{"Tool: commworld-release"}},
		"packages":          packages, "relationships": relations,
	}, "", "  ")
	return append(text, '\n'), err
}

func writeTar(name, base string, files []file, at time.Time) error {
	return write(name, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		t := tar.NewWriter(z)
		for _, f := range files {
			head := &tar.Header{Name: base + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.text)), ModTime: at, Format: tar.FormatPAX}
			if err := t.WriteHeader(head); err != nil {
				return err
			}
			if _, err := t.Write(f.text); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

func writeZip(name, base string, files []file, at time.Time) error {
	return write(name, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, f := range files {
			head := &zip.FileHeader{Name: base + "/" + f.name, Method: zip.Deflate, Modified: at}
			head.SetMode(f.mode)
			part, err := z.CreateHeader(head)
			if err != nil {
				return err
			}
			if _, err := part.Write(f.text); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func write(name string, fill func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// checksums writes SHA256SUMS of all files in a folder, which sha256sum -c reads.
func checksums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(b.String()), 0o644)
}
