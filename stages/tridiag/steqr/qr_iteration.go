package steqr

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/ql"
	"github.com/vkevd/vkevd/vk"
)

// QRTuning holds the largest orders for which QR iteration on the host is the fastest solver:
// Vectors for solves with vectors, and Values for solves without vectors. 0 means that the order
// was not measured (evd's TestCrossover measures it).
type QRTuning struct{ Vectors, Values int }

// QRIteration finds eigenvalues and eigenvectors of a symmetric tridiagonal matrix by implicit QL
// and QR iteration (dsteqr; without vectors dsterf). It runs on the host, in package
// stages/tridiag/ql, and is meant for small orders: with vectors one processor does 6·n³
// operations, and without vectors O(n²) operations.
type QRIteration struct {
	dev *vk.Device
	n   int
}

func NewQRIteration(dev *vk.Device, n int) *QRIteration { return &QRIteration{dev, n} }

func (s *QRIteration) Work() *vk.Layout { return vk.Together() }

// Flops is the usual cost with vectors, 6·n³: about n² rotations, each with six operations in n
// rows.
func (s *QRIteration) Flops() float64 { n := float64(s.n); return 6 * n * n * n }

// SolveRange returns the eigenvalues with the indices from, …, to−1 of the tridiagonal matrix with
// diagonal d (n elements) and off-diagonal e (n−1 elements), in ascending order. If xt has rows,
// SolveRange writes the vectors to xt, which is (to−from)×n and packed: row j is the vector of
// value from+j. If xt has no rows, no vectors are computed. d and e are not written. The error is a
// *tridiag.NonFiniteError, a *tridiag.NoConvergenceError, or an error of package vk.
func (s *QRIteration) SolveRange(ctx context.Context, d, e []float64, from, to int, xt stages.Matrix) ([]float64,
	*vk.Profile, error) {
	if xt.Rows != 0 && (xt.Rows != to-from || xt.Cols != s.n || xt.Ld != xt.Rows) {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, s.n, xt.Rows, xt.Cols,
			xt.Ld))
	}
	profile := vk.NewProfile()
	began := time.Now()
	defer func() { profile.Add(stages.PhaseTridiagonal+stages.OnHost, time.Since(began).Seconds()) }()
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
