package ref

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/vkevd/vkevd/stages/product/moduli"
)

// EmulatedRows is a factor of an emulated product, as rows along the inner dimension: element k of
// row r is At[r·Row + k·Col].
type EmulatedRows struct {
	At       []float64
	Row, Col int
	Rows, K  int
}

// EmulatedOperand is op(A) as rows, or the columns of op(B) if right is set. a is column-major with
// leading dimension ld; rows and k are the sizes of the operand.
func EmulatedOperand(a []float64, ld int, trans, right bool, rows, k int) EmulatedRows {
	if trans != right {
		return EmulatedRows{a, ld, 1, rows, k}
	}
	return EmulatedRows{a, 1, ld, rows, k}
}

// row copies row r.
func (f EmulatedRows) row(r int) []float64 {
	x := make([]float64, f.K)
	for k := range x {
		x[k] = f.At[r*f.Row+k*f.Col]
	}
	return x
}

// norms are the bounds of all rows.
func (f EmulatedRows) norms() []EmulatedNorm {
	all := make([]EmulatedNorm, f.Rows)
	for r := range all {
		all[r] = NewEmulatedNorm(f.row(r))
	}
	return all
}

// peak is the largest Log of a row that is not zero, and whether there is one.
func peak(norms []EmulatedNorm) (log int, any bool) {
	log = math.MinInt
	for _, n := range norms {
		if n.E != NotFinite && n.Q > 0 {
			log, any = max(log, n.Log()), true
		}
	}
	return log, any
}

// scaled is one side of an emulated product: one factor, or two of a pair side by side. integers
// has the scaled rows, shift their exponents. The first factor of a pair is scaled by 2^balance in
// addition. A row that cannot be scaled has the shift NotFinite.
type scaled struct {
	integers [][]int64
	shift    []int
}

// side scales the rows of one factor, or of two with one shift for the joint row.
func side(s *moduli.System, balance int, factors ...EmulatedRows) scaled {
	var out scaled
	norms := factors[len(factors)-1].norms()
	if len(factors) > 1 {
		for r, n := range factors[0].norms() {
			norms[r] = n.Join(balance, norms[r])
		}
	}
	for r, n := range norms {
		shift := n.Shift(s)
		if shift != NotFinite {
			shift = min(shift, EmulatedShiftMost-max(balance, 0))
			if shift+min(balance, 0) < EmulatedShiftLeast {
				shift = NotFinite
			}
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

// EmulatedBalance is the power of two that the first left factor of a pair is multiplied by, and
// the first right factor divided by, so that both products have the same weight. If a factor is
// zero, the factors of the other side alone decide: there the larger one must not hide the other.
func EmulatedBalance(a1, b1, a2, b2 EmulatedRows) int {
	ratio := func(over, under EmulatedRows) (log int, known bool) {
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

// EmulatedGemm computes C ← α·op(A)·op(B) + β·C as the emulated kernels do, to the bit: with s.N
// moduli. C is m×n with leading dimension ldc. See moduli for the method.
func EmulatedGemm(s *moduli.System, alpha float64, a, b EmulatedRows, beta float64, c []float64, ldc int) {
	left, right := side(s, 0, a), side(s, 0, b)
	update(s, alpha, left, right, 0, beta, c, ldc, false)
}

// EmulatedGemmPair computes C ← α·(op(A1)·op(B1) + op(A2)·op(B2)) + β·C.
func EmulatedGemmPair(s *moduli.System, alpha float64, a1, b1, a2, b2 EmulatedRows, beta float64, c []float64, ldc int) {
	balance := EmulatedBalance(a1, b1, a2, b2)
	left, right := side(s, balance, a1, a2), side(s, -balance, b1, b2)
	update(s, alpha, left, right, 0, beta, c, ldc, false)
}

// EmulatedSyr2k computes the lower triangle of C ← C − Y·Zᵀ − Z·Yᵀ. Left rows are [2^c·Y, Z], right
// ones [Z, 2^c·Y], with one shift for both: the result has the factor 2^c.
func EmulatedSyr2k(s *moduli.System, y, z EmulatedRows, c []float64, ldc int) {
	balance := EmulatedBalance(y, z, z, y)
	left := side(s, balance, y, z)
	right := scaled{shift: left.shift}
	for _, row := range left.integers {
		right.integers = append(right.integers, append(append([]int64{}, row[y.K:]...), row[:y.K]...))
	}
	update(s, -1, left, right, balance, 1, c, ldc, true)
}

// update does C ← α·2^(−s−t−balance)·(exact product of integers) + β·C, through the fraction of P
// that the residues give.
func update(s *moduli.System, alpha float64, left, right scaled, balance int, beta float64, c []float64, ldc int, lower bool) {
	fraction, exponent := s.Parts()
	for j, b := range right.integers {
		for i, a := range left.integers {
			if lower && i < j {
				continue
			}
			at := i + j*ldc
			x := math.NaN()
			if left.shift[i] != NotFinite && right.shift[j] != NotFinite {
				h := EmulatedFraction(s, exact(a, b))
				scale := math.Float64frombits(uint64(exponent-64-left.shift[i]+1023)<<52 | fraction)
				x = alpha * math.Ldexp(halves(h)*scale, -right.shift[j]-balance)
			}
			if beta != 0 {
				x = float64(beta*c[at]) + x
			}
			c[at] = x
		}
	}
}

// exact is Σ aₖ·bₖ in 128 bits, as a big integer.
func exact(a, b []int64) *big.Int {
	var high, low uint64
	for k := range a {
		h, l := bits.Mul64(uint64(a[k]), uint64(b[k]))
		// From unsigned to signed factors.
		h -= uint64(a[k]>>63)&uint64(b[k]) + uint64(b[k]>>63)&uint64(a[k])
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	x := new(big.Int).Lsh(big.NewInt(int64(high)), 64)
	return x.Add(x, new(big.Int).SetUint64(low))
}

// EmulatedFraction is H with C′ ≈ P·H/2⁶⁴, −2⁶³ ≤ H < 2⁶³, from the residues of C′ times qᵢ: the
// sum of yᵢ·round(2⁸⁰/pᵢ) modulo 2⁸⁰, without its last 16 bits.
func EmulatedFraction(s *moduli.System, product *big.Int) int64 {
	sum := new(big.Int)
	for i := range s.N {
		p := moduli.Modulus(i)
		residue := new(big.Int).Mod(product, big.NewInt(p)).Int64()
		y := moduli.Symmetric(residue*s.Inverse[i], p)
		sum.Add(sum, new(big.Int).Mul(big.NewInt(y), moduli.Fraction(i)))
	}
	whole := new(big.Int).Lsh(big.NewInt(1), moduli.FractionBits)
	sum.Mod(sum, whole)
	if sum.Bit(moduli.FractionBits-1) != 0 {
		sum.Sub(sum, whole)
	}
	return sum.Rsh(sum, moduli.FractionBits-64).Int64()
}

// halves is h as a double, rounded once: its upper half, an exact difference, plus its lower half.
func halves(h int64) float64 {
	high := math.Float64frombits(0x45300000<<32|uint64(uint32(h>>32)^1<<31)) - (0x1p84 + 0x1p63 + 0x1p52)
	return high + math.Float64frombits(0x43300000<<32|uint64(uint32(h)))
}
