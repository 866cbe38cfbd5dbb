package types_test

import (
	"testing"

	"github.com/commworld/commworld/types"
)

// BenchmarkHandwritten packs the same shapes with the loop that a programmer would write for each,
// for comparison with the engine.
func BenchmarkHandwritten(b *testing.B) {
	loops := map[string]func(d, s []float64){
		"vector_1of2":     func(d, s []float64) { plainVector1(d, s) },
		"vector_2of4":     func(d, s []float64) { plainVector2(d, s) },
		"vector_8of16":    func(d, s []float64) { plainBlocks(d, s, 8, 16) },
		"vector_128of256": func(d, s []float64) { plainBlocks(d, s, 128, 256) },
		"subarray2d_256x512": func(d, s []float64) {
			plainBlocks(d, s[100*1024+200:], 512, 1024)
		},
		"subarray3d_64x64x32": func(d, s []float64) {
			for i := range 64 {
				plainBlocks(d[i*64*32:(i+1)*64*32], s[((10+i)*128+20)*128+30:], 32, 128)
			}
		},
		"face3d_128x128x4":  func(d, s []float64) { plainBlocks(d[:128*128*4], s[62:], 4, 128) },
		"nested_vectors":    plainNested,
		"columns_256of512":  plainColumns,
		"contiguous_double": func(d, s []float64) { plainBlocks(d, s, len(d)/2, len(d)/2) },
		"indexed_block_1":   plainIndexed1(),
		"indexed_1to7":      plainIndexed(),
	}
	for _, shape := range benchShapes() {
		loop := loops[shape.name]
		if loop == nil {
			continue
		}
		b.Run(shape.name, func(b *testing.B) {
			src := make([]float64, span(shape.typ, shape.count)/8+1)
			for i := range src {
				src[i] = float64(i)
			}
			dst := make([]float64, shape.count*shape.typ.Size(types.Host)/8)
			b.SetBytes(int64(len(dst)) * 8)
			for b.Loop() {
				loop(dst, src)
			}
		})
	}
}

func plainVector1(d, s []float64) {
	j := 0
	for i := range d {
		d[i] = s[j]
		j += 2
	}
}

func plainVector2(d, s []float64) {
	for len(d) >= 2 && len(s) >= 2 {
		d[0], d[1] = s[0], s[1]
		d, s = d[2:], s[min(4, len(s)):]
	}
}

func plainBlocks(d, s []float64, n, stride int) {
	for i, j := 0, 0; i < len(d); i, j = i+n, j+stride {
		copy(d[i:i+n], s[j:j+n])
	}
}

func plainNested(d, s []float64) {
	k := 0
	for o := 0; k < len(d); o += 256 {
		for j := range 8 {
			p, q := s[o+16*j:o+16*j+7], d[k:k+4]
			q[0], q[1], q[2], q[3] = p[0], p[2], p[4], p[6]
			k += 4
		}
	}
}

func plainColumns(d, s []float64) {
	for c := 0; c < 256; c += 8 {
		for r := range 512 {
			q := s[r*512+c : r*512+c+8]
			for j, v := range q {
				d[(c+j)*512+r] = v
			}
		}
	}
}

func plainIndexed1() func(d, s []float64) {
	c, _ := indexedBlock1().Contents()
	ix := make([]int32, len(c.Integers)-2)
	for i := range ix {
		ix[i] = int32(c.Integers[2+i])
	}
	return func(d, s []float64) {
		d = d[:len(ix)]
		for i, j := range ix {
			d[i] = s[j]
		}
	}
}

func plainIndexed() func(d, s []float64) {
	c, _ := indexed1to7().Contents()
	n := c.Integers[0]
	lens, disps := c.Integers[1:1+n], c.Integers[1+n:]
	return func(d, s []float64) {
		k := int64(0)
		for i, m := range lens {
			copy(d[k:k+m], s[disps[i]:disps[i]+m])
			k += m
		}
	}
}
