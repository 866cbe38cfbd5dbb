package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/commworld/commworld/internal/show/raster"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// Widths of pictures in pixels: of a slide, which is 1080 pixels high, and how much larger other drawings
// get, for screens and for print.
const (
	frameWidth   = 1920
	pictureScale = 2
)

// writeDrawing writes a drawing for --svg: as PNG if the name ends so.
func writeDrawing(name string, stdout io.Writer, svg string) error {
	text := []byte(svg)
	if strings.EqualFold(filepath.Ext(name), ".png") {
		img, err := raster.Draw(svg, 0)
		if err == nil {
			img, err = raster.Draw(svg, pictureScale*img.Bounds().Dx())
		}
		if err != nil {
			return err
		}
		if text, err = packed(img); err != nil {
			return err
		}
	}
	return writeFile(name, stdout, func(w *bufio.Writer) { w.Write(text) })
}

// packed returns a picture as PNG.
func packed(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// frameName matches the files that --frames writes.
var frameName = regexp.MustCompile(`^step-(\d{3})\.(svg|png)$`)

// writeFrames writes a run as numbered slides, each as SVG and as PNG. A folder that has slides of a
// longer run is an error: they would seem to belong to this one.
func writeFrames(ctx context.Context, dir string, rep *script.Report) (err error) {
	if err := noFrames(dir); err != nil {
		return err
	}
	all, err := lab.Frames(ctx, rep)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for i, svg := range all {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("--frames: %w", context.Cause(ctx))
		}
		img, err := raster.Draw(svg, frameWidth)
		if err != nil {
			return err
		}
		files[fmt.Sprintf("step-%03d.svg", i)] = []byte(svg)
		if files[fmt.Sprintf("step-%03d.png", i)], err = packed(img); err != nil {
			return err
		}
	}
	return writeFiles(dir, files)
}

// noFrames returns an error if dir cannot be a folder for slides, or has some.
func noFrames(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--frames: %w", err)
	}
	for _, e := range entries {
		if frameName.MatchString(e.Name()) {
			return fmt.Errorf("--frames: %s is of an earlier run; remove the slides, or name another folder", filepath.Join(dir, e.Name()))
		}
	}
	return nil
}
