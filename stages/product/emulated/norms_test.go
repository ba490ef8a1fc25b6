package emulated

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestNormsOfAnyShare checks that the bounds of norms, and the largest of them, do not depend on
// how many rows a workgroup processes. The rows of the factor are rows of a matrix, or columns of
// it.
func TestNormsOfAnyShare(t *testing.T) {
	const count, inner = 37, 1301
	dev := stagetest.Device(t)
	k := newOps(t, small(), dots, 14, 1, 1).k
	at, norms, peak := vk.Reserve[float64]("factor", count*inner), vk.Reserve[shaders.Norm]("norms", count), vk.Reserve[uint32]("peak", 1)
	ws := stagetest.Arena(t, dev, vk.Together(at, norms, peak))
	host := stagetest.Normal(count, inner, count, 1).Data // row r is host[r + k·count]
	for i := range count {
		host[i+(i*31%inner)*count] *= math.Ldexp(1, 3*i) // in each row, the largest element is in another column
	}
	host[7+1300*count], host[8+5*count] = math.NaN(), 0x1p-1074
	turned := make([]float64, len(host))
	want, peaks := make([]ref.EmulatedNorm, count), uint32(0)
	for r := range count {
		for c := range inner {
			turned[c+r*inner] = host[r+c*count]
		}
		want[r] = ref.NewEmulatedNorm(turned[r*inner : (r+1)*inner])
		if want[r].E != ref.NotFinite {
			peaks = max(peaks, uint32(want[r].Log()+shaders.ShiftsPeakBias))
		}
	}
	m := product.NewMatrix(at.In(ws), count, inner, count)
	n := product.NewMatrix(at.In(ws), inner, count, inner)
	for _, f := range []struct {
		rows[float64]
		host []float64
	}{{operand(product.NoTrans, m, false), host}, {operand(product.Trans, n, false), turned}} {
		stagetest.Put(t, dev, at.In(ws), f.host)
		kernel := k.norms
		for share := uint32(1); share <= k.farNorms.Spec.LocalSize; share *= 2 {
			if share > k.norms.Spec.LocalSize {
				kernel = k.farNorms
			}
			rec := vk.NewRecorder(dev)
			vk.Fill(rec, peak.In(ws), 0)
			kernel.Dispatch(rec, vk.Folded(vk.Tiles(count, share)), shaders.EmulatedNormsPush{
				A: integers(f.at), Norms: norms.In(ws).Addr(), Peak: peak.In(ws).Addr(),
				StepRow: uint64(f.stepRow), StepInner: uint64(f.stepInner), Rows: count, Inner: inner, Share: share,
			})
			stagetest.Run(t, dev, rec)
			what := fmt.Sprintf("%d rows for each workgroup, %d apart", share, f.stepRow)
			for r, have := range stagetest.Get(t, dev, norms.In(ws)) {
				if w := want[r]; int(have.E) != w.E || w.E != ref.NotFinite && have.Q != w.Q {
					t.Fatalf("%s: row %d has %+v, want %+v", what, r, have, w)
				}
			}
			if have := stagetest.Get(t, dev, peak.In(ws))[0]; have != peaks {
				t.Errorf("%s: the largest is %d, want %d", what, have, peaks)
			}
		}
	}
}

// TestShares checks how many rows a workgroup processes. If the factor has few rows, a workgroup
// must process few of them, so that there are many workgroups.
func TestShares(t *testing.T) {
	for _, s := range []struct {
		rows, stepInner int
		want            uint32
	}{{32768, 32768, 32}, {16384, 16384, 32}, {4096, 4096, 8}, {512, 4096, 4}, {1, 4096, 4}, {32768, 1, 8}, {512, 1, 1}, {600, 1, 1}, {2048, 1, 4}} {
		f := rows[float64]{rows: s.rows, inner: 32768, stepInner: s.stepInner}
		if have := f.share(); have != s.want {
			t.Errorf("%+v: %d", s, have)
		}
		if f.inner = 65536; s.stepInner == 32768 && f.share() != farRows { // the elements of a row are spread over 16 GiB
			t.Errorf("%+v: %d rows of a far factor", s, f.share())
		}
	}
}

// TestKernelsOfNorms checks which kernel computes the norms of a factor: there is one for symmetric
// factors, one for far factors, whose rows are spread over much memory, and one for all others.
func TestKernelsOfNorms(t *testing.T) {
	k := newOps(t, small(), dots, 14, 1, 1).k
	const long = mostNear / 16384 // a row of so many elements, 16384 apart, is not far
	for f, want := range map[*rows[float64]]*normsKernel{
		{rows: 1, inner: long, stepInner: 16384}: k.norms, {rows: 1, inner: long + 1, stepInner: 16384}: k.farNorms,
		{rows: 1, inner: 1 << 40, stepInner: 1}: k.norms, {rows: 1, inner: 1 << 20, stepInner: 1 << 20, symmetric: true}: k.symmetricNorms,
	} {
		if k.normsOf(*f) != want {
			t.Errorf("%+v has another kernel", *f)
		}
	}
}

// TestFarFactors checks that products with far factors have the same bits as other products. A
// factor is far if the elements of each of its rows are spread over much memory. The rows of the
// left factor are contiguous, or not. Norms take one dispatch, or several.
func TestFarFactors(t *testing.T) {
	defer func(n int) { farDoubles = n }(farDoubles)
	const m, n, k = 300, 70, 200
	for _, cost := range []float64{0, 3e5} {
		sizes := small()
		sizes.Dispatch, sizes.PerFlop = cost, 100
		ops := newOps(t, sizes, dots, 14, m, k)
		b := bench{stagetest.NewBench(t, (m+3)*(k+3), vk.Together(ops.Work(), ops.Status()))}
		for _, op := range []product.Op{product.NoTrans, product.Trans} {
			x, y, z := factor(op, m, k, 3, 1), factor(product.Trans, k, n, 1, 2), stagetest.Normal(m, n, m, 3)
			want := expect(14, op, product.Trans, -1, x, y, 1, z)
			for _, farDoubles = range []int{0, mostNear} {
				have := b.do(t, ops, x, y, z, func(rec *vk.Recorder, x, y, z product.Matrix[float64]) {
					ops.Gemm(rec, b.WS, op, product.Trans, -1, x, y, 1, z)
				})
				equal(t, fmt.Sprintf("%v, far from %d elements on, dispatches of %g flops", op, farDoubles, cost), have, want)
			}
		}
	}
}
