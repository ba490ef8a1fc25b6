package refine

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// pairsBench is a Refinement of order n on the device, with its matrices S = XᵀAX and G = XᵀX and
// the eigenvalues λ. They do not come from vectors X, but are chosen so that all kinds of pairs
// occur: coupled and uncoupled, with near and distant eigenvalues, in the right and in the wrong
// order.
type pairsBench struct {
	t       *testing.T
	dev     *vk.Device
	ws      *vk.Arena
	stage   *Refinement[float64]
	y       vk.Region[float64]
	n       int
	noise   float64
	s, g, l []float64 // S and G have NaN above the diagonal
}

func newPairsBench(t *testing.T) *pairsBench {
	t.Helper()
	const n, noise = 2*move.Tile + 7, 0x1p-40
	b := &pairsBench{t: t, dev: stagetest.Device(t), n: n, noise: noise}
	r := rand.New(rand.NewPCG(1, 2))
	steps := []float64{noise, -3.5 * noise, -5.25 * noise, 0x1p-16, 0x1p-12, 0x1p-5, 1, 3} // TIGHT·noise is 2⁻¹⁴
	lambda := -20.0
	b.s, b.g = stagetest.Poisoned(n, n, n).Data, stagetest.Poisoned(n, n, n).Data
	for range n {
		lambda += steps[r.IntN(len(steps))]
		b.l = append(b.l, lambda)
	}
	couplings := []float64{0, noise / 2, -noise / 2, noise * 3, 0x1p-14, 0x1p-12, 0x1p-6}
	for j := range n {
		for i := j; i < n; i++ {
			g, c := 1e-3*r.NormFloat64(), couplings[r.IntN(len(couplings))]
			if r.IntN(2) == 0 {
				g = 0 // then S has the coupling without a rounding error
			}
			if i == j {
				g++
			}
			b.s[i+j*n], b.g[i+j*n] = c+(b.l[i]+b.l[j])/2*g, g
		}
	}
	var err error
	if b.stage, err = NewRefinement[float64](b.dev, n); err != nil {
		t.Fatal(err)
	}
	b.y = vk.Reserve[float64]("Y", n*n)
	b.ws = stagetest.Arena(t, b.dev, vk.Together(b.stage.Work(), b.y))
	stagetest.Put(t, b.dev, b.stage.s.In(b.ws), b.s)
	stagetest.Put(t, b.dev, b.stage.g.In(b.ws), b.g)
	stagetest.Put(t, b.dev, b.stage.lambda.In(b.ws), b.l)
	return b
}

// pair returns four numbers of the pair of vectors i, j: the elements sᵢⱼ of S = XᵀAX and gᵢⱼ of G
// = XᵀX, the coupling of the pair, and λᵢ − λⱼ.
func (b *pairsBench) pair(i, j int) (s, g, coupling, gap float64) {
	at := max(i, j) + min(i, j)*b.n
	s, g = b.s[at], b.g[at]
	product := (b.l[i] + b.l[j]) / 2 * g
	return s, g, s - float64(product), b.l[i] - b.l[j]
}

// TestRefinementCouplings compares the couplings that RecordCouplings finds with their definition.
func TestRefinementCouplings(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	b := newPairsBench(t)
	rec := vk.NewRecorder(b.dev)
	onReach, onStrength := b.stage.RecordCouplings(rec, b.ws, Noise[float64]{A: b.noise})
	stagetest.Run(t, b.dev, rec)
	reach, strength := stagetest.Get(t, b.dev, onReach), stagetest.Get(t, b.dev, onStrength)
	for j := range b.n {
		want, strongest := j+1, 0.0
		for i := j + 1; i < b.n; i++ {
			_, _, c, gap := b.pair(i, j)
			if c = math.Abs(c); gap < -4*b.noise || c > b.noise && c > math.Abs(gap)/32 {
				want, strongest = i+1, max(strongest, c)
			}
		}
		if reach[j] != float64(want) || strength[j] != strongest {
			t.Errorf("vector %d: reach %g, strength %g, want %d, %g", j, reach[j], strength[j], want, strongest)
		}
	}
}

// TestRefinementCorrection compares each element of the correction E with its definition, and the
// sums that the kernel computes with sums of these elements. The definition has different formulas
// for pairs within a cluster, for pairs whose coupling is noise and whose eigenvalues are near, and
// for other pairs.
func TestRefinementCorrection(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	b := newPairsBench(t)
	n := b.n
	clusters := Clusters{{0, 1}, {1, 4}}
	for i := 4; i < n; i++ {
		clusters = append(clusters, Cluster{i, i + 1})
	}
	clusters[26].To += 9 // it has columns of two tiles
	clusters = append(clusters[:27], clusters[36:]...)
	inside := func(i, j int) bool {
		for _, c := range clusters {
			if c.From <= min(i, j) && max(i, j) < c.To {
				return true
			}
		}
		return false
	}
	rec := vk.NewRecorder(b.dev)
	b.stage.RecordClusters(rec, b.ws, clusters, stages.NewMatrix(b.y.In(b.ws), n, n, n))
	sums := b.stage.RecordCorrection(rec, b.ws, Noise[float64]{A: b.noise})
	stagetest.Run(t, b.dev, rec)
	got, gotSums := stagetest.Get(t, b.dev, b.stage.s.In(b.ws)), stagetest.Get(t, b.dev, sums)
	kinds := map[[3]bool]int{}
	for i := range n {
		sum := 0.0
		for j := range n {
			s, g, c, gap := b.pair(i, j)
			want, size := -g/2, math.Abs(g)
			cluster, coupled, distant := inside(i, j), math.Abs(c) > b.noise, math.Abs(gap) > 0x1p26*b.noise
			kinds[[3]bool{cluster, coupled, distant}]++
			switch {
			case i == j:
				want, size = (1-g)/2, 1
			case !cluster && (coupled || distant):
				want = (b.l[j]*g - s) / gap
				size = (math.Abs(b.l[j]*g) + math.Abs(s)) / math.Abs(gap)
			}
			if e := got[j+i*n]; !(math.Abs(e-want) <= 8*stagetest.ULP*size) { // Eᵀ is stored
				t.Fatalf("e(%d, %d) is %g, want %g: in a cluster %v, coupling %g, gap %g", i, j, e, want, cluster, c, gap)
			}
			sum += math.Abs(want)
		}
		if !(math.Abs(gotSums[i]-sum) <= 1e-12*sum) {
			t.Errorf("sum %d is %g, want %g", i, gotSums[i], sum)
		}
	}
	if len(kinds) < 8 {
		t.Errorf("only %d kinds of pairs: %v", len(kinds), kinds)
	}
}

// TestRefinementSample compares the two blocks of Sᵀ that RecordSample computes, S = XᴴAX, those of
// the first and of the last vectors, with the same blocks of package ref.
func TestRefinementSample(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	t.Run("float64", refinementSampleOf[float64])
	t.Run("complex128", refinementSampleOf[complex128])
}

func refinementSampleOf[T float64 | complex128](t *testing.T) {
	for _, n := range []int{2, 9, 2*refinementSample + 5} {
		dev, r := stagetest.Device(t), rand.New(rand.NewPCG(5, uint64(n)))
		ops, err := product.New[T](dev, SmallestTuning().Products)
		if err != nil {
			t.Fatal(err)
		}
		stage, err := NewRefinement(dev, n, ops)
		if err != nil {
			t.Fatal(err)
		}
		ra, rx, ry := vk.Reserve[T]("A", n*n), vk.Reserve[T]("Xᵀ", n*n), vk.Reserve[T]("Y", n*n)
		ws := stagetest.Arena(t, dev, vk.Together(ra, rx, ry, stage.Work(), ops.Work()))
		at := func(region vk.Region[T]) product.Matrix[T] { return product.NewMatrix(region.In(ws), n, n, n) }
		a, x, rows := make([]complex128, n*n), make([]complex128, n*n), make([]complex128, n*n)
		for j := range n {
			for i := range n {
				x[i+j*n] = stagetest.RandomComplex(r)
				rows[j+i*n] = x[i+j*n]
				switch z := stagetest.RandomComplex(r); {
				case i > j:
					a[i+j*n], a[j+i*n] = z, cmplx.Conj(z)
				case i == j:
					a[i+j*n] = complex(real(z), 0)
				}
			}
		}
		onDevice := stagetest.Rounded[T](a)
		a, x = stagetest.Exactly(onDevice), stagetest.Exactly(stagetest.Rounded[T](x))
		stagetest.Put(t, dev, ra.In(ws), onDevice)
		stagetest.Put(t, dev, rx.In(ws), stagetest.Rounded[T](rows))
		rec := vk.NewRecorder(dev)
		sample, m := stage.RecordSample(rec, ws, ops, at(ra), at(rx), at(ry))
		stagetest.Run(t, dev, rec)
		if want := min(refinementSample, n/2); m != want {
			t.Fatalf("n = %d: blocks of order %d, want %d", n, m, want)
		}
		ax, s := make([]complex128, n*n), make([]complex128, n*n)
		ref.Gemm(ref.NoTrans, ref.NoTrans, n, n, n, 1, a, n, x, n, 0, ax, n)
		ref.Gemm(ref.Adjoint, ref.NoTrans, n, n, n, 1, x, n, ax, n, 0, s, n)
		got := stagetest.Exactly(stagetest.Get(t, dev, sample))
		for k, first := range []int{0, n - m} {
			for j := range m {
				for i := range m {
					want := s[first+j+(first+i)*n]
					if g := got[i+j*m+k*m*m]; !(cmplx.Abs(g-want) <= 1e-12*float64(n*n)) {
						t.Fatalf("n = %d: element (%d, %d) from %d on is %g, want %g", n, i, j, first, g, want)
					}
				}
			}
		}
	}
}

// TestRefinementOfPairs compares the couplings, the matrix of a cluster and the elements of the
// correction E with their definitions, for complex matrices A and B and vectors of different
// lengths.
func TestRefinementOfPairs(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	stagetest.EachComplex(t, refinementOfPairs[complex128], refinementOfPairs[complex64])
}

func refinementOfPairs[T stagetest.Complex](t *testing.T) {
	const n = 2*move.Tile + 7
	dev, ulp, r := stagetest.Device(t), stagetest.UlpOf[T](), rand.New(rand.NewPCG(3, 4))
	number := func(x complex128) T { return stagetest.Rounded[T]([]complex128{x})[0] }
	s, g := make([]T, n*n), make([]T, n*n) // lower triangles of Sᵀ and Gᵀ
	lambda, lengths, last := make([]T, n), make([]T, n), -20.0
	noise := Noise[T]{A: 8 * ulp, B: 4 * ulp, Lengths: lengths}
	steps := []float64{1e-4, -4e3 * ulp, 1e3 * ulp, 1, 3}
	for j := range n {
		last += steps[r.IntN(len(steps))]
		lambda[j], lengths[j] = number(complex(last, 0)), number(complex(math.Pow(2, float64(r.IntN(12))), 0))
	}
	sizes := []float64{0, ulp, 100 * ulp, 1e6 * ulp, 1e-2}
	for j := range n {
		for i := range n {
			s[i+j*n], g[i+j*n] = stagetest.NaN[T](), stagetest.NaN[T]()
			if z := 1e-3 * stagetest.RandomComplex(r); i == j {
				g[i+j*n] = number(complex(1+real(z), 0))
			} else if i > j {
				g[i+j*n] = number(z)
				middle := (real(complex128(lambda[i])) + real(complex128(lambda[j]))) / 2
				size := sizes[r.IntN(len(sizes))]
				if i < 4 { // in the cluster
					size = 1e-2
				}
				s[i+j*n] = number(complex(middle, 0)*z + stagetest.RandomComplex(r)*complex(size, 0))
			}
		}
	}
	stage, err := NewRefinement[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	room := vk.Reserve[T]("Y", n*n)
	ws := stagetest.Arena(t, dev, vk.Together(stage.Work(), room))
	stagetest.Put(t, dev, stage.s.In(ws), s)
	stagetest.Put(t, dev, stage.g.In(ws), g)
	stagetest.Put(t, dev, stage.lambda.In(ws), lambda)
	exact := func(v []T, i, j int) complex128 { // element (i, j) of S or G
		if i < j {
			return complex128(v[j+i*n])
		}
		return cmplx.Conj(complex128(v[i+j*n]))
	}
	value := func(i int) float64 { return real(complex128(lambda[i])) }
	couple := func(i, j int) complex128 {
		return exact(s, i, j) - complex((value(i)+value(j))/2, 0)*exact(g, i, j)
	}
	noiseOf := func(i, j int) float64 {
		return (noise.A + noise.B*max(math.Abs(value(i)), math.Abs(value(j)))) * real(complex128(lengths[i])*complex128(lengths[j]))
	}

	rec := vk.NewRecorder(dev)
	onReach, onStrength := stage.RecordCouplings(rec, ws, noise)
	stagetest.Run(t, dev, rec)
	reach, strength := stagetest.Get(t, dev, onReach), stagetest.Get(t, dev, onStrength)
	for j := range n {
		want, strongest, doubt := j+1, 0.0, 30*ulp
		for i := j + 1; i < n; i++ {
			gap, c, size := value(i)-value(j), cmplx.Abs(couple(i, j)), noiseOf(i, j)
			if gap < -4*size || c > size && c > math.Abs(gap)/32 {
				want, strongest = i+1, max(strongest, c)
			}
			doubt = max(doubt, 30*ulp*math.Abs(value(i)))
		}
		if real(complex128(reach[j])) != float64(want) || !(math.Abs(real(complex128(strength[j]))-strongest) <= doubt) {
			t.Errorf("vector %d: reach %v, strength %v, want %d, %g", j, reach[j], strength[j], want, strongest)
		}
	}

	clusters := Clusters{{0, 1}, {1, 4}}
	for i := 4; i < n; i++ {
		clusters = append(clusters, Cluster{i, i + 1})
	}
	rec = vk.NewRecorder(dev)
	onBlocks := stage.RecordClusters(rec, ws, clusters, product.NewMatrix(room.In(ws), n, n, n))
	blocks := make([]T, onBlocks.Rows*onBlocks.Cols)
	vk.Receive(rec, blocks, onBlocks.At)
	onSums := stage.RecordCorrection(rec, ws, noise)
	stagetest.Run(t, dev, rec)
	for j := 1; j < 4; j++ {
		for i := 1; i < 4; i++ {
			want := couple(i, j)
			if i == j {
				want = complex(value(i), 0)
			}
			if got := complex128(blocks[i-1+j*onBlocks.Ld]); !(cmplx.Abs(got-want) <= 1e3*ulp) {
				t.Errorf("element (%d, %d) of the cluster is %g, not %g", i, j, got, want)
			}
		}
	}
	e, sums, left := stagetest.Get(t, dev, stage.s.In(ws)), stagetest.Get(t, dev, onSums), 0
	for i := range n {
		sum := 0.0
		for j := range n {
			gap, c, size := value(j)-value(i), cmplx.Abs(couple(i, j)), noiseOf(i, j)
			want, limit := -exact(g, i, j)/2, ulp
			inside := 1 <= min(i, j) && max(i, j) < 4
			switch {
			case i == j:
				want = (1 - exact(g, i, i)) / 2
			case !inside && (c > size || math.Abs(gap) > 32*size):
				want = (exact(s, i, j) - complex(value(j), 0)*exact(g, i, j)) / complex(gap, 0)
				limit = 1e2 * ulp * (1 + cmplx.Abs(exact(s, i, j))/math.Abs(gap))
			case !inside:
				left++
			}
			near := math.Abs(c-size) <= 1e3*ulp*max(c, size)                           // rounding decides which of them is larger
			if got := complex128(e[j+i*n]); !near && !(cmplx.Abs(got-want) <= limit) { // Eᵀ is stored
				t.Fatalf("e(%d, %d) is %g, not %g: coupling %g, noise %g, gap %g", i, j, got, want, c, size, gap)
			}
			sum += cmplx.Abs(want)
		}
		if got := real(complex128(sums[i])); !(math.Abs(got-sum) <= 0.01*sum) {
			t.Errorf("sum %d is %g, not %g", i, got, sum)
		}
	}
	if left < 10 || left > n*n/2 {
		t.Errorf("the couplings of %d of %d pairs are noise", left, n*n)
	}
}
