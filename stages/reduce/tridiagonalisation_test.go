package reduce

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// smallestTridiagonalisation returns a tuning with small sizes: each workgroup has several rows, of
// which two chunks of columns are in registers and the others are in memory. There are at most as
// many workgroups as the CPU driver has threads, because workgroups wait for each other.
func smallestTridiagonalisation(t testing.TB, n int) TridiagonalisationTuning {
	t.Helper()
	d := stagetest.Device(t)
	groups := d.Info().Units
	if d.Info().Type == "cpu" {
		groups = min(runtime.NumCPU(), 2)
	}
	if !d.Info().Int64Atomics() || !d.Info().MemoryModel() {
		t.Skip("the device lacks 64-bit atomic operations")
	}
	tune := TridiagonalisationTuning{LocalSize: 16, Groups: max(groups, 1), Rows: 2, Polls: 1 << 24}
	tune.Kept = 2 * tune.rows(n)
	return tune
}

// reduced is the result of a reduction in one stage: INFO, A with its padding, T and τ.
type reduced[T spirv.Scalar] struct {
	info         uint32
	a, band, tau []T
}

// oneStage reduces the matrix a of order n, with its padding, by at most `limit` workgroups, which
// may be too few.
func oneStage[T spirv.Scalar](t *testing.T, n, ld int, w stages.Waiting, tune TridiagonalisationTuning, a []T, limit int) (r reduced[T]) {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[T](d, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newTridiagonalisation(d, n, ops, w, tune)
	if err != nil {
		t.Fatal(err)
	}
	aa, bb, tt := vk.Reserve[T]("A", ld*n), vk.Reserve[T]("B", 2*n), vk.Reserve[T]("tau", n-1)
	ws := stagetest.Arena(t, d, vk.Together(aa, bb, tt, s.Work(), s.Status(), ops.Work()))
	stagetest.Put(t, d, aa.In(ws), a)
	rec := vk.NewRecorder(d)
	s.record(rec, ws, product.NewMatrix(aa.In(ws), n, n, ld), bb.In(ws), tt.In(ws), limit)
	stagetest.Run(t, d, rec)
	r.info = stagetest.Get(t, d, s.Info(ws))[0]
	r.a, r.band, r.tau = stagetest.Get(t, d, aa.In(ws)), stagetest.Get(t, d, bb.In(ws)), stagetest.Get(t, d, tt.In(ws))
	return r
}

// smallestWaiting returns the ways in which workgroups of the smallest tuning wait.
func smallestWaiting(t *testing.T) stages.Waiting {
	return SmallestTuning().Waits.Waiting(t, stagetest.Device(t))
}

// tridiagonalise reduces the Hermitian matrix `dense` on the device. It checks that the zeros and
// ones of Y are in the right places.
func tridiagonalise[T spirv.Scalar](t *testing.T, n int, tune TridiagonalisationTuning, dense []T) (y, band, tau []T) {
	t.Helper()
	ld := n + n%2*3
	r := oneStage(t, n, ld, smallestWaiting(t), tune, stagetest.Padded(n, n, dense, ld), math.MaxInt)
	if r.info != 0 {
		t.Fatalf("n = %d: INFO = %d", n, r.info)
	}
	y, band, tau = stagetest.Unpadded(t, n, n, r.a, ld), r.band, r.tau
	where := fmt.Sprintf("n = %d", n)
	checkReflectors(t, where, n, 1, y)
	checkBand(t, where, n, 1, band)
	return y, band, tau
}

// seeTridiagonalisation measures the errors of a reduction to tridiagonal form by LAPACK's ratios.
// Package ref forms Q from Y and τ.
func seeTridiagonalisation(
	t *testing.T, name string, n int, tune TridiagonalisationTuning, dense []float64, orthogonal, similar *stagetest.Worst,
) {
	t.Helper()
	y, band, tau := tridiagonalise(t, n, tune, dense)
	ofQ, ofA := reductionErrors(n, 1, dense, y, band, tau)
	where := fmt.Sprintf("%s, n = %d", name, n)
	orthogonal.See(ofQ, where)
	similar.See(ofA, where)
}

func TestTridiagonalisation(t *testing.T) {
	var orthogonal, similar stagetest.Worst
	for _, n := range []int{1, 2, 3, 8, 17, 50} {
		seeTridiagonalisation(t, "random", n, smallestTridiagonalisation(t, n), stagetest.Symmetric(n), &orthogonal, &similar)
	}
	orthogonal.AtMost(t, "‖I − Qᵀ·Q‖", 10)
	similar.AtMost(t, "‖A − Q·T·Qᵀ‖", 10)
}

// TestTridiagonalisationKinds checks LAPACK's ratios of the reduction in one stage, for all kinds
// of dense matrices of package matgen. The matrices are scaled to magnitudes near 1.
func TestTridiagonalisationKinds(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const n = 29
	var orthogonal, similar stagetest.Worst
	for _, kind := range matgen.Dense() {
		dense := nearOne(kind.Dense(n))
		seeTridiagonalisation(t, kind.Name(), n, smallestTridiagonalisation(t, n), dense, &orthogonal, &similar)
	}
	orthogonal.AtMost(t, "‖I − Qᵀ·Q‖", 10)
	similar.AtMost(t, "‖A − Q·T·Qᵀ‖", 10)
}

// nearOne multiplies the numbers x by a power of two, so that the largest magnitude is in [½, 1).
// It returns x.
func nearOne(x []float64) []float64 {
	largest := 0.0
	for _, z := range x {
		largest = max(largest, math.Abs(z))
	}
	_, e := math.Frexp(largest)
	for i := range x {
		x[i] = math.Ldexp(x[i], -e)
	}
	return x
}

// TestTridiagonalisationIsTheReference compares the reduction to tridiagonal form, with several
// sizes of the kernel, with the reduction of package ref. The differences must be below 1e-11. The
// bits differ, because package ref adds in another order.
func TestTridiagonalisationIsTheReference(t *testing.T) {
	when.Skip(t, when.Quick, "TestTridiagonalisationKinds")
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n = 37
	dense := stagetest.Symmetric(n)
	wantY := slices.Clone(dense)
	wantBand, wantTau := ref.BandReduction(n, 1, 1, wantY, n)
	base := smallestTridiagonalisation(t, n)
	for _, change := range []func(*TridiagonalisationTuning){
		func(*TridiagonalisationTuning) {},
		func(s *TridiagonalisationTuning) { s.Kept = 4 * n },                // all elements of A are in registers
		func(s *TridiagonalisationTuning) { s.LocalSize = 64 },              // there is one chunk of columns
		func(s *TridiagonalisationTuning) { s.LocalSize, s.Groups = 32, 1 }, // there is one workgroup
		func(s *TridiagonalisationTuning) { s.Block = 4 },                   // workgroups have blocks of neighbouring rows
	} {
		tune := base
		change(&tune)
		tune.Kept = max(tune.Kept, tune.rows(n))
		y, band, tau := tridiagonalise(t, n, tune, dense)
		for _, c := range []struct {
			name      string
			got, want []float64
		}{{"Y", y, wantY}, {"T", band, wantBand}, {"τ", tau, wantTau}} {
			for i := range c.got {
				if d := math.Abs(c.got[i] - c.want[i]); !(d < 1e-11) {
					t.Fatalf("%+v: %s[%d] = %g, the reference has %g", tune, c.name, i, c.got[i], c.want[i])
				}
			}
		}
	}
}

// TestTridiagonalisationRepeats checks that the bits do not depend on the number of workgroups, on
// the number of elements in registers, or on the distribution of rows over the workgroups.
func TestTridiagonalisationRepeats(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n = 50
	tune := smallestTridiagonalisation(t, n)
	y, band, tau := tridiagonalise(t, n, tune, stagetest.Symmetric(n))
	alone := tune
	alone.Groups = 1
	alone.Kept = n
	all := tune
	all.Kept = 4 * n
	blocks := tune
	blocks.Block, blocks.Kept = 4, 4*n
	for _, other := range []TridiagonalisationTuning{tune, alone, all, blocks} {
		if sytrdSpec[float64](other, n, 8).LocalSize != sytrdSpec[float64](tune, n, 8).LocalSize {
			continue // the sums are added in another order, and have other bits
		}
		y2, band2, tau2 := tridiagonalise(t, n, other, stagetest.Symmetric(n))
		if !slices.Equal(y, y2) || !slices.Equal(band, band2) || !slices.Equal(tau, tau2) {
			t.Errorf("%+v and %+v differ", tune, other)
		}
	}
}

// TestTridiagonalisationOfNaN reduces a matrix of NaN. The results must be NaN, and no workgroup
// may wait until the poll limit.
func TestTridiagonalisationOfNaN(t *testing.T) {
	const n = 20
	dense := stagetest.Symmetric(n)
	for i := range dense {
		dense[i] = math.Float64frombits(math.MaxUint64)
	}
	r := oneStage(t, n, n, smallestWaiting(t), smallestTridiagonalisation(t, n), dense, math.MaxInt)
	if r.info != 0 || !math.IsNaN(r.band[0]) {
		t.Errorf("INFO = %d, T(0, 0) = %g", r.info, r.band[0])
	}
}

// TestTridiagonalisationGivesUp checks a run in which one workgroup does not run. The other
// workgroup must stop waiting at the poll limit, and INFO must name the row.
func TestTridiagonalisationGivesUp(t *testing.T) {
	const n = 20
	tune := smallestTridiagonalisation(t, n)
	tune.Polls, tune.Groups, tune.Kept = 1<<10, 2, n
	if r := oneStage(t, n, n, smallestWaiting(t), tune, stagetest.Symmetric(n), 1); r.info != 1+1 {
		t.Errorf("INFO = %d; row 1 was waited for", r.info)
	}
}

func TestTridiagonalisationRefuses(t *testing.T) {
	const n = 100
	atomics := []string{"shaderBufferInt64Atomics"}
	good := TridiagonalisationTuning{LocalSize: 64, Groups: 25, Rows: 4, Kept: 16, Polls: 1}
	info := vk.Info{Units: 25, Features: atomics, MaxLocal: 128, SharedBytes: 16 << 10, Subgroup: 32}
	if err := Fits[float64](good, info, n); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*TridiagonalisationTuning, *vk.Info){
		"a unit less":      func(_ *TridiagonalisationTuning, i *vk.Info) { i.Units-- },
		"units unknown":    func(_ *TridiagonalisationTuning, i *vk.Info) { i.Units = 0 },
		"no atomics":       func(_ *TridiagonalisationTuning, i *vk.Info) { i.Features = nil },
		"small workgroups": func(_ *TridiagonalisationTuning, i *vk.Info) { i.MaxLocal = 32 },
		"shared memory":    func(_ *TridiagonalisationTuning, i *vk.Info) { i.SharedBytes = 64 },
	} {
		s, i := good, info
		change(&s, &i)
		var lacks *vk.UnsupportedError
		if err := Fits[float64](s, i, n); !errors.As(err, &lacks) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []TridiagonalisationTuning{
		{}, {LocalSize: 48, Groups: 25, Rows: 4, Kept: 16}, {LocalSize: 64, Groups: 25, Rows: 4, Kept: 3},
		{LocalSize: 64, Groups: 0, Rows: 4, Kept: 16},
	} {
		if Fits[float64](bad, info, n) == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	if _, err := NewTridiagonalisation(stagetest.Device(t), n, roomtest.WrittenOps(), stages.Waiting{}, good); err == nil {
		t.Error("a device that may not wait was accepted")
	}
}

// TestCrowdedDevicesReduceInTwoStages checks that a reduction in one stage is refused on two kinds
// of devices: a device that does not run all workgroups at the same time, and a device on which no
// workgroup may wait.
func TestCrowdedDevicesReduceInTwoStages(t *testing.T) {
	dev := vk.Dry(vk.Info{
		Family: "nvidia", Name: "NVIDIA H200", Units: 132, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32,
		Features: []string{"shaderBufferInt64Atomics"},
	})
	one := TridiagonalisationTuning{Values: 64, LocalSize: 32, Groups: 4, Rows: 8, Kept: 64, Polls: 1}
	for _, c := range []struct {
		w     stages.Waiting
		meets bool
	}{{stages.Waiting{Allowed: true}, true}, {stages.Waiting{Allowed: true, Crowded: true}, false}, {stages.Waiting{}, false}} {
		if _, err := NewTridiagonalisation(dev, 32, roomtest.WrittenOps(), c.w, one); (err == nil) != c.meets {
			t.Errorf("%+v: %v", c.w, err)
		}
	}
}
