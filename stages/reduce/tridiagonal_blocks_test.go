package reduce

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// smallestBlocks returns a tuning with which small matrices are reduced in blocks of 4 columns
// until `left` columns are left. Workgroups have several rows and several chunks of columns, of
// which one is in registers.
func smallestBlocks(t testing.TB, n, left int) TridiagonalisationTuning {
	t.Helper()
	tune := smallestTridiagonalisation(t, left)
	tune.Blocked = BlockedTuning{Left: left, Columns: 4, LocalSize: 16, Groups: tune.Groups}
	tune.Blocked.Registers = 3*tune.Blocked.rows(n) + latrdVectors*vk.Tiles(n, tune.Blocked.LocalSize)
	return tune
}

// TestBlockedTridiagonalisation measures the errors of reductions whose first columns are reduced
// in blocks: whole blocks, a last block that has fewer columns, one column, and almost all columns.
func TestBlockedTridiagonalisation(t *testing.T) {
	var orthogonal, similar stagetest.Worst
	for _, c := range []struct{ n, left int }{{50, 33}, {50, 1}, {18, 17}, {16, 17}, {17, 17}, {37, 29}, {9, 2}, {2, 1}, {3, 1}} {
		name := fmt.Sprintf("random, %d columns left", c.left)
		seeTridiagonalisation(t, name, c.n, smallestBlocks(t, c.n, c.left), stagetest.Symmetric(c.n), &orthogonal, &similar)
	}
	orthogonal.AtMost(t, "‖I − Qᵀ·Q‖", 10)
	similar.AtMost(t, "‖A − Q·T·Qᵀ‖", 10)
}

// TestBlockedTridiagonalisationKinds checks the reduction in blocks for all kinds of dense matrices
// of package matgen. The matrices are scaled to magnitudes near 1.
func TestBlockedTridiagonalisationKinds(t *testing.T) {
	when.Skip(t, when.Quick, "TestBlockedTridiagonalisation")
	when.Skip(t, when.Validation, "other tests record the same kernels")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const n, left = 29, 12
	var orthogonal, similar stagetest.Worst
	for _, kind := range matgen.Dense() {
		dense := nearOne(kind.Dense(n))
		seeTridiagonalisation(t, kind.Name(), n, smallestBlocks(t, n, left), dense, &orthogonal, &similar)
	}
	orthogonal.AtMost(t, "‖I − Qᵀ·Q‖", 10)
	similar.AtMost(t, "‖A − Q·T·Qᵀ‖", 10)
}

// TestBlockedTridiagonalisationIsTheReference compares reductions in blocks, with several sizes of
// the kernel, with the reduction of package ref, which updates the trailing matrix after every 4
// columns. The differences must be below 1e-11. The bits differ, because package ref adds in
// another order.
func TestBlockedTridiagonalisationIsTheReference(t *testing.T) {
	when.Skip(t, when.Quick, "TestBlockedTridiagonalisation")
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n, left = 43, 14
	dense := stagetest.Symmetric(n)
	base := smallestBlocks(t, n, left)
	wantY := slices.Clone(dense)
	wantBand, wantTau := ref.BandReduction(n, 1, base.Blocked.Columns, wantY, n)
	for name, change := range map[string]func(*BlockedTuning){
		"smallest":         func(*BlockedTuning) {},
		"all in memory":    func(b *BlockedTuning) { b.Registers = 0 },
		"all in registers": func(b *BlockedTuning) { b.Registers = 100 * n },
		"one chunk":        func(b *BlockedTuning) { b.LocalSize = 64 },
		"one workgroup":    func(b *BlockedTuning) { b.LocalSize, b.Groups = 32, 1 },
		"blocks of rows":   func(b *BlockedTuning) { b.Block = 4 },
		"one column":       func(b *BlockedTuning) { b.Columns = 1 },
		"one block":        func(b *BlockedTuning) { b.Columns = n },
	} {
		tune := base
		change(&tune.Blocked)
		y, band, tau := tridiagonalise(t, n, tune, dense)
		for _, c := range []struct {
			what      string
			got, want []float64
		}{{"Y", y, wantY}, {"T", band, wantBand}, {"τ", tau, wantTau}} {
			for i := range c.got {
				if d := math.Abs(c.got[i] - c.want[i]); !(d < 1e-11) {
					t.Fatalf("%s: %s[%d] = %g, the reference has %g", name, c.what, i, c.got[i], c.want[i])
				}
			}
		}
	}
}

// TestBlockedTridiagonalisationRepeats checks that the bits of a reduction in blocks do not depend
// on the number of workgroups, on the number of elements in registers, or on the distribution of
// rows over the workgroups.
func TestBlockedTridiagonalisationRepeats(t *testing.T) {
	when.Skip(t, when.Quick, "TestBlockedTridiagonalisation")
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n, left = 50, 20
	tune := smallestBlocks(t, n, left)
	y, band, tau := tridiagonalise(t, n, tune, stagetest.Symmetric(n))
	for name, change := range map[string]func(*BlockedTuning){
		"same":             func(*BlockedTuning) {},
		"one workgroup":    func(b *BlockedTuning) { b.Groups = 1 },
		"all in registers": func(b *BlockedTuning) { b.Registers = 100 * n },
		"blocks of rows":   func(b *BlockedTuning) { b.Block = 4 },
	} {
		other := tune
		change(&other.Blocked)
		y2, band2, tau2 := tridiagonalise(t, n, other, stagetest.Symmetric(n))
		if !slices.Equal(y, y2) || !slices.Equal(band, band2) || !slices.Equal(tau, tau2) {
			t.Errorf("%s: the bits differ", name)
		}
	}
}

// TestBlockedTridiagonalisationOfNaN reduces a matrix of NaN in blocks. The results must be NaN,
// and no workgroup may wait until the poll limit.
func TestBlockedTridiagonalisationOfNaN(t *testing.T) {
	const n, left = 24, 9
	dense := stagetest.Symmetric(n)
	for i := range dense {
		dense[i] = math.Float64frombits(math.MaxUint64)
	}
	tune := smallestBlocks(t, n, left)
	r := oneStage(t, n, n, smallestWaiting(t), tune, dense, math.MaxInt)
	if r.info != 0 || !math.IsNaN(r.band[0]) || !math.IsNaN(r.band[2*(n-left)]) {
		t.Errorf("INFO = %d, T = %v", r.info, r.band)
	}
}

// TestBlockedTridiagonalisationGivesUp checks a run in which one workgroup does not run. The other
// workgroup must stop waiting at the poll limit, and INFO must name the row. Only the workgroup
// that runs has row 0. So row 1 is the first row for which it waits.
func TestBlockedTridiagonalisationGivesUp(t *testing.T) {
	const n, left = 24, 9
	tune := smallestBlocks(t, n, left)
	tune.Polls, tune.Groups, tune.Kept = 1<<10, 2, n
	tune.Blocked.Groups = 2
	if r := oneStage(t, n, n, smallestWaiting(t), tune, stagetest.Symmetric(n), 1); r.info != 1+1 {
		t.Errorf("INFO = %d; row 1 was waited for", r.info)
	}
}

// TestBlockedTridiagonalisationRefuses checks devices that lack something that a reduction in
// blocks needs, and sizes that are wrong on every device. They must be refused for orders that need
// blocks, and for these orders only.
func TestBlockedTridiagonalisationRefuses(t *testing.T) {
	good := TridiagonalisationTuning{
		LocalSize: 64, Groups: 20, Rows: 4, Kept: 16, Polls: 1,
		Blocked: BlockedTuning{Left: 80, Columns: 8, LocalSize: 128, Groups: 25},
	}
	info := vk.Info{Units: 25, Features: []string{"shaderBufferInt64Atomics"}, MaxLocal: 128, SharedBytes: 16 << 10, Subgroup: 32}
	for name, c := range map[string]struct {
		change func(*BlockedTuning, *vk.Info)
		lacks  bool
	}{
		"nothing":          {func(*BlockedTuning, *vk.Info) {}, false},
		"a unit less":      {func(_ *BlockedTuning, i *vk.Info) { i.Units-- }, true},
		"small workgroups": {func(_ *BlockedTuning, i *vk.Info) { i.MaxLocal = 64 }, true},
		"shared memory":    {func(b *BlockedTuning, _ *vk.Info) { b.Columns = 200 }, true},
		"no columns":       {func(b *BlockedTuning, _ *vk.Info) { b.Columns = 0 }, false},
		"no groups":        {func(b *BlockedTuning, _ *vk.Info) { b.Groups = 0 }, false},
		"odd workgroups":   {func(b *BlockedTuning, _ *vk.Info) { b.LocalSize = 96 }, false},
		"negative rows":    {func(b *BlockedTuning, _ *vk.Info) { b.Block = -1 }, false},
		"no registers":     {func(b *BlockedTuning, _ *vk.Info) { b.Registers = -1 }, false},
	} {
		s, i := good, info
		c.change(&s.Blocked, &i)
		if err := Fits[float64](s, i, 80); err != nil {
			t.Errorf("%s, order 80: %v", name, err)
		}
		var lacks *vk.UnsupportedError
		if err := Fits[float64](s, i, 100); (err == nil) != (name == "nothing") || errors.As(err, &lacks) != c.lacks {
			t.Errorf("%s, order 100: %v", name, err)
		}
	}
}

// TestTridiagonalisationRecording checks the order of the recorded commands against a golden file.
// A product of matrices appears only as a line with its shapes. There are two whole blocks and one
// with fewer columns.
func TestTridiagonalisationRecording(t *testing.T) {
	const n = 20
	d := roomtest.Dry()
	s, err := newTridiagonalisation(d, n, roomtest.WrittenOps(), stages.Waiting{Allowed: true}, TridiagonalisationTuning{
		LocalSize: 16, Groups: 2, Rows: 2, Kept: 10, Polls: 1,
		Blocked: BlockedTuning{Left: 10, Columns: 4, LocalSize: 16, Groups: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, bb, tt := vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("B", 2*n), vk.Reserve[float64]("tau", n-1)
	ws, err := d.NewArena(vk.Together(a, bb, tt, s.Work(), s.Status()))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	s.Record(rec, ws, stages.NewMatrix(a.In(ws), n, n, n), bb.In(ws), tt.In(ws))
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	stagetest.Golden(t, "tridiagonalisation.golden", text.String())
}
