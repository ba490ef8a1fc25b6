package ref

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
)

// panels is a list of difficult panels. Each function changes a random m×b panel.
var panels = map[string]func(m, b int, x []float64, ld int){
	"random": func(int, int, []float64, int) {},
	"zero": func(m, b int, x []float64, ld int) {
		for j := range b {
			clear(x[j*ld : j*ld+m])
		}
	},
	"equal columns": func(m, b int, x []float64, ld int) {
		for j := range b {
			copy(x[j*ld:j*ld+m], x[:m])
		}
	},
	"zero column": func(m, b int, x []float64, ld int) { clear(x[b/2*ld : b/2*ld+m]) },
	"zero rows": func(m, b int, x []float64, ld int) {
		for j := range b {
			clear(x[j*ld : j*ld+m/2])
		}
	},
	"rank two": func(m, b int, x []float64, ld int) {
		for j := 2; j < b; j++ {
			for i := range m {
				x[i+j*ld] = float64(j)*x[i] - x[i+ld]
			}
		}
	},
	"nearly dependent": func(m, b int, x []float64, ld int) {
		for j := 1; j < b; j++ {
			for i := range m {
				x[i+j*ld] = x[i] + 1e-12*x[i+j*ld]
			}
		}
	},
	"huge and tiny columns": func(m, b int, x []float64, ld int) {
		for j := range b {
			scale := []float64{1e300, 1e-300, 1, 5e-324}[j%4]
			for i := range m {
				x[i+j*ld] *= scale
			}
		}
	},
	"upper triangular": func(m, b int, x []float64, ld int) {
		for j := range b {
			clear(x[j*ld+min(j+1, m) : j*ld+m])
		}
	},
	"minus identity": func(m, b int, x []float64, ld int) {
		for j := range b {
			clear(x[j*ld : j*ld+m])
			if j < m {
				x[j+j*ld] = -1
			}
		}
	},
	"denormal": func(m, b int, x []float64, ld int) {
		for j := range b {
			for i := range m {
				x[i+j*ld] = math.Round(8*x[i+j*ld]) * 5e-324
			}
		}
	},
}

// TestPanelQR factors panels, and forms Q from the reflectors Y and the factor T. It checks that Q
// is orthogonal and that Q·R is the panel. The comparison is column by column, because the columns
// have different scales.
func TestPanelQR(t *testing.T) {
	orthogonal := worst{name: "‖I − QᵀQ‖/(m·ulp)"}
	thin := worst{name: "the same of Q's first b columns, in b·ulp"}
	residual := worst{name: "‖x − Q·r‖/(‖x‖·m·ulp), a column at a time"}
	for name, change := range panels {
		for _, m := range []int{1, 2, 3, 4, 5, 8, 9, 33, 100} {
			for _, b := range []int{1, 2, 3, 4, 5, 8} {
				ld := m + 2
				x := padded(m, b, ld, 7)
				change(m, b, x, ld)
				y := append([]float64(nil), x...)
				r, tau := PanelQR(m, b, y, ld)
				tf := TFactor(m, b, y, ld, tau)
				if !untouched(m, b, y, ld) {
					t.Fatalf("%s m=%d b=%d: padding written", name, m, b)
				}
				checkTrapezoid(t, name, m, b, y, ld, r, tau, tf)

				q := eye(m, m)
				applyWY(m, b, y, ld, tf, m, q, m)
				orthogonal.see(t, ratio.Orthogonality(m, m, q, m), "%s m=%d b=%d", name, m, b)
				// For the first min(b, m) columns of the orthogonal factor Q, which span the panel,
				// the bound of the error does not grow with m.
				thin.see(t, ratio.Orthogonality(m, min(b, m), q, m)*float64(m)/float64(b), "%s m=%d b=%d", name, m, b)

				for j := range b {
					qr := make([]float64, m)
					copy(qr, r[j*b:j*b+min(b, m)])
					applyWY(m, b, y, ld, tf, 1, qr, m)
					var norm, diff float64
					for i, v := range x[j*ld : j*ld+m] {
						norm = max(norm, math.Abs(v))
						diff = max(diff, math.Abs(v-qr[i]))
					}
					if !(diff <= float64(10*m)*5e-324) { // what denormals round to
						residual.see(t, diff/norm/(float64(m)*ratio.Ulp), "%s m=%d b=%d j=%d", name, m, b, j)
					}
				}
			}
		}
	}
	orthogonal.report(t)
	thin.report(t)
	residual.report(t)
}

// applyWY replaces the m×cols matrix X by (I − Y·T·Yᵀ)·X.
func applyWY(m, b int, y []float64, ld int, t []float64, cols int, x []float64, ldx int) {
	yx, tyx := make([]float64, b*cols), make([]float64, b*cols)
	Gemm(Trans, NoTrans, b, cols, m, 1, y, ld, x, ldx, 0, yx, b)
	Gemm(NoTrans, NoTrans, b, cols, b, 1, t, b, yx, b, 0, tyx, b)
	Gemm(NoTrans, NoTrans, m, cols, b, -1, y, ld, tyx, b, 1, x, ldx)
}

// checkTrapezoid checks that the results have the documented form: Y has exact ones and zeros, R
// and T are triangular, and columns without a reflector are zero.
func checkTrapezoid(t *testing.T, name string, m, b int, y []float64, ld int, r, tau, tf []float64) {
	t.Helper()
	kb := min(b, m)
	for j := range b {
		if j >= m-1 && tau[j] != 0 {
			t.Errorf("%s m=%d b=%d: τ[%d] = %g, with nothing to annihilate", name, m, b, j, tau[j])
		}
		for i := range m {
			v := y[i+j*ld]
			switch {
			case i < j || j >= kb:
				if v != 0 {
					t.Errorf("%s m=%d b=%d: Y(%d, %d) = %g, want 0", name, m, b, i, j, v)
				}
			case i == j && v != 1:
				t.Errorf("%s m=%d b=%d: Y(%d, %d) = %g, want 1", name, m, b, i, j, v)
			}
		}
		for i := range b {
			if (i > j || i >= kb) && r[i+j*b] != 0 {
				t.Errorf("%s m=%d b=%d: R(%d, %d) = %g, want 0", name, m, b, i, j, r[i+j*b])
			}
			if (i > j || tau[j] == 0) && tf[i+j*b] != 0 {
				t.Errorf("%s m=%d b=%d: T(%d, %d) = %g, want 0", name, m, b, i, j, tf[i+j*b])
			}
		}
	}
}
