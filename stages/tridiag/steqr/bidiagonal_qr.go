package steqr

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

// BidiagonalQR finds singular values and vectors of an upper bidiagonal matrix C = S·Σ·Wᵀ by QR
// iteration (dbdsqr). It runs on the host, in package stages/bidiagonal. One processor does about
// 12·n³ operations, so package svd uses this stage only with Options.Verify, for a second solve
// after a first one by BidiagonalConquer that did not pass the checks.
type BidiagonalQR struct {
	dev *vk.Device
	n   int
}

func NewBidiagonalQR(dev *vk.Device, n int) *BidiagonalQR { return &BidiagonalQR{dev, n} }

// SolveRange computes all singular values, in descending order, and the vectors of values[from:to].
// It writes these vectors to st and wt, as BidiagonalConquer.SolveRange does. A side whose matrix
// is Matrix{} is not written. d and e are not written. The error is a *bidiagonal.NonFiniteError, a
// *tridiag.NoConvergenceError, or an error of package vk. If the context ends during the iteration,
// the error is that of the context, and the iteration runs to its end without effect.
func (s *BidiagonalQR) SolveRange(
	ctx context.Context, d, e []float64, from, to int, st, wt stages.Matrix,
) ([]float64, *vk.Profile, error) {
	profile, began := vk.NewProfile(), time.Now()
	defer func() { profile.Add(stages.PhaseBidiagonal+stages.OnHost, time.Since(began).Seconds()) }()
	if err := ctx.Err(); err != nil {
		return nil, profile, err
	}
	host := bidiagonal.NewHost(s.n)
	opt := bidiagonal.Options{LeafSize: max(s.n, 1), From: from, To: to} // with one leaf: QR iteration solves the whole matrix
	d, e = slices.Clone(d), slices.Clone(e)                              // copies, because the iteration may go on after this call has returned
	var values []float64
	var failed error
	err := tridiag.Interruptible(ctx.Err, func() { values, failed = bidiagonal.SolveWith(host, d, e, opt) })
	if err != nil {
		return nil, profile, err
	}
	if err = failed; err != nil || from == to {
		return values, profile, err
	}
	for side, xt := range [2]stages.Matrix{bidiagonal.Right: wt, bidiagonal.Left: st} {
		if xt.Ld == 0 {
			continue // the vectors of this side are not wanted
		}
		if xt.Rows != to-from || xt.Cols != s.n || xt.Ld != xt.Rows {
			panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, s.n, xt.Rows,
				xt.Cols, xt.Ld))
		}
		rows := columnsToRows(host.Result(bidiagonal.Side(side)), s.n, xt.Rows)
		if err := vk.Upload(ctx, s.dev, xt.At, vk.Columns[float64]{Rows: xt.Rows, Cols: s.n, Ld: xt.Rows, Data: rows}); err != nil {
			return values, profile, err
		}
	}
	return values, profile, nil
}

func columnsToRows(x []float64, rows, cols int) []float64 {
	t := make([]float64, len(x))
	for j := range cols {
		for i := range rows {
			t[j+i*cols] = x[i+j*rows]
		}
	}
	return t
}
