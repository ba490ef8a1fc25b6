package ref

// Syr2k computes C ← C − Y·Zᵀ − Z·Yᵀ in the lower triangle of the n×n matrix C (dsyr2k with α = −1,
// β = 1). Y and Z are n×k. The strictly upper triangle of C is neither read nor written. C must not
// overlap Y or Z.
func Syr2k(n, k int, y []float64, ldy int, z []float64, ldz int, c []float64, ldc int) {
	for j := range n {
		for i := j; i < n; i++ {
			var sum float64
			for p := range k {
				sum += y[i+p*ldy]*z[j+p*ldz] + z[i+p*ldz]*y[j+p*ldy]
			}
			c[i+j*ldc] -= sum
		}
	}
}
