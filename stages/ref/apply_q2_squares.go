package ref

// ApplyQ2Squares replaces the n×m matrix X by Q2·X, as ApplyQ2 does, but by products with squares.
// A square is the product of the reflectors of `sweeps` neighbouring sweeps in height/b successive
// steps, where height is a multiple of b. The last square has all further steps. The first sweep of
// the squares is s0. Square u acts on the rows from s0 + 1 + u·height on, and the squares with
// smaller u act first.
func ApplyQ2Squares[T Number](n, b, sweeps, height int, v, tau []T, m int, x []T, ldx int) {
	for s0 := (Sweeps(n) - 1) / sweeps * sweeps; s0 >= 0 && Sweeps(n) > 0; s0 -= sweeps {
		end := min(s0+sweeps, Sweeps(n))
		most := height + sweeps - 1
		for top, last := s0+1, false; !last; top += height {
			last = n-top <= most
			order := min(most, n-top)
			steps := stepsOf(n, b, s0)
			if !last {
				steps = (top-s0-1)/b + height/b
			}
			u := Q2Square(n, b, s0, end, (top-s0-1)/b, steps, order, v, tau)
			applySquare(order, u, m, x[top:], ldx)
		}
	}
}

// Q2Square returns the square with the reflectors of the sweeps s0 … s1−1 in the steps j0 … j1−1.
// It is a unitary matrix that acts on `order` rows from row s0 + 1 + j0·b on.
func Q2Square[T Number](n, b, s0, s1, j0, j1, order int, v, tau []T) []T {
	u := make([]T, order*order)
	for i := range order {
		u[i+i*order] = 1
	}
	top := s0 + 1 + j0*b
	for s := s1 - 1; s >= s0; s-- {
		for j := j0; j < min(j1, stepsOf(n, b, s)); j++ {
			r := s + 1 + j*b
			h := v[VOffset(n, s)+r-(s+1):][:min(b, n-r)]
			reflectLeft(tau[s*Steps(n, b)+j], h, order, u[r-top:], order)
		}
	}
	return u
}

// applySquare replaces the first `order` rows of the vectors X by their product with the square u.
func applySquare[T Number](order int, u []T, m int, x []T, ldx int) {
	before := make([]T, order)
	for c := range m {
		copy(before, x[c*ldx:])
		Gemm(NoTrans, NoTrans, order, 1, order, 1, u, order, before, order, 0, x[c*ldx:], order)
	}
}
