package stages_test

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// The tests in this file check kernels whose float32 variant has its own constants or bit
// operations.

func single[S, P any](t *testing.T, m spirv.Module[S, P], spec S) *vk.Kernel[S, P] {
	t.Helper()
	kernel, err := vk.Build(stagetest.Device(t), m, spec)
	if err != nil {
		t.Fatal(err)
	}
	return kernel
}

// singleTolerance is the largest relative error, 2⁻¹⁵: a few hundred times the rounding error of
// float32.
const singleTolerance = 0x1p-15

func TestGemmFloat32(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "other tests record kernels in single precision")
	when.Pick(t, when.Single)
	const m, n, k = 37, 18, 21
	dev := stagetest.Device(t)
	spec := shaders.GemmDefaults()
	spec.LocalSize, spec.TileM, spec.TileN, spec.TileK, spec.ThreadM, spec.ThreadN = 16, 16, 8, 8, 4, 2
	kernel := single(t, shaders.Gemm[float32](), spec)
	one := func(int) float64 { return 1 }
	a, b, c := stagetest.Normals(m*k, 1, one), stagetest.Normals(k*n, 2, one), stagetest.Normals(m*n, 3, one)
	x, y, z := vk.Reserve[float32]("A", m*k), vk.Reserve[float32]("B", k*n), vk.Reserve[float32]("C", m*n)
	ws := stagetest.Arena(t, dev, vk.Together(x, y, z))
	stagetest.Put(t, dev, x.In(ws), a)
	stagetest.Put(t, dev, y.In(ws), b)
	stagetest.Put(t, dev, z.In(ws), c)
	rec := vk.NewRecorder(dev)
	kernel.Dispatch(rec, vk.Folded(vk.Tiles(m, spec.TileM)*vk.Tiles(n, spec.TileN)), shaders.GemmPush[float32]{
		A: x.In(ws).Addr(), B: y.In(ws).Addr(), C: z.In(ws).Addr(), Alpha: spirv.RealBitsOf[float32](2), Beta: spirv.RealBitsOf[float32](-0.5),
		M: m, N: n, K: k, Lda: m, Ldb: k, Ldc: m, Splits: 1, Stretch: k,
	})
	stagetest.Run(t, dev, rec)
	for i, have := range stagetest.Get(t, dev, z.In(ws)) {
		want := -0.5 * float64(c[i])
		for l := range k {
			want += 2 * float64(a[i%m+l*m]) * float64(b[l+i/m*k])
		}
		if !(math.Abs(float64(have)-want) < singleTolerance*k) {
			t.Fatalf("element %d is %g, want %g", i, have, want)
		}
	}
}

// TestPanelFloat32 factors panels A = Q·R in float32 and checks that RᵀR = AᵀA. In one panel the
// squares of elements overflow in float32, in one they underflow, and in one the rows of each
// workgroup have a different magnitude.
func TestPanelFloat32(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "other tests record kernels in single precision")
	when.Pick(t, when.Single)
	const m, columns, rows, groups = 40, 4, 14, 3
	for name, scale := range map[string]func(i int) float64{
		"1": func(int) float64 { return 1 }, "1e30": func(int) float64 { return 1e30 },
		"1e-30": func(int) float64 { return 1e-30 },
		"mixed": func(i int) float64 { return []float64{1e-12, 1, 1e-25}[i%m/rows] },
	} {
		t.Run(name, func(t *testing.T) {
			panel := stagetest.Normals(m*columns, 4, scale)
			r := factorPanel(t, panel, m, columns, rows, groups)
			top := 0.0
			for _, x := range panel {
				top = max(top, math.Abs(float64(x)))
			}
			for i := range columns {
				for j := range columns {
					have, want := 0.0, 0.0
					for l := range min(i, j) + 1 {
						have += float64(r[l+i*columns]) / top * float64(r[l+j*columns]) / top
					}
					for l := range m {
						want += float64(panel[l+i*m]) / top * float64(panel[l+j*m]) / top
					}
					if !(math.Abs(have-want) < m*singleTolerance) {
						t.Errorf("(RᵀR)(%d, %d) is %g, want %g", i, j, have, want)
					}
				}
			}
		})
	}
}

// factorPanel factors a panel on the device and returns R, column by column.
func factorPanel(t *testing.T, panel []float32, m, columns, rows, groups int) []float32 {
	dev := stagetest.Device(t)
	spec := shaders.GeqrfPanelStartDefaults()
	spec.LocalSize, spec.Columns, spec.Chunk = 8, uint32(columns), 2
	start := single(t, shaders.GeqrfPanelStart[float32](), spec)
	type push = shaders.GeqrfPanelFirstPush[float32]
	first := single(t, shaders.GeqrfPanelFirst[float32](), shaders.GeqrfPanelFirstSpec(spec))
	column := single(t, shaders.GeqrfPanelColumn[float32](), shaders.GeqrfPanelColumnSpec(spec))

	x, r := vk.Reserve[float32]("panel", m*columns), vk.Reserve[float32]("R", columns*columns)
	tau := vk.Reserve[float32]("tau", columns)
	size := columns * (1 + groups)
	from, to := vk.Reserve[float32]("state", size), vk.Reserve[float32]("next state", size)
	exponents, slots := vk.Reserve[int32]("exponents", 1+groups), vk.Reserve[uint64]("slots", 1)
	ws := stagetest.Arena(t, dev, vk.Together(x, r, tau, from, to, exponents, slots))
	stagetest.Put(t, dev, x.In(ws), panel)
	rec := vk.NewRecorder(dev)
	vk.Fill(rec, r.In(ws), 0)
	start.Dispatch(rec, vk.Grid(groups), shaders.GeqrfPanelStartPush[float32]{
		Panel: x.In(ws).Addr(), State: from.In(ws).Addr(), Exponents: exponents.In(ws).Addr(),
		Slots: slots.In(ws).Addr(), M: uint32(m), Ld: uint32(m), Rows: uint32(rows),
	})
	for j := range columns {
		p := push{
			Panel: x.In(ws).Addr(), From: from.In(ws).Addr(), To: to.In(ws).Addr(), Exponents: exponents.In(ws).Addr(),
			R: r.In(ws).Addr(), Tau: tau.In(ws).Addr(),
			M: uint32(m), Ld: uint32(m), Ldr: uint32(columns), Rows: uint32(rows), Groups: uint32(groups), J: uint32(j),
		}
		if j == 0 {
			first.Dispatch(rec, vk.Grid(groups), p)
		} else {
			column.Dispatch(rec, vk.Grid(groups), p)
		}
		from, to = to, from
	}
	stagetest.Run(t, dev, rec)
	return stagetest.Get(t, dev, r.In(ws))
}

// TestBulgeChasingFloat32 checks that the bulge chasing in waves (dispatches that run one step of
// each of several sweeps) gives a tridiagonal matrix with the trace and the Frobenius norm of the
// band. Elements near the ends of float32's range need the scaling of the kernel. The kernel may
// take subnormal elements as zero.
func TestBulgeChasingFloat32(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Pick(t, when.Single)
	const n, b, lead, ld = 30, 4, 2, 8 // ld = 2·b
	dev := stagetest.Device(t)
	spec := shaders.Sb2stWaveDefaults()
	spec.LocalSize, spec.Work, spec.B, spec.Lanes, spec.Tiles, spec.Lead = 8, 8, b, 2, 2, lead
	for dev.Info().Subgroup > int(spec.Work) { // whole subgroups
		spec.LocalSize, spec.Work = 2*spec.LocalSize, 2*spec.Work
	}
	spec.Vectors = spirv.False
	kernel := single(t, shaders.Sb2stWave[float32](), spec)
	for name, scale := range map[string]func(i int) float64{
		"1": func(int) float64 { return 1 }, "1e30": func(int) float64 { return 1e30 },
		"1e-30":  func(int) float64 { return 1e-30 },
		"graded": func(i int) float64 { return math.Pow(10, -float64(i%ld)*9) }, // far from the diagonal subnormal
	} {
		band := stagetest.Normals(n*ld, 5, scale)
		for i := range band {
			if row := i/ld + i%ld; i%ld > b || row >= n {
				band[i] = 0
			}
		}
		x := vk.Reserve[float32]("band", n*ld)
		ws := stagetest.Arena(t, dev, vk.Together(x))
		stagetest.Put(t, dev, x.In(ws), band)
		rec := vk.NewRecorder(dev)
		steps := func(s int) int { return vk.Tiles(n-1-s, uint32(b)) }
		for wave := range (1 + lead) * n {
			oldest, newest := 0, min(wave/(1+lead), n-3)
			for oldest <= newest && wave-(1+lead)*oldest >= steps(oldest) {
				oldest++
			}
			if count := newest - oldest + 1; count > 0 {
				kernel.Dispatch(rec, vk.Folded(count), shaders.Sb2stWavePush[float32]{
					Band: x.In(ws).Addr(), N: n, Wave: uint32(wave), Stride: 1 + lead,
					Newest: uint32(newest), Count: uint32(count),
				})
			}
		}
		stagetest.Run(t, dev, rec)
		after := stagetest.Get(t, dev, x.In(ws))
		top := 0.0
		for _, v := range band {
			top = max(top, math.Abs(float64(v)))
		}
		trace, norm := 0.0, 0.0
		for i := range band {
			was, is, weight := float64(band[i])/top, float64(after[i])/top, 2.0
			if i%ld == 0 {
				trace += was - is
				weight = 1
			}
			if i%ld > 1 && !(math.Abs(is) <= singleTolerance) {
				t.Errorf("%s: element %d of column %d is %g of the largest", name, i%ld, i/ld, is)
			}
			norm += weight * (was*was - is*is)
		}
		if !(math.Abs(trace) < n*singleTolerance && math.Abs(norm) < n*singleTolerance) {
			t.Errorf("%s: the trace differs by %g, the square of the norm by %g", name, trace, norm)
		}
	}
}
