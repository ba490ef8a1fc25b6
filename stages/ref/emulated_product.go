package ref

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/vkevd/vkevd/stages/product/moduli"
)

// EmulatedRows describes a factor of an emulated product as rows along the inner dimension. Element
// k of row r is At[r·Row + k·Col], or its conjugate if Conj is true. The factor has Rows rows of K
// elements.
type EmulatedRows[T Number] struct {
	At       []T
	Row, Col int
	Rows, K  int
	Conj     bool
}

// EmulatedOperand describes the factor op(A) of a product as vectors along the inner dimension.
// They are the rows of op(A), or the columns of op(A) if `right` is true, which means that op(A) is
// the right factor. a is column-major with leading dimension ld. The result has the given number of
// rows, with k elements each.
func EmulatedOperand[T Number](a []T, ld int, op Op, right bool, rows, k int) EmulatedRows[T] {
	if op.transposes() != right {
		return EmulatedRows[T]{a, ld, 1, rows, k, op.conjugates()}
	}
	return EmulatedRows[T]{a, 1, ld, rows, k, op.conjugates()}
}

// row returns the elements of row r, or the real and imaginary parts of complex elements
// alternately.
func (f EmulatedRows[T]) row(r int) []float64 {
	var row []float64
	for k := range f.K {
		x := f.At[r*f.Row+k*f.Col]
		if f.Conj {
			x = conj(x)
		}
		re, im := parts(x)
		if row = append(row, re); isComplex[T]() {
			row = append(row, im)
		}
	}
	return row
}

func isComplex[T Number]() bool {
	_, is := any(*new(T)).(complex128)
	return is
}

// EmulatedSystem returns the constants of products of numbers of type T modulo `count` numbers.
func EmulatedSystem[T Number](count int) *moduli.System {
	if isComplex[T]() {
		return moduli.NewComplex(count)
	}
	return moduli.New(count)
}

func (f EmulatedRows[T]) norms() []EmulatedNorm {
	all := make([]EmulatedNorm, f.Rows)
	for r := range all {
		all[r] = NewEmulatedNorm(f.row(r))
	}
	return all
}

// peak returns the logarithm (Log) of the largest norm among the rows that are finite and not zero.
// `any` is false if there is no such row.
func peak(norms []EmulatedNorm) (log int, any bool) {
	log = math.MinInt
	for _, n := range norms {
		if n.E != NotFinite && n.Q > 0 {
			log, any = max(log, n.Log()), true
		}
	}
	return log, any
}

// scaled is one side of an emulated product: one factor, or the two factors of a pair, whose rows
// are joined. `integers` has the scaled and rounded rows, with both parts of complex elements. Row
// r was multiplied by 2 to the power `shift[r]`; the first factor of a pair was also multiplied by
// 2^balance. A row that cannot be scaled has the shift NotFinite.
type scaled struct {
	integers [][]int64
	shift    []int
}

// side returns the scaled rows of one factor of a product, or of two factors (a pair) whose
// products are added. Each row of the first factor of a pair is joined with the same row of the
// second factor. A joined row is multiplied by one power of two, its shift.
func side[T Number](s *moduli.System, balance int, factors ...EmulatedRows[T]) scaled {
	var out scaled
	norms := factors[len(factors)-1].norms()
	if len(factors) > 1 {
		for r, n := range factors[0].norms() {
			norms[r] = n.Join(balance, norms[r])
		}
	}
	for r, n := range norms {
		shift := n.Shift(s)
		if shift != NotFinite && shift+min(balance, 0) < EmulatedShiftLeast {
			shift = NotFinite
		}
		var row []int64
		for i, f := range factors {
			extra := 0
			if len(factors) > 1 && i == 0 {
				extra = balance
			}
			for _, x := range f.row(r) {
				if shift == NotFinite {
					x, extra = 0, -shift
				}
				row = append(row, EmulatedInteger(x, shift+extra))
			}
		}
		out.integers, out.shift = append(out.integers, row), append(out.shift, shift)
	}
	return out
}

// EmulatedBalance returns the balance of the pair of products A1·B1 and A2·B2. A1 is multiplied by
// 2^balance and B1 is divided by 2^balance. The balance makes the norms of A1 and A2 nearly equal,
// and also the norms of B1 and B2, as far as one power of two can. A factor whose rows are all zero
// or not finite tells nothing: then only the factors of the other side determine the balance. If
// each side has such a factor, the balance is 0.
func EmulatedBalance[T Number](a1, b1, a2, b2 EmulatedRows[T]) int {
	ratio := func(over, under EmulatedRows[T]) (log int, known bool) {
		a, some := peak(over.norms())
		b, any := peak(under.norms())
		return a - b, some && any
	}
	left, leftKnown := ratio(a2, a1)
	right, rightKnown := ratio(b1, b2)
	switch {
	case leftKnown && rightKnown:
		return (left + right) >> 1
	case leftKnown:
		return left
	case rightKnown:
		return right
	}
	return 0
}

// EmulatedGemm computes C ← α·op(A)·op(B) + β·C with `count` moduli, with the bits of the emulated
// kernels. C is a.Rows×b.Rows. Package moduli describes the method.
func EmulatedGemm[T Number](count int, alpha float64, a, b EmulatedRows[T], beta float64, c []T, ldc int) {
	s := EmulatedSystem[T](count)
	left, right := side(s, 0, a), side(s, 0, b)
	update(s, alpha, left, right, 0, beta, c, ldc, false)
}

// EmulatedGemmPair computes C ← α·(op(A1)·op(B1) + op(A2)·op(B2)) + β·C, the sum of two products,
// with `count` moduli.
func EmulatedGemmPair[T Number](count int, alpha float64, a1, b1, a2, b2 EmulatedRows[T], beta float64, c []T, ldc int) {
	s, balance := EmulatedSystem[T](count), EmulatedBalance(a1, b1, a2, b2)
	left, right := side(s, balance, a1, a2), side(s, -balance, b1, b2)
	update(s, alpha, left, right, 0, beta, c, ldc, false)
}

// EmulatedSyr2k computes the lower triangle of C ← C − Y·Zᴴ − Z·Yᴴ. The left rows are [2^balance·Y,
// Z] and the right rows are the conjugates of [Z, 2^balance·Y]. The left and the right rows have
// the same shifts. The function `update` divides the result by 2^balance.
func EmulatedSyr2k[T Number](count int, y, z EmulatedRows[T], c []T, ldc int) {
	s, balance := EmulatedSystem[T](count), EmulatedBalance(y, z, z, y)
	left := side(s, balance, y, z)
	y.Conj, z.Conj = true, true
	conjugate := side(s, balance, y, z)
	right := scaled{shift: left.shift}
	for _, row := range conjugate.integers {
		half := len(row) / 2
		right.integers = append(right.integers, append(append([]int64{}, row[half:]...), row[:half]...))
	}
	update(s, -1, left, right, balance, 1, c, ldc, true)
	for i := range y.Rows {
		c[i+i*ldc] = ofReal[T](realPart(c[i+i*ldc]))
	}
}

// update computes C ← α·2^(−s−t−balance)·H·P/2⁶⁴ + β·C, where s and t are the shifts of the left
// row and of the right row, P is the product of the moduli, and H is the EmulatedFraction of the
// exact product of the two rows. If `lower` is true, update computes only the lower triangle of C.
// Both parts of a complex C are computed in this way.
func update[T Number](s *moduli.System, alpha float64, left, right scaled, balance int, beta float64, c []T, ldc int, lower bool) {
	fraction, exponent := s.Parts()
	for j, b := range right.integers {
		for i, a := range left.integers {
			if lower && i < j {
				continue
			}
			at := i + j*ldc
			part := func(old float64, product *big.Int) float64 {
				x := math.NaN()
				if left.shift[i] != NotFinite && right.shift[j] != NotFinite {
					h := EmulatedFraction(s, product)
					p := math.Float64frombits(1023<<52 | fraction)
					x = alpha * math.Ldexp(halves(h)*p, exponent-64-left.shift[i]-right.shift[j]-balance)
				}
				if beta != 0 {
					x = float64(beta*old) + x
				}
				return x
			}
			switch c := any(c).(type) {
			case []float64:
				c[at] = part(c[at], exact(a, b))
			case []complex128:
				// a and b hold the real and imaginary parts of their numbers alternately. For one
				// pair of numbers, the product has the real part a₀·b₀ − a₁·b₁ and the imaginary
				// part a₀·b₁ + a₁·b₀. So each part is the inner product of a with a vector that has
				// the elements of b in another order or with other signs: (b₀, −b₁) is `conjugate`,
				// and (b₁, b₀) is `turned`.
				conjugate, turned := make([]int64, len(b)), make([]int64, len(b))
				for k := 0; k < len(b); k += 2 {
					conjugate[k], conjugate[k+1] = b[k], -b[k+1]
					turned[k], turned[k+1] = b[k+1], b[k]
				}
				c[at] = complex(part(real(c[at]), exact(a, conjugate)), part(imag(c[at]), exact(a, turned)))
			}
		}
	}
}

// exact returns the inner product Σ aₖ·bₖ of two vectors of integers. The sum must fit 128 bits.
func exact(a, b []int64) *big.Int {
	var high, low uint64
	for k := range a {
		h, l := bits.Mul64(uint64(a[k]), uint64(b[k]))
		// The function Mul64 multiplies unsigned numbers. The next line corrects the upper word h
		// of the product for signed factors.
		h -= uint64(a[k]>>63)&uint64(b[k]) + uint64(b[k]>>63)&uint64(a[k])
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	x := new(big.Int).Lsh(big.NewInt(int64(high)), 64)
	return x.Add(x, new(big.Int).SetUint64(low))
}

// EmulatedFraction returns the integer H with product ≈ P·H/2⁶⁴ and −2⁶³ ≤ H < 2⁶³, where P is the
// product of the moduli pᵢ. Let yᵢ be the residue of product·qᵢ modulo pᵢ, where qᵢ is
// s.Inverse[i]. The sum of all yᵢ·round(2⁸⁰/pᵢ) is reduced modulo 2⁸⁰. H is this sum without its
// last 16 bits.
func EmulatedFraction(s *moduli.System, product *big.Int) int64 {
	sum := new(big.Int)
	for i, p := range s.Moduli {
		residue := new(big.Int).Mod(product, big.NewInt(p)).Int64()
		y := moduli.Symmetric(residue*s.Inverse[i], p)
		sum.Add(sum, new(big.Int).Mul(big.NewInt(y), moduli.Fraction(p)))
	}
	whole := new(big.Int).Lsh(big.NewInt(1), moduli.FractionBits)
	sum.Mod(sum, whole)
	if sum.Bit(moduli.FractionBits-1) != 0 {
		sum.Sub(sum, whole)
	}
	return sum.Rsh(sum, moduli.FractionBits-64).Int64()
}

// halves returns the integer h rounded to a double. The upper 32 bits of h are converted to a
// double exactly, and so are the lower 32 bits. The sum of these two doubles is the only operation
// that rounds.
func halves(h int64) float64 {
	high := math.Float64frombits(0x45300000<<32|uint64(uint32(h>>32)^1<<31)) - (0x1p84 + 0x1p63 + 0x1p52)
	return high + math.Float64frombits(0x43300000<<32|uint64(uint32(h)))
}
