package ref

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// The divide-and-conquer eigensolver for symmetric tridiagonal matrices (LAPACK
// dstedc and dlaed0–4; Cuppen 1981, Gu and Eisenstat 1995).
//
//	T = diag(T1, T2) + ρ·v·vᵀ        tear out one off-diagonal element
//	  = Q·(D + ρ·z·zᵀ)·Qᵀ            solve the halves, Q = diag(Q1, Q2)
//	  = (Q·S)·Λ·(Q·S)ᵀ               roots of the secular equation, then a product
//
//	divide_conquer.go          the driver: which merges, in which order
//	divide_conquer_tree.go     splitting, scaling, tearing
//	divide_conquer_leaf.go     a leaf, by QL iteration
//	divide_conquer_merge.go    one merge: what is left to do
//	divide_conquer_deflate.go  what is not
//	divide_conquer_backend.go  who solves and multiplies: the interface
//	divide_conquer_plain.go    the same in plain Go
//	secular.go, secular_root.go   D + ρ·z·zᵀ
//
// There are two passes. The first finds the values: of all vectors a merge needs
// only the first and the last row of its halves, and hands on those of its own. The
// second makes the vectors, and need not ask anybody anything.
//
// The driver keeps numbers, O(n) of them a level; all that costs n² or n³ is done by
// a DCBackend, which may be a GPU. Same input, same bits: nothing depends on
// the number of processors.

// DCOptions tunes the divide-and-conquer solver. The zero value is good.
type DCOptions struct {
	// LeafSize is the order up to which a block is solved by QL iteration.
	LeafSize int

	// From and To ask for the vectors of values[From:To] alone; 0, 0 is all. The
	// last products, three quarters of the work, shrink with their number.
	From, To int

	// ValuesOnly leaves out the second pass.
	ValuesOnly bool
}

const dcLeafSize = 32

// DCNonFiniteError says which element of T is NaN or infinite.
type DCNonFiniteError struct{ Row, Col int }

func (e *DCNonFiniteError) Error() string {
	return fmt.Sprintf("divide and conquer: element (%d, %d) is not finite", e.Row, e.Col)
}

// DCNoConvergenceError says that QL iteration failed on the leaf of rows [Lo, Hi).
type DCNoConvergenceError struct{ Lo, Hi int }

func (e *DCNoConvergenceError) Error() string {
	return fmt.Sprintf("divide and conquer: no convergence in rows %d to %d", e.Lo, e.Hi-1)
}

// DivideConquer returns the eigenvalues of T, ascending, and the n×n matrix of its
// eigenvectors, column-major: T = Z·diag(values)·Zᵀ, or the columns asked for. T
// has the diagonal d (n) and the off-diagonal e (n−1, or more, which is ignored);
// both are left as they are.
func DivideConquer(d, e []float64, opt DCOptions) (values, z []float64, err error) {
	q := newDCPlain(len(d))
	values, err = DivideConquerWith(q, d, e, opt)
	return values, q.vectors(), err
}

// DivideConquerValues returns the eigenvalues alone, with O(n) memory.
func DivideConquerValues(d, e []float64, opt DCOptions) ([]float64, error) {
	opt.ValuesOnly = true
	return DivideConquerWith(newDCPlain(len(d)), d, e, opt)
}

// DivideConquerWith is the general form: it leaves the eigenvectors in q.
func DivideConquerWith(q DCBackend, d, e []float64, opt DCOptions) ([]float64, error) {
	t, err := newDCTree(d, e, opt)
	if err != nil {
		return nil, err
	}
	if err := q.Leaves(t.DCTree, t.d, t.e, t.rows); err != nil {
		return nil, err
	}
	t.leavesAscend()
	levels := make([][]*DCMerge, len(t.Levels))
	for i, pairs := range t.Levels {
		merges := make([]*DCMerge, len(pairs))
		dcParallel(len(pairs), func(i int) { merges[i] = t.merge(pairs[i]) })
		if err := q.Roots(merges); err != nil {
			return nil, err
		}
		dcParallel(len(merges), func(i int) { t.merged(merges[i]) })
		levels[i] = merges
	}
	values, wanted := t.result(opt)
	if opt.ValuesOnly {
		return values, nil
	}
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.restrict(wanted)
		}
	}
	return values, q.Vectors(levels, wanted)
}

// dcSorted returns the permutation that makes v[order[i]] ascend. Equal numbers
// keep their places.
func dcSorted(v []float64) (order []int32) {
	order = make([]int32, len(v))
	for i := range order {
		order[i] = int32(i)
	}
	if slices.IsSorted(v) {
		return order
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	return order
}

// dcParallel calls f(0) … f(n−1), on all processors. f may not depend on the order.
func dcParallel(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		}()
	}
	wg.Wait()
}

// dcFinite reports the first element that is NaN or infinite.
func dcFinite(d, e []float64) error {
	for i := range d {
		if math.IsNaN(d[i]) || math.IsInf(d[i], 0) {
			return &DCNonFiniteError{i, i}
		}
		if i+1 < len(d) && (math.IsNaN(e[i]) || math.IsInf(e[i], 0)) {
			return &DCNonFiniteError{i + 1, i}
		}
	}
	return nil
}
