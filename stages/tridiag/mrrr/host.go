package mrrr

import (
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// Host is the Backend in plain Go, on all processors. It specifies the results of other back ends.
type Host struct {
	// Stop is called often while the back end works, by several goroutines. After an error each
	// later call must return an error, too, and the solver ends with this error. Stop may be nil.
	Stop func() error

	n, ld int
	root  []float64 // root representations of the blocks: n rows of 2 elements
	reps  []float64 // representations of the clusters: n rows of ld elements, two columns for each
	z     []float64 // the vectors, n×m, column-major
}

// NewHost prepares a back end for m eigenvectors of a matrix of order n. It allocates about
// n·(2·m+2) elements.
func NewHost(n, m int) *Host {
	ld := min(n, m+2)
	return &Host{n: n, ld: ld, reps: make([]float64, ld*n), z: make([]float64, n*m)}
}

func (b *Host) rep(t Task) representation {
	if t.Slot == RootSlot {
		return representation{b.root[2*t.Lo:], 2, int(t.Hi - t.Lo)}
	}
	return b.slot(t, t.Slot)
}

// slot returns a representation of the block of task t: columns number `slot` and `slot`+1 of the
// matrix b.reps, in the rows of this block.
func (b *Host) slot(t Task, slot int32) representation {
	return representation{b.reps[int(slot)+int(t.Lo)*b.ld:], b.ld, int(t.Hi - t.Lo)}
}

// Result returns the vectors, n×m and column-major, in the memory of b.
func (b *Host) Result() []float64 { return b.z }

func (b *Host) Root(rep []float64) error {
	b.root = append(b.root[:0], rep...)
	return nil
}

func (b *Host) Count(tasks []Task, x []float64) ([]int32, error) {
	counts := make([]int32, len(tasks))
	return counts, tridiag.ParallelUntil(len(tasks), func(t int) { counts[t] = int32(b.rep(tasks[t]).count(x[t])) }, b.Stop)
}

func (b *Host) Bisect(tasks []Task, lo, hi []float64, rtol float64) error {
	return b.bisect(tasks, lo, hi, rtol, true)
}

// bisect is Bisect if `sure` is true. Otherwise the given intervals need not contain the
// eigenvalues.
func (b *Host) bisect(tasks []Task, lo, hi []float64, rtol float64, sure bool) error {
	return tridiag.ParallelUntil(len(tasks), func(i int) {
		t, tol := tasks[i], rtol
		if t.Sharp {
			tol = SharpTol
		}
		lo[i], hi[i] = b.rep(t).bisect(int(t.Index), lo[i], hi[i], tol, sure)
	}, b.Stop)
}

// Level finds the vectors first, because the new representation of a cluster may overwrite the
// representation from which vectors are computed.
func (b *Host) Level(l *Level) error {
	err := tridiag.ParallelUntil(len(l.Vectors), func(i int) {
		t := l.Vectors[i]
		z := b.column(l.Column[i])
		clear(z)
		twist := twisted{b.rep(t), make([]float64, t.Hi-t.Lo), z[t.Lo:t.Hi]}
		l.Lambda[i], l.Residual[i] = twist.vector(int(t.Index), l.Lo[i], l.Hi[i], l.Gap[i])
	}, b.Stop)
	if err != nil {
		return err
	}
	// All candidates are tried, and only the representation with the best shift is stored.
	err = tridiag.ParallelUntil(len(l.Clusters), func(c int) {
		parent, shifts := b.rep(l.Clusters[c]), l.Shifts[c*Candidates:(c+1)*Candidates]
		var growth [Candidates]float64
		for j, tau := range shifts {
			growth[j] = parent.shifted(tau, nil)
		}
		best := Choose(growth[:])
		l.Chosen[c], l.Growth[c] = int32(best), growth[best]
	}, b.Stop)
	if err != nil {
		return err
	}
	// First come the children that have their own memory, then those that overwrite their parents.
	for _, inPlace := range []bool{false, true} {
		tridiag.Parallel(len(l.Clusters), func(c int) {
			t := l.Clusters[c]
			if over := t.Slot != RootSlot && l.Child[c] < t.Slot+2; over != inPlace {
				return
			}
			child := b.slot(t, l.Child[c])
			b.rep(t).shifted(l.Shifts[c*Candidates+int(l.Chosen[c])], &child)
		})
	}
	for i, c := range l.Of {
		tau := l.Shifts[int(c)*Candidates+int(l.Chosen[c])]
		l.MemberLo[i], l.MemberHi[i] = Move(l.MemberLo[i], l.MemberHi[i], tau)
	}
	return b.bisect(l.Members, l.MemberLo, l.MemberHi, l.RTol, false)
}

func (b *Host) column(c int32) []float64 { return b.z[int(c)*b.n : (int(c)+1)*b.n] }

// Sums adds the vectors in ascending order of their columns, so that the bits do not depend on the
// number of processors.
func (b *Host) Sums(lambda []float64) ([]float64, error) {
	n := b.n
	sums := make([]float64, 2*Samples*n)
	err := tridiag.ParallelUntil(n, func(r int) {
		for s := range Samples {
			var sum, weighted float64
			for c, l := range lambda {
				x := b.z[r+c*n]
				if Negative(uint32(c), uint32(s)) {
					x = -x
				}
				sum += x
				weighted += float64(l * x)
			}
			sums[2*s*n+r], sums[(2*s+1)*n+r] = sum, weighted
		}
	}, b.Stop)
	return sums, err
}

// SolveAll returns nil: this back end has no fast way to solve all of T.
func (b *Host) SolveAll(_, _ []float64, _, _ int) ([]float64, error) { return nil, nil }

// Solve computes the wanted eigenvalues and eigenvectors of the block v of T by divide and conquer.
// It writes whole columns of the result: the vectors in the rows of v, and zeros in all other rows.
func (b *Host) Solve(v Block, d, e []float64, from, to int) ([]float64, error) {
	host := dc.NewHost(len(d))
	host.Stop = b.Stop
	values, err := dc.SolveWith(host, d, e, dc.Options{From: from, To: to})
	if err != nil {
		return nil, err
	}
	n, z := len(d), host.Result()
	for i, c := range v.Columns {
		clear(b.column(c))
		copy(b.column(c)[v.Lo:v.Hi], z[i*n:(i+1)*n])
	}
	return values[from:to], nil
}
