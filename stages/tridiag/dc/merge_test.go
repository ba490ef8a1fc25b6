package dc

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/suite"

	"gonum.org/v1/gonum/floats"
)

// literal is a back end that does exactly what the comment of type Merge says, with whole matrices
// and one row at a time. It checks all data that the solver passes to a back end.
type literal struct {
	t *testing.T
	n int
	q [][]float64 // the matrix Q, by rows

	rotated, both, merges int // numbers of cases that the tests have reached
}

func rowsOf(n, m int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, m)
	}
	return a
}

func (b *literal) Leaves(tree Tree, d, e []float64, rows Rows) error {
	b.q = rowsOf(b.n, b.n)
	next := 0
	for _, l := range tree.Leaves {
		if l.Lo != next || l.N1 == 0 || l.N2 != 0 {
			b.t.Fatalf("leaf at %d of %d, expected at %d", l.Lo, l.N(), next)
		}
		v := make([]float64, l.N1*l.N1)
		if !solveLeaf(d[l.Lo:l.Hi()], slices.Clone(e[l.Lo:l.Hi()-1]), v) {
			b.t.Fatal("no convergence")
		}
		for k, x := range v {
			b.q[l.Lo+k%l.N1][l.Lo+k/l.N1] = x
		}
		b.rows(l, rows)
		next += l.N1
	}
	if next != b.n {
		b.t.Fatalf("leaves end at %d of %d", next, b.n)
	}
	return nil
}

// rows copies the first and the last row of the block p of the matrix Q of eigenvectors to `rows`.
func (b *literal) rows(p Pair, rows Rows) {
	copy(rows.First[p.Lo:], b.q[p.Lo][p.Lo:p.Hi()])
	copy(rows.Last[p.Lo:], b.q[p.Hi()-1][p.Lo:p.Hi()])
}

// Roots computes all columns of the merged block of Q, its eigenvectors. It stores the first and
// the last row of this block in the merge. solveRoots computes the same rows without the other
// rows, and the two results must agree.
func (b *literal) Roots(merges []*Merge) error {
	solveRoots(merges)
	for _, m := range merges {
		b.check(m)
		b.merge(m)
		found := Rows{slices.Clone(m.Q.First), slices.Clone(m.Q.Last)}
		own := NewRows(b.n)
		b.rows(m.Pair, own)
		m.Q = own.Of(m.Lo, m.Hi())
		for j := range found.First {
			if !(math.Abs(found.First[j]-m.Q.First[j]) <= 1e-14 && math.Abs(found.Last[j]-m.Q.Last[j]) <= 1e-14) {
				b.t.Fatalf("column %d of %+v ends in %g and %g, found was %g and %g", j, m.Pair, m.Q.First[j],
					m.Q.Last[j], found.First[j], found.Last[j])
			}
		}
	}
	return nil
}

func (b *literal) merge(m *Merge) {
	n := m.N()
	s := rowsOf(m.K, m.K) // the columns of S
	for j := range s {
		m.Vector(j, m.Row, s[j])
	}
	for i := range n {
		q := b.q[m.Lo+i][m.Lo:m.Hi()]
		if i < m.N1 {
			clear(q[m.N1:])
		} else {
			clear(q[:m.N1])
		}
		w := make([]float64, n)
		for c := range len(m.Chain) - 1 {
			last := m.Chain[c+1] - 1
			x := q[m.Src[m.Chain[c]]]
			for t := m.Chain[c]; t < last; t++ {
				y := q[m.Src[t+1]]
				w[m.Dst[t]] = m.Cos[t]*x + m.Sin[t]*y
				x = m.Cos[t]*y - m.Sin[t]*x
			}
			w[m.Dst[last]] = x
		}
		lo, hi := 0, m.Upper
		if i >= m.N1 {
			lo, hi = m.Lower, m.K
		}
		for c := range m.K {
			if (c < lo || hi <= c) && w[c] != 0 {
				b.t.Fatalf("W[%d, %d] = %g must be zero", i, c, w[c])
			}
		}
		for j := range m.K {
			q[j] = floats.Dot(w[lo:hi], s[j][lo:hi])
		}
		copy(q[m.K:], w[m.K:])
	}
}

func (b *literal) Vectors(levels [][]*Merge, order []int32) error {
	for l, merges := range levels {
		for _, m := range merges {
			if whole := m.From == 0 && m.To == m.K; !whole && l < len(levels)-1 {
				b.t.Fatalf("columns [%d, %d) of %d alone, below the last level", m.From, m.To, m.K)
			}
		}
	}
	for i, row := range b.q {
		b.q[i] = make([]float64, len(order))
		for j, c := range order {
			b.q[i][j] = row[c]
		}
	}
	return nil
}

// check fails the test if the merge m violates a condition in the comment of the type Merge.
func (b *literal) check(m *Merge) {
	b.merges++
	n := m.N()
	if m.N1 < 1 || m.N2 < 1 || m.Hi() > b.n || len(m.deflated) != n-m.K {
		b.t.Fatalf("merge %+v", m.Pair)
	}
	for _, perm := range [][]int32{m.Src, m.Dst} {
		p := slices.Clone(perm)
		slices.Sort(p)
		for i := range n {
			if len(p) != n || p[i] != int32(i) {
				b.t.Fatalf("no permutation: %v", perm)
			}
		}
	}
	row := slices.Clone(m.Row)
	slices.Sort(row)
	for i := range m.K {
		if row[i] != int32(i) || m.Z[i] == 0 || i > 0 && !(m.D[i-1] < m.D[i]) || !(m.Rho > 0) {
			b.t.Fatalf("pole %d of %v, %v, rows %v", i, m.D, m.Z, m.Row)
		}
	}
	if len(m.D) != m.K || len(m.Z) != m.K || len(m.Row) != m.K || m.Lower > m.Upper || m.Upper > m.K {
		b.t.Fatalf("K = %d, groups to %d and %d", m.K, m.Lower, m.Upper)
	}
	if m.Chain[0] != 0 || m.Chain[len(m.Chain)-1] != int32(n) || !slices.IsSorted(m.Chain) {
		b.t.Fatalf("chains %v", m.Chain)
	}
	for c := range len(m.Chain) - 1 {
		for t := m.Chain[c]; t < m.Chain[c+1]-1; t++ {
			b.rotated++
			if !(math.Abs(math.Hypot(m.Cos[t], m.Sin[t])-1) <= 4*tridiag.Roundoff) || int(m.Dst[t]) < m.K {
				b.t.Fatalf("rotation %g %g to %d", m.Cos[t], m.Sin[t], m.Dst[t])
			}
		}
	}
	b.both += m.Upper - m.Lower
}

// TestDivideConquerLiteral compares the back end Host with the back end `literal`.
func TestDivideConquerLiteral(t *testing.T) {
	lit := &literal{t: t}
	for _, f := range suite.Families {
		for _, n := range []int{0, 1, 2, 3, 10, 42, 64} {
			for _, opt := range []Options{{LeafSize: 1}, {LeafSize: 5}, {LeafSize: 4, From: n / 3, To: n - n/3}} {
				name := fmt.Sprintf("%s n=%d %+v", f.Name, n, opt)
				d, e := f.Make(n)
				lit.n = n
				want, err := SolveWith(lit, d, e, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				values, z, err := Solve(d, e, opt)
				if err != nil || !(suite.Distance(d, e, values, want) < 1) {
					t.Fatal(name, err)
				}
				// The vectors of close values depend on the last digits of the values. The
				// comparison is skipped if the two back ends differ in these digits.
				if !slices.Equal(values, want) {
					continue
				}
				for k, x := range z {
					if y := lit.q[k%n][k/n]; !(math.Abs(x-y) <= 1e-10) {
						t.Fatalf("%s: Z[%d, %d] is %g and %g", name, k%n, k/n, x, y)
					}
				}
			}
		}
	}
	if lit.rotated < 1000 || lit.both < 100 {
		t.Errorf("in %d merges, %d rotations and %d columns of both halves: too few to test", lit.merges,
			lit.rotated, lit.both)
	}
	t.Logf("%d merges, %d rotations, %d columns of both halves", lit.merges, lit.rotated, lit.both)
}

// testRows holds rows of orthogonal matrices, with elements 0.6 and 0.8 next to the cut between the
// two blocks.
var testRows = Rows{First: []float64{0.8, -0.6, 0.6, 0.8}, Last: []float64{0.6, 0.8, 0.8, -0.6}}

// TestDivideConquerDeflatesAll checks a merge of two nearly uncoupled blocks: all columns must be
// eigenvectors of the merged block already (deflated).
func TestDivideConquerDeflatesAll(t *testing.T) {
	d := []float64{1, 2, 1, 3}
	m := Deflate(Pair{0, 2, 2}, d, testRows, []int32{0, 2, 1, 3}, 1e-18)
	if m.K != 0 || m.Upper != 0 || m.Lower != 0 || len(m.Chain) != 5 {
		t.Errorf("%+v", m)
	}
	values := make([]float64, 4)
	m.values(values)
	slices.Sort(values)
	if !slices.Equal(values, []float64{1, 1, 2, 3}) {
		t.Error(values)
	}
}

// TestDivideConquerDeflatesEqual checks that columns with equal eigenvalues are rotated into one
// pole, whether they belong to one block or to both. The column of this pole then has rows of both
// blocks.
func TestDivideConquerDeflatesEqual(t *testing.T) {
	m := Deflate(Pair{0, 2, 2}, []float64{1, 1, 1, 3}, testRows, []int32{0, 1, 2, 3}, -0.5)
	if m.K != 2 || m.Lower != 0 || m.Upper != 1 || !slices.Equal(m.Chain, []int32{0, 3, 4}) {
		t.Errorf("K=%d groups %d %d chains %v", m.K, m.Lower, m.Upper, m.Chain)
	}
	if !(math.Abs(m.Z[0]-math.Sqrt(1.36/2)) <= 1e-15 && math.Abs(math.Abs(m.Z[1])-0.8*math.Sqrt(0.5)) <= 1e-15) || m.Rho != 1 {
		t.Errorf("z %v rho %g", m.Z, m.Rho)
	}
}
