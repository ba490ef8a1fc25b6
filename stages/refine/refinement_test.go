package refine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"gonum.org/v1/gonum/mat"
)

// TestRefinement compares a step of the refinement of eigenvectors on the device with the step of
// package ref. Some matrices have no clusters, some have many small clusters, and some have
// clusters that are larger than refinementSmall.
func TestRefinement(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	for _, c := range []struct {
		kind    string
		n       int
		largest int // order of the largest cluster
	}{{"goe", 1, 1}, {"goe", 2, 1}, {"goe", 33, 1}, {"clement", 70, 1}, {"triples", 66, 3}, {"two-clusters", 75, 38}} {
		t.Run(fmt.Sprintf("%s/%d", c.kind, c.n), func(t *testing.T) {
			n := c.n
			a, x := nearVectors(t, c.kind, n)
			want := slices.Clone(x)
			step := ref.Refinement(n, a, want)
			values, change, clusters, got := refine(t, n, a, x)
			if step.Clusters != clusters.Count() || max(step.Largest, 1) != clusters.Largest() || c.largest != clusters.Largest() {
				t.Fatalf("%d clusters, the largest of %d, want %d of %d", clusters.Count(), clusters.Largest(), step.Clusters, c.largest)
			}
			if !(math.Abs(change-step.Change) <= 1e-9*step.Change+1e-13) {
				t.Errorf("‖E‖ is %g, want %g", change, step.Change)
			}
			if r := ratio.Values(n, values, step.Values, math.Max(math.Abs(step.Values[0]), math.Abs(step.Values[n-1]))); !(r < 1) {
				t.Errorf("values differ by %g·n·ε·‖A‖", r)
			}
			for j := 0; c.largest == 1 && j < n; j++ { // the vectors of a cluster are not unique
				for i := range n {
					if diff := math.Abs(got[i+j*n] - want[i+j*n]); !(diff < 1e-12) {
						t.Fatalf("element %d of vector %d differs by %g", i, j, diff)
					}
				}
			}
			residual, orthogonality := ratio.Residual(n, n, a, n, step.Values, want, n), ratio.Orthogonality(n, n, want, n)
			if r := ratio.Residual(n, n, a, n, values, got, n); !(r <= 1.5*residual+1) {
				t.Errorf("residual %g, want %g", r, residual)
			}
			if r := ratio.Orthogonality(n, n, got, n); !(r <= 1.5*orthogonality+1) {
				t.Errorf("orthogonality %g, want %g", r, orthogonality)
			}
		})
	}
}

// TestClusters checks the clusters that NewClusters forms from given couplings of eigenvalues. The
// cases are: a coupled pair with another eigenvalue between its two eigenvalues, a pair that grows
// because a neighbour is too near, and two clusters that grow into each other.
func TestClusters(t *testing.T) {
	lambda := []float64{0, 1, 2, 3, 10, 11, 14.5, 30, 31, 34, 38, 39, 90}
	reach := []float64{1, 4, 3, 4, 6, 6, 7, 9, 9, 10, 12, 12, 13}
	strength := []float64{0, 0.01, 0, 0, 0.4, 0, 0, 0.3, 0, 0, 0.01, 0, 0}
	want := Clusters{{0, 1}, {1, 4}, {4, 7}, {7, 12}, {12, 13}}
	// Other eigenvalues must have a distance of 8·0.4·√2 = 4.5 from the cluster of indices {4, 5}.
	// They must have a distance of 8·0.3·√2 = 3.4 from the cluster {7, 8}. Index 9 is nearer, so
	// this cluster grows by 9. Then the distance is 8·0.3·√3 = 4.2, and the cluster grows by the
	// cluster {10, 11}.
	got := NewClusters(lambda, reach, strength)
	if !slices.Equal(got, want) || got.Largest() != 5 || got.Count() != 3 {
		t.Errorf("%v, want %v", got, want)
	}
	// The coupled pair {1, 2} is too near to the smaller index 0, and grows by it.
	if got := NewClusters([]float64{0, 1, 2}, []float64{1, 3, 3}, []float64{0, 0.4, 0}); !slices.Equal(got, Clusters{{0, 3}}) {
		t.Errorf("a pair near a smaller index: %v", got)
	}
	if got := NewClusters(nil, nil, nil); len(got) != 0 || got.Largest() != 0 {
		t.Errorf("no indices: %v", got)
	}
}

// nearVectors returns a matrix a of the given kind, and approximate eigenvectors of a as columns of
// x. The vectors are exact for a matrix that differs from a by about 10⁻⁴·‖a‖. Their elements have
// additional errors of 10⁻⁶, so that the vectors are not orthonormal.
func nearVectors(t *testing.T, kind string, n int) (a, x []float64) {
	t.Helper()
	for _, k := range matgen.Dense() {
		if k.Name() == kind {
			a = k.Dense(n)
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	size := 1e-4 * ratio.Norm1(n, n, a, n) / float64(n)
	near := mat.NewSymDense(n, slices.Clone(a))
	for i := range n {
		for j := i; j < n; j++ {
			near.SetSym(i, j, near.At(i, j)+size*r.NormFloat64())
		}
	}
	var solved mat.EigenSym
	if !solved.Factorize(near, true) {
		t.Fatal("gonum did not converge")
	}
	var q mat.Dense
	solved.VectorsTo(&q)
	for j := range n {
		x = append(x, mat.Col(nil, j, &q)...)
	}
	for i := range x {
		x[i] += 1e-6 * r.NormFloat64()
	}
	return a, x
}

// refine does one step of refinement on the device. The host computes the eigenvectors of the
// clusters.
func refine(t *testing.T, n int, a, x []float64) (values []float64, change float64, clusters Clusters, refined []float64) {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[float64](d, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRefinement(d, n, ops)
	if err != nil {
		t.Fatal(err)
	}
	ra, rx, ry := vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("X", n*n), vk.Reserve[float64]("Y", n*n)
	ws := stagetest.Arena(t, d, vk.Together(ra, rx, ry, r.Work(), ops.Work()))
	at := func(region vk.Region[float64]) stages.Matrix { return stages.NewMatrix(region.In(ws), n, n, n) }
	stagetest.Put(t, d, ra.In(ws), a)
	stagetest.Put(t, d, rx.In(ws), transposed(n, x))

	values = make([]float64, n)
	rec := vk.NewRecorder(d)
	vk.Receive(rec, values, r.RecordProducts(rec, ws, ops, Pair[float64]{A: at(ra)}, at(rx), at(ry)))
	stagetest.Run(t, d, rec)
	norm := math.Max(math.Abs(slices.Min(values)), math.Abs(slices.Max(values)))
	noise := Noise[float64]{A: RefinementNoise(n, norm)}

	reach, strength := make([]float64, n), make([]float64, n)
	rec = vk.NewRecorder(d)
	onReach, onStrength := r.RecordCouplings(rec, ws, noise)
	vk.Receive(rec, reach, onReach)
	vk.Receive(rec, strength, onStrength)
	stagetest.Run(t, d, rec)
	clusters = NewClusters(values, reach, strength)

	rec = vk.NewRecorder(d)
	blocks := r.RecordClusters(rec, ws, clusters, at(ry))
	w := make([]float64, blocks.Rows*n)
	vk.Receive(rec, w, blocks.At)
	stagetest.Run(t, d, rec)
	for _, c := range clusters {
		if m := c.To - c.From; m > 1 {
			b := make([]float64, m*m)
			for j := range m {
				copy(b[j*m:(j+1)*m], w[(c.From+j)*blocks.Ld:])
			}
			own, z := ref.JacobiDense(m, b)
			copy(values[c.From:], own)
			for j := range m {
				copy(w[(c.From+j)*blocks.Ld:], z[j*m:(j+1)*m])
			}
		}
	}
	rec = vk.NewRecorder(d)
	vk.Send(rec, blocks.At, w)
	sums := make([]float64, n)
	vk.Receive(rec, sums, r.RecordCorrection(rec, ws, noise))
	r.RecordUpdate(rec, ws, ops, clusters, at(rx), at(ry))
	stagetest.Run(t, d, rec)
	return values, slices.Max(sums), clusters, transposed(n, stagetest.Get(t, d, ry.In(ws)))
}

func transposed(n int, x []float64) []float64 {
	z := make([]float64, n*n)
	for i := range n {
		for j := range n {
			z[j+i*n] = x[i+j*n]
		}
	}
	return z
}
