package ref

// Syr2k computes C ← C − Y·Zᴴ − Z·Yᴴ in the lower triangle of the n×n matrix C (dsyr2k and zher2k
// with α = −1, β = 1). Y and Z are n×k. Afterwards the diagonal is real, whatever its imaginary
// parts were. The strictly upper triangle is neither read nor written. C must not overlap Y or Z.
func Syr2k[T Number](n, k int, y []T, ldy int, z []T, ldz int, c []T, ldc int) {
	for j := range n {
		for i := j; i < n; i++ {
			var sum T
			for p := range k {
				sum += y[i+p*ldy]*conj(z[j+p*ldz]) + z[i+p*ldz]*conj(y[j+p*ldy])
			}
			c[i+j*ldc] -= sum
		}
		c[j+j*ldc] = ofReal[T](realPart(c[j+j*ldc]))
	}
}
