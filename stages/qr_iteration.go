package stages

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/stages/tridiag/ql"
	"github.com/vkevd/vkevd/vk"
)

// QRTuning is the largest orders for which QR iteration on the host is the fastest solver, with
// vectors and for values alone; 0 where that was not measured (by evd's TestCrossover).
type QRTuning struct{ Vectors, Values int }

// QRIteration finds eigenvalues and vectors of a symmetric tridiagonal matrix by implicit QL and QR
// iteration (dsteqr; without vectors dsterf), on the host (package stages/tridiag/ql). It is for
// small orders: it takes 6·n³ operations of one processor with vectors, and O(n²) without.
type QRIteration struct {
	dev *vk.Device
	n   int
}

// NewQRIteration prepares for matrices of order n ≥ 0. It needs the device only to upload vectors.
func NewQRIteration(dev *vk.Device, n int) *QRIteration { return &QRIteration{dev, n} }

// Work is empty: the solver has no workspace on the device.
func (s *QRIteration) Work() *vk.Layout { return vk.Together() }

// Flops is the usual cost with vectors, 6·n³: n²/2 steps of two rotations, each of n rows.
func (s *QRIteration) Flops() float64 { n := float64(s.n); return 6 * n * n * n }

// SolveRange returns the eigenvalues from … to−1 of T(d[n], e[n−1]), ascending. Unless xt has no
// rows, it leaves their vectors in xt, (to−from)×n and packed: row j is the vector of value from+j.
// d and e are not written. Errors: *tridiag.NonFiniteError, *NoConvergenceError, and vk's.
func (s *QRIteration) SolveRange(ctx context.Context, d, e []float64, from, to int, xt Matrix) ([]float64,
	*vk.Profile, error) {
	if xt.Rows != 0 && (xt.Rows != to-from || xt.Cols != s.n || xt.Ld != xt.Rows) {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, s.n, xt.Rows, xt.Cols,
			xt.Ld))
	}
	profile := vk.NewProfile()
	began := time.Now()
	defer func() { profile.Add(PhaseTridiagonal+OnHost, time.Since(began).Seconds()) }()
	if err := ctx.Err(); err != nil {
		return nil, profile, err
	}
	values, rows, err := ql.Solve(d, e, xt.Rows > 0)
	if err != nil {
		return nil, profile, err
	}
	if xt.Rows > 0 {
		err = vk.Upload(ctx, s.dev, xt.At, vk.Columns[float64]{Rows: xt.Rows, Cols: s.n, Ld: s.n, Data: rows[from:]})
	}
	return values[from:to], profile, err
}
