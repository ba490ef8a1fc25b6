package move

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

var copySizes = []int{0, 1, 2, 31, 32, 33, 64, 100}

// TestSymmetricLoad checks that SymmetricLoad makes the full matrix, times 0.25, from one triangle.
// The other triangle is NaN, and the padding between columns must not change.
func TestSymmetricLoad(t *testing.T) {
	s, err := NewSymmetricLoad[float64](stagetest.Device(t))
	if err != nil {
		t.Fatal(err)
	}
	p := stagetest.NewBench(t, 320*323, vk.Together())
	for _, n := range append(copySizes, 320) { // 10 rows of tiles: two swaths
		for _, stored := range triangles {
			full := stagetest.Normal(n, n, n+3, 1)
			at := func(i, j int) float64 { return full.Data[max(i, j)+min(i, j)*full.Ld] }
			given, want := stagetest.Poisoned(n, n, n+3), stagetest.Poisoned(n, n, n+3).Fill(func(i, j int) float64 { return 0.25 * at(i, j) })
			for j := range n {
				for i := range n {
					if i == j || stored.holds(i, j) {
						given.Data[i+j*given.Ld] = at(i, j)
					}
				}
			}
			got := p.Do(t, stagetest.Poisoned(0, 0, 1), stagetest.Poisoned(0, 0, 1), given, func(rec *vk.Recorder, _, _, a vk.Slice[float64]) {
				s.Record(rec, stages.NewMatrix(a, n, n, given.Ld), stored, 0.25)
			})
			where := fmt.Sprintf("n=%d %+v", n, stored)
			if stagetest.Furthest(t, where, got, want, want.Abs()) != 0 {
				t.Errorf("%s: a power of two did not scale exactly", where)
			}
		}
	}
}

// TestHermitianLoad checks that SymmetricLoad makes a whole Hermitian matrix from one triangle: an
// element x of this triangle gives conj(x) at the mirrored place. If the matrix is stored by rows,
// conj(x) replaces x, and x goes to the mirrored place. The other triangle and the imaginary parts
// of the diagonal are NaN, because SymmetricLoad must not read them.
func TestHermitianLoad(t *testing.T) {
	for _, tile := range []uint32{Tile, Tile / 2} {
		t.Run(fmt.Sprintf("complex128/%d", tile), func(t *testing.T) { testHermitianLoad[complex128](t, tile) })
		t.Run(fmt.Sprintf("complex64/%d", tile), func(t *testing.T) { testHermitianLoad[complex64](t, tile) })
	}
}

func testHermitianLoad[T stagetest.Complex](t *testing.T, tile uint32) {
	d := stagetest.Device(t)
	k, err := vk.Build(d, shaders.LacpySymmetric[T](), shaders.LacpySymmetricSpec{LocalSize: TileThreads, Tile: tile})
	if err != nil {
		t.Fatal(err)
	}
	s := &SymmetricLoad[T]{k}
	for _, n := range []int{1, 2, 31, 33, 100} {
		for _, stored := range triangles {
			where := fmt.Sprintf("n=%d %+v", n, stored)
			ld := n + 3
			host := make([]complex128, ld*n)
			for l := range host {
				host[l] = cmplx.NaN()
				if i, j := l%ld, l/ld; i == j {
					host[l] = complex(float64(i+1), math.NaN())
				} else if i < n && stored.holds(i, j) {
					host[l] = complex(float64(i), float64(j+1))
				}
			}
			lower := ref.LowerTriangle(n, stored.Upper, stored.RowMajor, host, ld)
			room := vk.Reserve[T]("a", ld*n)
			a := room.In(stagetest.Arena(t, d, vk.Together(room)))
			stagetest.Put(t, d, a, stagetest.ComplexOf[T](host))
			rec := vk.NewRecorder(d)
			s.Record(rec, product.NewMatrix(a, n, n, ld), stored, 0.25)
			stagetest.Run(t, d, rec)
			for l, have := range stagetest.Get(t, d, a) {
				i, j := l%ld, l/ld
				if i >= n {
					if !cmplx.IsNaN(complex128(have)) {
						t.Fatalf("%s: padding was written", where)
					}
					continue
				}
				want := lower[max(i, j)+min(i, j)*n] / 4
				if i < j {
					want = cmplx.Conj(want)
				}
				if complex128(have) != want {
					t.Fatalf("%s: element (%d, %d) is %v, want %v", where, i, j, have, want)
				}
			}
		}
	}
}

// triangles has all ways in which a triangle can be stored.
var triangles = []Triangle{{}, {Upper: true}, {RowMajor: true}, {Upper: true, RowMajor: true}}

// holds tells whether the stored triangle has the element at i + j·ld in memory, for i ≠ j. This is
// element (i, j) of the matrix if the matrix is stored by columns, and (j, i) if it is stored by
// rows.
func (s Triangle) holds(i, j int) bool { return (i < j) == (s.Upper != s.RowMajor) }

func TestTranspose(t *testing.T) {
	for _, tile := range []uint32{Tile, Tile / 2} {
		t.Run(fmt.Sprint(tile), func(t *testing.T) { testTranspose(t, tile) })
	}
}

func testTranspose(t *testing.T, tile uint32) {
	k, err := vk.Build(stagetest.Device(t), shaders.Transpose[float64](), shaders.TransposeSpec{LocalSize: TileThreads, Tile: tile})
	if err != nil {
		t.Fatal(err)
	}
	s := &Transpose[float64]{k}
	p := stagetest.NewBench(t, 105*105, vk.Together())
	for _, rows := range copySizes {
		for _, cols := range copySizes {
			a, b := stagetest.Normal(rows, cols, rows+1, 1), stagetest.Poisoned(cols, rows, cols+2)
			want := stagetest.Poisoned(cols, rows, cols+2).Fill(func(i, j int) float64 { return a.Data[j+i*a.Ld] })
			got := p.Do(t, a, stagetest.Poisoned(0, 0, 1), b, func(rec *vk.Recorder, x, _, y vk.Slice[float64]) {
				s.Record(rec, stages.NewMatrix(x, rows, cols, a.Ld), stages.NewMatrix(y, cols, rows, b.Ld))
			})
			if stagetest.Furthest(t, fmt.Sprintf("%d×%d", rows, cols), got, want, want.Abs()) != 0 {
				t.Errorf("%d×%d: elements changed", rows, cols)
			}
		}
	}
}

// TestTilesFitSmallDevices checks that the kernels with tiles need at most the shared memory that
// every device has, and that their tiles are halved only where they would need more.
func TestTilesFitSmallDevices(t *testing.T) {
	tilesFit[float64](t, Tile)
	tilesFit[complex64](t, Tile)
	tilesFit[complex128](t, Tile/2)
}

func tilesFit[T spirv.Scalar](t *testing.T, smallest uint32) {
	for shared, want := range map[int]uint32{16 << 10: smallest, 32 << 10: Tile} {
		dev := vk.Dry(vk.Info{Name: "small", SharedBytes: shared, MaxLocal: 128})
		load, err := NewSymmetricLoad[T](dev)
		turn, err2 := NewTranspose[T](dev)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		loads, err := product.SharedBytes(shaders.LacpySymmetric[T], load.mirror.Spec)
		turns, err2 := product.SharedBytes(shaders.Transpose[T], turn.kernel.Spec)
		if err := errors.Join(err, err2); err != nil || max(loads, turns) > shared || load.mirror.Spec.Tile != want || turn.kernel.Spec.Tile != want {
			t.Errorf("%T: %d bytes of %d, tiles of %d and %d, want %d, %v", *new(T), max(loads, turns), shared, load.mirror.Spec.Tile, turn.kernel.Spec.Tile, want, err)
		}
	}
}

func TestCopying(t *testing.T) {
	s, err := NewCopying[float64](stagetest.Device(t))
	if err != nil {
		t.Fatal(err)
	}
	p := stagetest.NewBench(t, 110*105, vk.Together())
	for _, rows := range append(copySizes, 3, 105) {
		for _, cols := range copySizes {
			a, b := stagetest.Normal(rows, cols, rows+1, 1), stagetest.Poisoned(rows, cols, rows+3)
			want := stagetest.Poisoned(rows, cols, rows+3).Fill(func(i, j int) float64 { return a.Data[i+j*a.Ld] })
			got := p.Do(t, a, stagetest.Poisoned(0, 0, 1), b, func(rec *vk.Recorder, x, _, y vk.Slice[float64]) {
				s.Record(rec, stages.NewMatrix(x, rows, cols, a.Ld), stages.NewMatrix(y, rows, cols, b.Ld))
			})
			if stagetest.Furthest(t, fmt.Sprintf("%d×%d", rows, cols), got, want, want.Abs()) != 0 {
				t.Errorf("%d×%d: elements changed", rows, cols)
			}
		}
	}
}

// TestMovesInPortions runs tests of this package with dispatches that move at most 5000 bytes, or
// one column or tile. So a matrix takes several dispatches, as large matrices do. The results must
// be the same.
func TestMovesInPortions(t *testing.T) {
	defer func(most float64) { movedAtOnce = most }(movedAtOnce)
	movedAtOnce = 5000
	t.Run("symmetric load", TestSymmetricLoad)
	t.Run("transpose", TestTranspose)
	t.Run("copy", TestCopying)
	t.Run("conversion", TestConversion)
	t.Run("promotion", TestPromote)
	t.Run("identity", func(t *testing.T) {
		const rows, cols, ld = 75, 61, 80
		s, err := NewIdentity[float64](stagetest.Device(t))
		if err != nil {
			t.Fatal(err)
		}
		p := stagetest.NewBench(t, ld*cols, vk.Together())
		want := stagetest.Poisoned(rows, cols, ld).Fill(func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] })
		none := stagetest.Poisoned(0, 0, 1)
		got := p.Do(t, none, none, stagetest.Poisoned(rows, cols, ld), func(rec *vk.Recorder, _, _, x vk.Slice[float64]) {
			before := rec.Len()
			s.Record(rec, stages.NewMatrix(x, rows, cols, ld))
			if n := rec.Len() - before; n < 2*cols*rows*8/5000 {
				t.Errorf("%d commands", n)
			}
		})
		if stagetest.Furthest(t, "identity", got, want, want.Abs()) != 0 {
			t.Error("it is not an identity")
		}
	})
}
