package emulated

import (
	"fmt"

	"context"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// BenchmarkPlanes measures the conversion of a factor of 16384 rows of 1024 elements (on a CPU, 256
// rows of 128) to residues modulo 14 numbers. It tries several numbers of elements per invocation,
// and reports the bytes that are read and written per second.
func BenchmarkPlanes(b *testing.B) {
	rowCount, inner := 16384, 1024
	if stagetest.Info().Type == "cpu" {
		rowCount, inner = 256, 128
	}
	dev, e := stagetest.Device(b), benchTuning
	native, err := product.New[float64](dev, native)
	if err != nil {
		b.Fatal(err)
	}
	u, err := FindUnits(context.Background(), dev)
	if err != nil {
		b.Fatal(err)
	}
	if !u.Matrix() {
		e = small()
	}
	ops, err := NewOn(dev, native, e, 14, u)
	if err != nil {
		b.Fatal(err)
	}
	k := ops.k
	g := k.geometry(rowCount, inner)
	a := vk.Reserve[float64]("factor", rowCount*inner)
	norms, peak := vk.Reserve[shaders.Norm]("norms", rowCount), vk.Reserve[uint32]("peaks", 4)
	shifts, refused := vk.Reserve[int32]("shifts", rowCount), vk.Reserve[uint32]("refused", 2)
	planes := vk.Reserve[uint32]("planes", g.words(14))
	ws, err := dev.NewArena(vk.Together(a, norms, peak, shifts, refused, planes))
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	host := stagetest.Normal(rowCount, inner, rowCount, 1).Data
	if err := vk.Upload(context.Background(), dev, a.In(ws), vk.Vector(host)); err != nil {
		b.Fatal(err)
	}
	m := product.NewMatrix(a.In(ws), rowCount, inner, rowCount)
	turned := product.NewMatrix(a.In(ws), inner, rowCount, inner)
	for name, f := range map[string]rows[float64]{"rows": operand(product.NoTrans, m, false), "columns": operand(product.Trans, turned, false)} {
		for _, size := range [][2]uint32{{8, 128}, {16, 128}, {8, 256}, {16, 256}} {
			spec := shaders.EmulatedPlanesSpec{LocalSize: size[1], Panel: uint32(e.Panel), Depth: u.depth(), ModuliCount: 14, Part: size[0]}
			if spec.Part > spec.Depth {
				continue
			}
			if k.left, err = vk.Build(dev, shaders.EmulatedPlanes(), spec); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d elements, %d invocations", name, size[0], size[1]), func(b *testing.B) {
				seconds := 0.0
				for range b.N {
					rec := vk.NewRecorder(dev)
					vk.Fill(rec, peak.In(ws), 0)
					k.recordNorms(rec, f, norms.In(ws), peak.In(ws).Sub(0, 1))
					s := k.newSide([]rows[float64]{f})
					k.recordShifts(rec, s, []vk.Slice[shaders.Norm]{norms.In(ws)}, peak.In(ws), &allot[int32]{from: shifts.In(ws)}, refused.In(ws).Sub(0, 1), 1)
					rec.Phase("planes", 0, 1)
					k.recordPlanes(rec, f, false, s.shifts[0], g, planes.In(ws))
					profile, err := dev.Run(context.Background(), rec, nil)
					if err != nil {
						b.Fatal(err)
					}
					seconds += profile.Phase("planes")
				}
				b.ReportMetric(float64(b.N)*float64(22*rowCount*inner)/seconds/1e9, "GB/s")
				b.ReportMetric(1e6*seconds/float64(b.N), "µs")
			})
		}
	}
}

// benchTuning has sizes of emulated products for matrix units of the shape 16×16×32, as in the
// tuning table.
var benchTuning = product.Emulation{
	Tile:  product.MatrixTile{M: 128, N: 128, SubM: 4, SubN: 4, Step: 64, Pitch: 80, Swath: 8, Turns: 2},
	Dots:  product.DotTile{M: 64, N: 64, Swath: 8},
	Panel: 128, Spacing: 128, Strip: 16 << 20, Planes: 1 << 30, Least: product.Shape{M: 1024, N: 1024, K: 256},
}
