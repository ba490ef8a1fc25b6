package move

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestColumnPhases compares the phases of columns with package ref. Column 1 has zeros, and column
// 2 has real numbers. In matrices with three rows or more, column 3 has two elements of the same
// largest modulus, and in column 4 a real negative element decides.
func TestColumnPhases(t *testing.T) {
	stagetest.EachComplex(t, testColumnPhases[complex128], testColumnPhases[complex64])
}

func testColumnPhases[T stagetest.Complex](t *testing.T) {
	d := stagetest.Device(t)
	s, err := NewSigns[T](d)
	if err != nil {
		t.Fatal(err)
	}
	const cols = 7
	for _, rows := range []int{1, 2, 3, 65, 300} {
		ld := rows + 3
		r := rand.New(rand.NewPCG(uint64(rows), 35))
		x := make([]complex128, ld*cols)
		for l := range x {
			x[l] = stagetest.RandomComplex(r)
			switch i, j := l%ld, l/ld; {
			case i >= rows:
				x[l] = cmplx.NaN()
			case j == 1:
				x[l] = 0
			case j == 2:
				x[l] = complex(real(x[l]), 0)
			}
		}
		if rows > 2 {
			x[rows/2+3*ld], x[rows-1+3*ld], x[rows-2+4*ld] = 12-16i, -20, -20
		}
		want := slices.Clone(x)
		ref.ColumnPhases(rows, cols, want, ld)
		room := vk.Reserve[T]("X", len(x))
		at := room.In(stagetest.Arena(t, d, vk.Together(room)))
		stagetest.Put(t, d, at, stagetest.ComplexOf[T](x))
		rec := vk.NewRecorder(d)
		s.Record(rec, product.NewMatrix(at, rows, cols, ld))
		stagetest.Run(t, d, rec)
		got := stagetest.ComplexOf[complex128](stagetest.Get(t, d, at))
		for l, z := range got {
			i, j := l%ld, l/ld
			tolerance := 8 * stagetest.EpsilonOf[T]() * cmplx.Abs(want[l])
			if j == 1 || j == 2 {
				tolerance = 0
			}
			if i >= rows {
				if !cmplx.IsNaN(z) {
					t.Fatalf("%d rows: padding was written", rows)
				}
			} else if !(cmplx.Abs(z-want[l]) <= tolerance) {
				t.Fatalf("%d rows: element (%d, %d) is %v, want %v", rows, i, j, z, want[l])
			} else if imag(want[l]) == 0 && imag(z) != 0 {
				t.Fatalf("%d rows: element (%d, %d) is %v, want a real number", rows, i, j, z)
			}
		}
	}
}

// spreadOf has scale factors for numbers of double precision (false) and of single precision
// (true). The squares of some would overflow or vanish.
var spreadOf = map[bool][]float64{false: {1, 0x1p-1000, 0x1p1000, 0x1p-1070, 0x1p1020}, true: {1, 0x1p-100, 0x1p100, 0x1p-120, 0x1p123}}

// TestRealTridiagonal checks the conversion of a complex tridiagonal matrix to a real one: the real
// matrix and the phase must be those of package ref. Imaginary parts that must not be read are NaN.
func TestRealTridiagonal(t *testing.T) {
	stagetest.EachComplex(t, testRealTridiagonal[complex128], testRealTridiagonal[complex64])
}

func testRealTridiagonal[T stagetest.Complex](t *testing.T) {
	dev := stagetest.Device(t)
	c, err := NewComplexConversion[T](dev)
	if err != nil {
		t.Fatal(err)
	}
	lasts := []complex128{0, 2, -3, 1i, -0.75i, 3 + 4i, -1 - 1e-30i, 1e-30 - 1i, -0.6 - 0.8i}
	for _, n := range []int{1, 2, 3, 300} {
		for _, scale := range spreadOf[stagetest.EpsilonOf[T]() > 1e-10] {
			for _, last := range lasts {
				d, e := make([]T, n), make([]T, n-1)
				for i := range d {
					d[i] = T(complex(float64(i)-7, math.NaN()))
				}
				for i := range e {
					e[i] = T(complex(float64(i+1), math.NaN()))
				}
				if n > 1 {
					e[n-2] = T(last * complex(scale, 0))
				}
				_, off, phase := ref.RealTridiagonal(stagetest.ComplexOf[complex128](d), stagetest.ComplexOf[complex128](e))
				from := [2]vk.Region[T]{vk.Reserve[T]("d", n), vk.Reserve[T]("e", n-1)}
				to := [2]vk.Region[float64]{vk.Reserve[float64]("real d", n), vk.Reserve[float64]("real e", n-1)}
				turn := vk.Reserve[complex128]("phase", 1)
				ws := stagetest.Arena(t, dev, vk.Together(from[0], from[1], to[0], to[1], turn))
				stagetest.Put(t, dev, from[0].In(ws), d)
				stagetest.Put(t, dev, from[1].In(ws), e)
				rec := vk.NewRecorder(dev)
				c.RecordReal(rec, stages.Tridiagonal[T]{D: from[0].In(ws), E: from[1].In(ws)},
					stages.Tridiagonal[float64]{D: to[0].In(ws), E: to[1].In(ws)}, turn.In(ws))
				stagetest.Run(t, dev, rec)
				what := fmt.Sprintf("n=%d, last element %v", n, last*complex(scale, 0))
				for i, x := range stagetest.Get(t, dev, to[0].In(ws)) {
					if x != float64(i)-7 {
						t.Fatalf("%s: diagonal element %d is %g", what, i, x)
					}
				}
				for i, x := range stagetest.Get(t, dev, to[1].In(ws)) {
					if !(math.Abs(x-off[i]) <= 0x1p-51*off[i]) || i < n-2 && x != off[i] {
						t.Fatalf("%s: off-diagonal element %d is %g, want %g", what, i, x, off[i])
					}
				}
				if got := stagetest.Get(t, dev, turn.In(ws))[0]; !(cmplx.Abs(got-phase) <= 0x1p-51) || imag(last) == 0 && got != phase {
					t.Fatalf("%s: phase %v, want %v", what, got, phase)
				}
			}
		}
	}
}

// TestRealBidiagonal compares the real matrix and the two phases with package ref. Imaginary parts
// that must not be read are NaN.
func TestRealBidiagonal(t *testing.T) {
	stagetest.EachComplex(t, testRealBidiagonal[complex128], testRealBidiagonal[complex64])
}

func testRealBidiagonal[T stagetest.Complex](t *testing.T) {
	dev := stagetest.Device(t)
	c, err := NewComplexBidiagonal[T](dev)
	if err != nil {
		t.Fatal(err)
	}
	lasts := []complex128{0, 2, -3, 1i, -0.75i, 3 + 4i, -1 - 1e-30i, -0.6 - 0.8i}
	for _, n := range []int{1, 2, 3, 300} {
		for _, scale := range spreadOf[stagetest.EpsilonOf[T]() > 1e-10] {
			for k, last := range lasts {
				before, off := lasts[(3*k+n)%len(lasts)], make([]T, 2*n-1)
				for i := range off {
					off[i] = T(complex(float64(i)-7, math.NaN()))
				}
				off[2*n-2] = T(last * complex(scale, 0))
				if n > 1 {
					off[2*n-3] = T(before * complex(scale, 0))
				}
				d, e := make([]complex128, n), make([]complex128, n-1)
				for i, z := range off {
					if i%2 == 0 {
						d[i/2] = complex128(z)
					} else {
						e[i/2] = complex128(z)
					}
				}
				diagonal, above, left, right := ref.RealBidiagonal(d, e)
				from, to := vk.Reserve[T]("C", len(off)), vk.Reserve[float64]("real C", len(off))
				turn := vk.Reserve[complex128]("phases", 2)
				ws := stagetest.Arena(t, dev, vk.Together(from, to, turn))
				stagetest.Put(t, dev, from.In(ws), off)
				rec := vk.NewRecorder(dev)
				if n == 2 && k == 0 {
					panics(t, "stages: the real elements has 2 elements of 3", func() { c.RecordBidiagonal(rec, from.In(ws), to.In(ws).Sub(0, 2), turn.In(ws)) })
					panics(t, "stages: the phases has 1 elements of 2", func() { c.RecordBidiagonal(rec, from.In(ws), to.In(ws), turn.In(ws).Sub(0, 1)) })
				}
				c.RecordBidiagonal(rec, from.In(ws), to.In(ws), turn.In(ws))
				stagetest.Run(t, dev, rec)
				what := fmt.Sprintf("n=%d, last elements %v, %v times %g", n, before, last, scale)
				for i, x := range stagetest.Get(t, dev, to.In(ws)) {
					want := diagonal[i/2]
					if i%2 == 1 {
						want = above[i/2]
					}
					if !(math.Abs(x-want) <= 0x1p-50*want) && x != want {
						t.Fatalf("%s: element %d is %g, want %g", what, i, x, want)
					}
				}
				for i, phase := range stagetest.Get(t, dev, turn.In(ws)) {
					if want := []complex128{left, right}[i]; !(cmplx.Abs(phase-want) <= 0x1p-50) {
						t.Fatalf("%s: phase %d is %v, want %v", what, i, phase, want)
					}
				}
			}
		}
	}
}

// panics checks that a call for too short memory panics with the text.
func panics(t *testing.T, text string, call func()) {
	t.Helper()
	defer func() {
		if said := recover(); said != text {
			t.Errorf("the call panics with %v, want %q", said, text)
		}
	}()
	call()
}

// TestConjugation conjugates a matrix with padding, and a real matrix, which stays as it is.
func TestConjugation(t *testing.T) {
	stagetest.EachComplex(t, testConjugation[complex128], testConjugation[complex64])
	if c, err := NewConjugation[float64](stagetest.Device(t)); err != nil || c.kernel != nil {
		t.Errorf("the conjugation of real numbers has a kernel, or the error %v", err)
	}
}

func testConjugation[T stagetest.Complex](t *testing.T) {
	dev := stagetest.Device(t)
	c, err := NewConjugation[T](dev)
	if err != nil {
		t.Fatal(err)
	}
	defer func(most float64) { movedAtOnce = most }(movedAtOnce)
	for i, size := range [][2]int{{0, 3}, {1, 1}, {5, 2}, {300, 7}} {
		if i%2 == 1 {
			movedAtOnce = 1000 // more than one dispatch
		}
		m, n := size[0], size[1]
		r, x := rand.New(rand.NewPCG(uint64(m), uint64(n))), make([]T, m*n)
		for l := range x {
			x[l] = T(stagetest.RandomComplex(r))
		}
		room := vk.Reserve[T]("X", (m+2)*n)
		at := room.In(stagetest.Arena(t, dev, vk.Together(room)))
		stagetest.Put(t, dev, at, stagetest.Padded(m, n, x, m+2))
		rec := vk.NewRecorder(dev)
		c.Record(rec, product.NewMatrix(at, m, n, m+2))
		stagetest.Run(t, dev, rec)
		for l, z := range stagetest.Unpadded(t, m, n, stagetest.Get(t, dev, at), m+2) {
			if want := T(cmplx.Conj(complex128(x[l]))); z != want {
				t.Fatalf("%d×%d: element %d is %v, want %v", m, n, l, z, want)
			}
		}
	}
}

// TestPhasesOfBothSides multiplies the columns of one matrix by phases (RecordDeciding), and those
// of a second matrix by the same phases (RecordFollowing).
func TestPhasesOfBothSides(t *testing.T) {
	stagetest.EachComplex(t, testPhasesOfBothSides[complex128], testPhasesOfBothSides[complex64])
}

func testPhasesOfBothSides[T stagetest.Complex](t *testing.T) {
	dev := stagetest.Device(t)
	s, err := NewSigns[T](dev)
	if err != nil {
		t.Fatal(err)
	}
	const rows, others, cols, ld = 300, 7, 5, 303
	r, v, u := rand.New(rand.NewPCG(1, 2)), make([]complex128, rows*cols), make([]complex128, others*cols)
	for _, x := range [][]complex128{v, u} {
		for i := range x {
			x[i] = stagetest.RandomComplex(r)
		}
	}
	clear(v[3*rows : 4*rows]) // a column of zeros has the phase 1
	v[77+2*rows] = -9         // decides its column
	want, turned := slices.Clone(v), slices.Clone(u)
	ref.ColumnPhases(rows, cols, want, rows)
	for j := range cols {
		phase := complex128(1)
		for i, z := range want[j*rows : (j+1)*rows] {
			if imag(z) == 0 && real(z) > 0 {
				phase = z / v[i+j*rows]
			}
		}
		for i := range others {
			turned[i+j*others] *= phase
		}
	}
	vv, uu := vk.Reserve[T]("V", ld*cols), vk.Reserve[T]("U", others*cols)
	ff := vk.Reserve[uint32]("phases", cols*FlippedWords[T]())
	ws := stagetest.Arena(t, dev, vk.Together(vv, uu, ff))
	stagetest.Put(t, dev, vv.In(ws), stagetest.Padded(rows, cols, stagetest.ComplexOf[T](v), ld))
	stagetest.Put(t, dev, uu.In(ws), stagetest.ComplexOf[T](u))
	rec := vk.NewRecorder(dev)
	s.RecordDeciding(rec, product.NewMatrix(vv.In(ws), rows, cols, ld), ff.In(ws))
	s.RecordFollowing(rec, product.NewMatrix(uu.In(ws), others, cols, others), ff.In(ws))
	stagetest.Run(t, dev, rec)
	for name, pair := range map[string][2][]complex128{
		"V": {stagetest.ComplexOf[complex128](stagetest.Unpadded(t, rows, cols, stagetest.Get(t, dev, vv.In(ws)), ld)), want},
		"U": {stagetest.ComplexOf[complex128](stagetest.Get(t, dev, uu.In(ws))), turned},
	} {
		for i, z := range pair[1] {
			if !(cmplx.Abs(pair[0][i]-z) <= 8*stagetest.EpsilonOf[T]()*cmplx.Abs(z)) {
				t.Fatalf("%s: element %d is %v, want %v", name, i, pair[0][i], z)
			}
		}
	}
}

// TestPromote compares vectors in rows with package ref, which has them in columns.
func TestPromote(t *testing.T) {
	stagetest.EachComplex(t, testPromote[complex128], testPromote[complex64])
}

func testPromote[T stagetest.Complex](t *testing.T) {
	dev := stagetest.Device(t)
	c, err := NewComplexConversion[T](dev)
	if err != nil {
		t.Fatal(err)
	}
	const phase = 0.6 - 0.8i
	for _, size := range [][2]int{{0, 3}, {1, 1}, {5, 1}, {1, 9}, {33, 40}, {300, 7}} { // vectors, components
		m, n := size[0], size[1]
		lds, ldx := m+2, m+5
		s, columns := make([]float64, lds*n), make([]float64, n*m)
		r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
		for l := range s {
			if s[l] = r.NormFloat64(); l%lds < m {
				columns[l%lds*n+l/lds] = s[l]
			}
		}
		want := ref.Promote[complex128](n, m, columns, n, phase)
		from, to, turn := vk.Reserve[float64]("S", len(s)), vk.Reserve[T]("X", ldx*n), vk.Reserve[complex128]("phase", 1)
		ws := stagetest.Arena(t, dev, vk.Together(from, to, turn))
		stagetest.Put(t, dev, from.In(ws), s)
		stagetest.Put(t, dev, to.In(ws), slices.Repeat([]T{T(cmplx.NaN())}, ldx*n))
		stagetest.Put(t, dev, turn.In(ws), []complex128{phase})
		rec := vk.NewRecorder(dev)
		c.RecordPromote(rec, stages.NewMatrix(from.In(ws), m, n, lds), turn.In(ws), product.NewMatrix(to.In(ws), m, n, ldx))
		stagetest.Run(t, dev, rec)
		for l, z := range stagetest.Get(t, dev, to.In(ws)) {
			i, j := l%ldx, l/ldx
			if i >= m {
				if !cmplx.IsNaN(complex128(z)) {
					t.Fatalf("%d×%d: padding was written", m, n)
				}
			} else if x := want[i*n+j]; !(cmplx.Abs(complex128(z)-x) <= stagetest.EpsilonOf[T]()*cmplx.Abs(x)) {
				t.Fatalf("%d×%d: element (%d, %d) is %v, want %v", m, n, i, j, z, x)
			}
		}
	}
}
