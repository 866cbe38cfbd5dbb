package proptest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/commworld/commworld/proptest/gen"
)

// A FolderMaker makes a layer whose files are in a folder, which may have files already. Closing
// the layer must not remove them.
type FolderMaker func(dir string) (Layer, error)

// The files of a program in a corpus.
const (
	corpusProgram = "program.txt"
	corpusResults = "results.json"
	corpusFiles   = "files"
)

// WriteCorpus writes what later versions of a layer must be able to read: n folders in dir, each
// with a program, what the ranks found, and the files of the layer after it. Call it once for a
// version that is released, and test by [Corpus] from then on.
func WriteCorpus(dir string, mk FolderMaker, n int) error {
	programs := gen.Programs(gen.Limits{Ranks: 4, Ops: 16, Use: gen.NoConflict | gen.Reopening | gen.AnyValues | gen.Shapes})
	for i := range n {
		p := programs.Example(i)
		if err := writeCorpus(filepath.Join(dir, fmt.Sprintf("%03d", i)), mk, p); err != nil {
			return explain(p, err)
		}
	}
	return nil
}

func writeCorpus(dir string, mk FolderMaker, p *gen.Program) error {
	files := filepath.Join(dir, corpusFiles)
	if err := os.MkdirAll(files, 0o777); err != nil {
		return err
	}
	l, err := mk(files)
	if err != nil {
		return fmt.Errorf("no layer: %w", err)
	}
	accounts, err := accountsOf(l, p)
	if err == nil {
		err = judgeAccounts(l, p, accounts)
	}
	if err != nil {
		return err
	}
	if err := closeLayer(l); err != nil {
		return err
	}
	text, err := json.Marshal(accounts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, corpusResults), append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, corpusProgram), []byte(p.String()), 0o666)
}

// Corpus checks that a layer reads the files which an older version wrote, see [WriteCorpus]: for
// each program it reads a copy of them on one rank, and judges the bytes as [Reference] does.
func Corpus(t *testing.T, dir string, mk FolderMaker) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(dir, "*", corpusProgram))
	if err != nil || len(folders) == 0 {
		t.Fatalf("%s has no folder with a %s: %v", dir, corpusProgram, err)
	}
	for _, path := range folders {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Helper()
			if err := readCorpus(folder, t.TempDir(), mk); err != nil {
				t.Fatal((&Failure{Err: err, Rule: ruleOf(err)}).Error())
			}
		})
	}
}

// readCorpus reads the files of a folder, copied to another, and judges them.
func readCorpus(folder, to string, mk FolderMaker) error {
	p, accounts, err := corpusOf(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	if err := os.CopyFS(to, os.DirFS(filepath.Join(folder, corpusFiles))); err != nil {
		return err
	}
	l, err := mk(to)
	if err != nil {
		return fmt.Errorf("no layer: %w", err)
	}
	t := &trace{}
	if err := t.reread(l, fileName, 0, reach(p)); err != nil {
		return explain(p, fmt.Errorf("the file of an older version cannot be read: %w", err))
	}
	if err := closeLayer(l); err != nil {
		return err
	}
	return Judge(p, accounts, t.stored)
}

// corpusOf reads a program and its results.
func corpusOf(folder string) (*gen.Program, []*Account, error) {
	text, err := os.ReadFile(filepath.Join(folder, corpusProgram))
	if err != nil {
		return nil, nil, err
	}
	p, err := gen.Parse(string(text))
	if err != nil {
		return nil, nil, err
	}
	results, err := os.ReadFile(filepath.Join(folder, corpusResults))
	if err != nil {
		return nil, nil, err
	}
	var accounts []*Account
	return p, accounts, json.Unmarshal(results, &accounts)
}
