package residual_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// hermitianPairs is a Hermitian matrix A, and vectors Z and values λ that are no eigenpairs of A.
type hermitianPairs struct {
	n, m   int
	a, z   []complex128
	lambda []float64
}

func newHermitianPairs(n, m int, scale float64) hermitianPairs {
	r := rand.New(rand.NewPCG(uint64(n), uint64(m)))
	p := hermitianPairs{n, m, make([]complex128, n*n), make([]complex128, n*m), make([]float64, m)}
	for j := range n {
		for i := range j {
			x := stagetest.RandomComplex(r) * complex(scale, 0)
			p.a[i+j*n], p.a[j+i*n] = x, cmplx.Conj(x)
		}
		p.a[j+j*n] = complex(scale*float64(1+j%5), 0)
	}
	for l := range p.z {
		p.z[l] = stagetest.RandomComplex(r)
	}
	for j := range p.lambda {
		p.lambda[j] = scale * float64(j%7-3)
	}
	return p
}

// sums returns the sums of the magnitudes in the columns of A·Z − Z·diag(λ) and of ZᴴZ − I, where λ
// has the eigenvalues, and the columns of Z are the eigenvectors.
func (p hermitianPairs) sums() (residual, gram []float64) {
	residual, gram = make([]float64, p.m), make([]float64, p.m)
	for j := range p.m {
		z := p.z[j*p.n : (j+1)*p.n]
		r := make([]complex128, p.n)
		for k, x := range z {
			for i := range r {
				r[i] += p.a[i+k*p.n] * x
			}
		}
		for i := range r {
			residual[j] += cmplx.Abs(r[i] - complex(p.lambda[j], 0)*z[i])
		}
		for i := range p.m {
			var g complex128
			for k, x := range z {
				g += cmplx.Conj(p.z[k+i*p.n]) * x
			}
			if i == j {
				g--
			}
			gram[j] += cmplx.Abs(g)
		}
	}
	return residual, gram
}

// TestComplexResidual compares the sums of Residual, and the sums of ResidualPanels over all
// panels, with loops over complex numbers. In two of the cases squares of the differences would
// overflow or vanish.
func TestComplexResidual(t *testing.T) {
	stagetest.EachComplex(t, testComplexResidual[complex128], testComplexResidual[complex64])
}

func testComplexResidual[T stagetest.Complex](t *testing.T) {
	far := map[bool]float64{false: 0x1p600, true: 0x1p80}[stagetest.EpsilonOf[T]() > 1e-10]
	for _, c := range []struct {
		n, m  int
		scale float64
	}{{1, 1, 1}, {2, 1, 1}, {9, 9, far}, {33, 20, 1 / far}, {70, 70, 1}, {280, 270, 1}} { // the last in two blocks
		p := newHermitianPairs(c.n, c.m, c.scale)
		residual, gram := p.sums()
		for how, measured := range map[string][2][]T{"whole": measureWhole[T](t, p), "panels": measurePanels[T](t, p)} {
			for what, got := range map[string][]T{"residual": measured[0], "ZᴴZ − I": measured[1]} {
				want := map[string][]float64{"residual": residual, "ZᴴZ − I": gram}[what]
				for j, x := range got {
					if !(math.Abs(real(complex128(x))-want[j]) <= 32*stagetest.EpsilonOf[T]()*want[j]) || imag(complex128(x)) != 0 {
						t.Fatalf("%+v, %s: %s of column %d is %v, want %g", c, how, what, j, x, want[j])
					}
				}
			}
		}
	}
}

// TestComplexResidualOfNaN checks that a NaN in one part of one vector makes the residual of this
// vector NaN, and the residual of no other vector.
func TestComplexResidualOfNaN(t *testing.T) {
	for _, bad := range []complex128{complex(math.NaN(), 0), complex(0, math.NaN())} {
		p := newHermitianPairs(20, 5, 1)
		p.z[7+3*p.n] = bad
		for j, x := range measureWhole[complex128](t, p)[0] {
			if math.IsNaN(real(x)) != (j == 3) {
				t.Errorf("%v in vector 3: the residual of vector %d is %v", bad, j, x)
			}
		}
	}
}

type devicePairs[T stagetest.Complex] struct {
	rec                             *vk.Recorder
	ws                              *vk.Arena
	a, z                            product.Matrix[T]
	lambda, residual, orthogonality vk.Slice[T]
}

// upload allocates device memory for the pairs, for their sums and for the workspace `work`, and
// sends the pairs to the device.
func upload[T stagetest.Complex](t *testing.T, p hermitianPairs, work ...vk.Space) devicePairs[T] {
	t.Helper()
	dev := stagetest.Device(t)
	n, m := p.n, p.m
	a, z, sums := vk.Reserve[T]("A", n*n), vk.Reserve[T]("Z", n*m), vk.Reserve[T]("λ and sums", 3*m)
	ws := stagetest.Arena(t, dev, vk.Together(append(work, a, z, sums)...))
	d := devicePairs[T]{
		rec: vk.NewRecorder(dev), ws: ws, a: product.NewMatrix(a.In(ws), n, n, n), z: product.NewMatrix(z.In(ws), n, m, n),
		lambda: sums.In(ws).Sub(0, m), residual: sums.In(ws).Sub(m, m), orthogonality: sums.In(ws).Sub(2*m, m),
	}
	stagetest.Put(t, dev, d.a.At, stagetest.ComplexOf[T](p.a))
	stagetest.Put(t, dev, d.z.At, stagetest.ComplexOf[T](p.z))
	lambda := make([]T, m)
	for j, x := range p.lambda {
		lambda[j] = T(complex(x, 0))
	}
	stagetest.Put(t, dev, d.lambda, lambda)
	return d
}

func complexOps[T stagetest.Complex](t *testing.T) product.Ops[T] {
	t.Helper()
	ops, err := product.New[T](stagetest.Device(t), tables.Smallest[struct{ Products product.Tuning }]().Products)
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

func measureWhole[T stagetest.Complex](t *testing.T, p hermitianPairs) [2][]T {
	t.Helper()
	dev, ops := stagetest.Device(t), complexOps[T](t)
	r, err := residual.NewResidual(dev, p.n, p.m, ops)
	if err != nil {
		t.Fatal(err)
	}
	d := upload[T](t, p, r.Work(), ops.Work())
	r.Record(d.rec, d.ws, d.a, d.z, residual.Sums[T]{Lambda: d.lambda, Residual: d.residual, Orthogonality: d.orthogonality})
	stagetest.Run(t, dev, d.rec)
	return [2][]T{stagetest.Get(t, dev, d.residual), stagetest.Get(t, dev, d.orthogonality)}
}

// measurePanels sends the matrix A and its eigenvectors Z some columns at a time, and adds the sums
// of all panels.
func measurePanels[T stagetest.Complex](t *testing.T, p hermitianPairs) (all [2][]T) {
	t.Helper()
	dev, ops := stagetest.Device(t), complexOps[T](t)
	r, err := residual.NewResidualPanels(dev, p.n, p.m, ops)
	if err != nil {
		t.Fatal(err)
	}
	d := upload[T](t, p, r.Work(), ops.Work())
	for i, matrix := range [][]complex128{p.a, p.z} {
		all[i] = make([]T, p.m)
		count := len(matrix) / p.n
		for from := 0; from < count; from += r.Columns() {
			panel := stagetest.ComplexOf[T](matrix[from*p.n : min(from+r.Columns(), count)*p.n])
			rec, sums := vk.NewRecorder(dev), make([]T, p.m)
			if i == 0 {
				r.RecordResidual(rec, d.ws, panel, from, d.z, d.lambda, sums)
			} else {
				r.RecordGram(rec, d.ws, panel, from, d.z, 0, sums)
			}
			stagetest.Run(t, dev, rec)
			for j := range sums {
				all[i][j] += sums[j]
			}
		}
	}
	return all
}
