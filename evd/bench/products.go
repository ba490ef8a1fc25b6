package bench

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// newGemm is C ← C − A·Bᵀ, n×n, of inner dimension k.
func newGemm(b *Bench, s sizes, t stages.Tuning) (*load, error) {
	ops, err := stages.NewOps(b.dev, t)
	if err != nil {
		return nil, err
	}
	ra, x := packed("A", s.n, s.k)
	rb, y := packed("B", s.n, s.k)
	rc, c := packed("C", s.n, s.n)
	n, k := float64(s.n), float64(s.k)
	return &load{
		row:     Row{K: s.k},
		flops:   2 * n * n * k,
		bytes:   realBytes * (2*n*k + 2*n*n),
		layout:  vk.Together(ra, rb, rc, ops.Work()),
		prepare: b.fills(x, y, c),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			ops.Gemm.Record(rec, ws, stages.NoTrans, stages.Trans, -1, x(ws), y(ws), 1, c(ws))
		},
		result: rc,
	}, nil
}

// newSyr2k is C ← C − Y·Zᵀ − Z·Yᵀ, the lower triangle, of rank k.
func newSyr2k(b *Bench, s sizes, t stages.Tuning) (*load, error) {
	ops, err := stages.NewOps(b.dev, t)
	if err != nil {
		return nil, err
	}
	ry, y := packed("Y", s.n, s.k)
	rz, z := packed("Z", s.n, s.k)
	rc, c := packed("C", s.n, s.n)
	n, k := float64(s.n), float64(s.k)
	return &load{
		row:     Row{K: s.k},
		flops:   2 * n * n * k,
		bytes:   realBytes * (2*n*k + n*n),
		layout:  vk.Together(ry, rz, rc, ops.Work()),
		prepare: b.fills(y, z, c),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			ops.RankTwoK.Record(rec, ws, y(ws), z(ws), c(ws))
		},
		result: rc,
	}, nil
}

// newSymm is P ← A·W, W n×b.
func newSymm(b *Bench, s sizes, t stages.Tuning) (*load, error) {
	ops, err := stages.NewOps(b.dev, t)
	if err != nil {
		return nil, err
	}
	ra, a := packed("A", s.n, s.n)
	rw, w := packed("W", s.n, s.b)
	rp, p := packed("P", s.n, s.b)
	n, cols := float64(s.n), float64(s.b)
	return &load{
		row:     Row{B: s.b},
		flops:   2 * n * n * cols,
		bytes:   realBytes * (n*n/2 + 2*n*cols),
		layout:  vk.Together(ra, rw, rp, ops.Work()),
		prepare: b.fills(a, w),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			ops.Symm.Record(rec, ws, a(ws), w(ws), p(ws))
		},
		result: rp,
	}, nil
}
