package stages

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/stages/tridiag/ql"
	"github.com/vkevd/vkevd/vk"
)

// QRTuning is the orders up to which QR iteration on the host takes less time than
// what the device does (evd's TestCrossover); 0 where that was not measured.
type QRTuning struct{ Vectors, Values int }

// QRIteration finds eigenvalues of a symmetric tridiagonal on the host, and its
// vectors, by implicit QL and QR iterations (dsteqr; without vectors dsterf). It takes
// 3·n³ operations of one processor with vectors, O(n²) without: it is for small orders.
type QRIteration struct {
	dev *vk.Device
	n   int
}

// NewQRIteration prepares for matrices of order n.
func NewQRIteration(dev *vk.Device, n int) *QRIteration { return &QRIteration{dev, n} }

// Work is empty.
func (s *QRIteration) Work() *vk.Layout { return vk.Together() }

// Flops is the usual cost with vectors: two rotations of n rows for each of n²/2 steps.
func (s *QRIteration) Flops() float64 { n := float64(s.n); return 6 * n * n * n }

// SolveRange finds λ[from:to] of T(d[n], e[n−1]), ascending, and unless xt has no rows
// leaves their vectors in it, (to−from)×n, one a row. Errors: *NoConvergenceError, and vk's.
func (s *QRIteration) SolveRange(ctx context.Context, d, e []float64, from, to int, xt Matrix) ([]float64, *vk.Profile, error) {
	if xt.Rows != 0 && (xt.Rows != to-from || xt.Cols != s.n || xt.Ld != xt.Rows) {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, s.n, xt.Rows, xt.Cols, xt.Ld))
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
