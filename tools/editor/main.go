// Command editor packs the extension of editors that follow Visual Studio Code for rank scripts: colours, a
// matcher for the findings of commworld check, and a command that opens a script in the lab.
//
//	go -C tools run ./editor -o commworld.vsix
//
// Colours come from the language itself, so that a new statement has one.
package main

import (
	"archive/zip"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
)

//go:embed extension
var files embed.FS

// version is that of the extension: editors install a newer one over an older one.
const version = "0.1.0"

func main() {
	out := flag.String("o", "commworld.vsix", "write the extension to `FILE`")
	flag.Parse()
	if flag.NArg() != 0 {
		fmt.Fprintln(os.Stderr, "usage: editor [-o FILE]")
		os.Exit(2)
	}
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "editor:", err)
		os.Exit(1)
	}
	fmt.Printf("%s holds the extension: code --install-extension %[1]s\n", *out)
}

func write(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err = pack(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// pack writes the extension as editors install it: a zip file with a manifest.
func pack(w io.Writer) error {
	grammar, err := json.MarshalIndent(newGrammar(), "", "  ")
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	add := func(name string, text []byte) error {
		part, err := z.Create(name)
		if err == nil {
			_, err = part.Write(text)
		}
		return err
	}
	for name, text := range map[string]string{
		"[Content_Types].xml":            contentTypes,
		"extension.vsixmanifest":         fmt.Sprintf(manifest, version),
		"extension/mpio.tmLanguage.json": string(grammar),
	} {
		if err := add(name, []byte(text)); err != nil {
			return err
		}
	}
	err = fs.WalkDir(files, "extension", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return add(name, text)
	})
	if err != nil {
		return err
	}
	return z.Close()
}

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="json" ContentType="application/json"/>
<Default Extension="js" ContentType="application/javascript"/>
<Default Extension="md" ContentType="text/markdown"/>
<Default Extension="vsixmanifest" ContentType="text/xml"/>
</Types>
`

const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="commworld" Version="%s" Publisher="commworld"/>
<DisplayName>commworld</DisplayName>
<Description>Rank scripts of commworld: colours, findings of commworld check, the lab.</Description>
<Categories>Programming Languages</Categories>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
</Assets>
</PackageManifest>
`
