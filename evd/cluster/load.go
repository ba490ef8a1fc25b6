package cluster

import (
	"math"
	"unsafe"

	"github.com/vkevd/vkevd/evd/matio"
)

// slabBytes is the memory of a process for whole columns, while it reads or writes a file. A larger
// value would need fewer messages between processes, but would save no measurable time.
const slabBytes = 64 << 20

// slabColumns is the number of columns of n elements that each of p processes handles at a time.
func slabColumns(n, p int) int { return max(1, min(slabBytes/(8*max(1, n)), (n+p-1)/p)) }

// load reads the matrix. Each process reads whole columns, because the elements of a column are
// contiguous in the file. ScaLAPACK then sends the elements to the processes that own them.
func (s *solve) load(a *matrix) error {
	n, w := s.n, slabColumns(s.n, s.members.size())
	slab := make([]float64, w*n)
	for from := 0; from < n; from += w * s.members.size() {
		columns := min(w*s.members.size(), n-from)
		mine := min(s.members.rank()*w, columns)
		end := min(mine+w, columns)
		err := s.source.ReadColumns(slab[:(end-mine)*n], from+mine, from+end)
		if err := agree(s.members, err); err != nil {
			return err
		}
		s.grid.spread(slab, w, columns, a, from)
	}
	return nil
}

// symmetrise makes the matrix A symmetric, in the way that the options choose. Then it multiplies A
// by a power of two, so that the largest magnitude of an element is in [½, 1), and by −1 if
// s.negated is true. Without this scaling the library that solves may overflow or lose digits.
// `mirror` is workspace for Aᵀ. The error is a *NotSymmetricError or a *NonFiniteError.
func (s *solve) symmetrise(a, mirror *matrix) error {
	s.grid.transpose(a, mirror)
	worst := s.combine(a, mirror)
	largest, bad := 0.0, place{}
	a.each(func(i, j int, x *float64) {
		if y := math.Abs(*x); y <= math.MaxFloat64 {
			largest = max(largest, y)
		} else {
			bad = bad.earlier(place{true, i, j})
		}
	})
	if bad = s.first(bad); bad.any {
		return &NonFiniteError{bad.row, bad.col}
	}
	most := []float64{largest, worst.difference}
	s.members.largest(most)
	largest = most[0]
	if most[1] > 100*ulp*largest && !s.opt.Symmetrize {
		if worst.difference < most[1] {
			worst.place = place{}
		}
		at := s.first(worst.place)
		return &NotSymmetricError{at.row, at.col, most[1]}
	}
	s.averaged = most[1] // finite, or the matrix was symmetrised
	s.exponent = 0
	if largest > 0 {
		_, s.exponent = math.Frexp(largest)
	}
	sign := 1.0
	if s.negated {
		sign = -1
	}
	a.each(func(i, j int, x *float64) { *x = sign * math.Ldexp(*x, -s.exponent) })
	return nil
}

// worstPair is the place of an element a(i, j) that should be equal to a(j, i), and their
// difference.
type worstPair struct {
	place
	difference float64
}

// combine replaces the unread triangle of A by the mirror image of the other one, or A by (A +
// Aᵀ)/2. `mirror` holds Aᵀ. The result is the pair a(i, j), a(j, i) with the largest difference on
// this process.
func (s *solve) combine(a, mirror *matrix) worstPair {
	var worst worstPair
	a.eachWith(mirror, func(i, j int, x, y *float64) {
		switch {
		case s.opt.Triangle == Lower && i < j, s.opt.Triangle == Upper && i > j:
			*x = *y
		case s.opt.Triangle == Both && *x != *y:
			// A pair with a NaN or an infinity has no meaningful difference. `symmetrise` searches
			// for such elements later and returns a *NonFiniteError.
			if d := math.Abs(*x - *y); !math.IsNaN(*x/2+*y/2) && d > worst.difference {
				worst = worstPair{place{true, i, j}, d}
			}
			*x = *x/2 + *y/2 // x + y could overflow
		}
	})
	return worst
}

func (m *matrix) each(f func(i, j int, x *float64)) {
	m.eachWith(m, func(i, j int, x, _ *float64) { f(i, j, x) })
}

// eachWith visits the elements x together with the elements y at the same place of the matrix
// `other`, which must have the same distribution.
func (m *matrix) eachWith(other *matrix, f func(i, j int, x, y *float64)) {
	for lj := range m.cols.count() {
		j, mine, its := m.cols.global(lj), m.column(lj), other.column(lj)
		for li := range mine {
			f(m.rows.global(li), j, &mine[li], &its[li])
		}
	}
}

// place is the row and the column of an element in the whole matrix, if `any` is true.
type place struct {
	any      bool
	row, col int
}

func (p place) earlier(q place) place {
	if !p.any || q.any && (q.col < p.col || q.col == p.col && q.row < p.row) {
		return q
	}
	return p
}

func (s *solve) first(p place) place {
	n := float64(max(1, s.n))
	x := []float64{math.Inf(-1)}
	if p.any {
		x[0] = -(float64(p.col)*n + float64(p.row)) // exact for n < 2²⁶
	}
	s.members.largest(x)
	if math.IsInf(x[0], -1) {
		return place{}
	}
	at := int(-x[0])
	return place{true, at % s.n, at / s.n}
}

// StoreNPY writes the vectors to a .npy file in Fortran order. Column j of the file belongs to
// Values[j]. n is the order of the matrix. Each process writes whole columns, in parallel with the
// other processes, so all processes must see the same file system. The file appears complete or not
// at all. The error is a *ProcessError or an error of the file system. StoreNPY panics if the
// Solution has no vectors.
func (r *Solution) StoreNPY(path string, n int) error {
	k := len(r.Values)
	var file *matio.SharedNPY
	var err error
	name := make([]byte, longestText)
	if r.w.Rank() == 0 {
		if file, err = matio.CreateShared(path, n, k); err == nil {
			copy(name, file.Temporary())
		}
	}
	if err := r.w.Agree(err); err != nil {
		return err
	}
	r.w.all.share(name, 0)
	if r.w.Rank() != 0 && r.members != nil {
		file, err = matio.JoinShared(text(name), n, k)
	}
	if err = r.w.Agree(err); err == nil && r.members != nil && k > 0 {
		err = r.write(file, n)
	}
	if file != nil {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}
	err = r.w.Agree(err)
	if r.w.Rank() == 0 {
		if err != nil {
			file.Abort()
		} else {
			err = file.Commit()
		}
	}
	return r.w.Agree(err)
}

// write stores the vectors in the file, some columns at a time: the processes exchange elements
// until each has its share of these columns whole, and then write them.
func (r *Solution) write(file *matio.SharedNPY, n int) error {
	w := slabColumns(n, r.members.size())
	slab := make([]float64, w*n)
	for from := r.from; from < r.to; from += w * r.members.size() {
		columns := min(w*r.members.size(), r.to-from)
		r.grid.collect(slab, w, columns, r.q, from)
		mine := min(r.members.rank()*w, columns)
		var err error
		for l := 0; l < min(w, columns-mine) && err == nil; l++ {
			j := from + mine + l - r.from
			if r.reversed {
				j = r.to - r.from - 1 - j
			}
			err = file.WriteColumn(j, slab[l*n:(l+1)*n])
		}
		if err := agree(r.members, err); err != nil {
			return err
		}
	}
	return nil
}

func raw(x []float64) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x))
}
