package bench

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// positive returns memory for a positive definite matrix: a random matrix plus c·I, where the
// number c is larger than the sum of a row.
func (l *load) positive(ops product.Ops[float64]) matrix {
	b, numbers := l.random("B", l.n, l.n), l.vector("diagonal", l.n+1)
	l.input(func(rec *vk.Recorder, ws *vk.Arena) {
		const word = 0x41414141 // both words of a number above 2²¹
		vk.Fill(rec, numbers.In(ws), word)
		one, row := stages.NewMatrix(numbers.In(ws).From(l.n), 1, 1, 1), stages.NewMatrix(numbers.In(ws).Sub(0, l.n), 1, l.n, 1)
		ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, one, row, 1, stages.NewMatrix(b.In(ws), 1, l.n, l.n+1))
	})
	return b
}

// potrf measures the Cholesky factorisation of a matrix (LAPACK's dpotrf), with the inverses of
// diagonal blocks. In the number of moved doubles the lower triangle counts twice, for reading and
// writing.
func potrf(products func(*load) product.Ops[float64]) func(*load) {
	return func(l *load) {
		ops := products(l)
		b := l.positive(ops)
		cholesky := must(factor.NewCholesky(l.dev, l.n, ops, l.tune.Cholesky))
		l.uses(cholesky)
		inverses := l.vector("inverses", l.tune.Cholesky.InverseLen(l.n))
		l.counts(cholesky.Flops(), float64(l.n)*float64(l.n))
		l.result = b.Region
		l.record = func(rec *vk.Recorder, ws *vk.Arena) { cholesky.Record(rec, ws, b.of(ws), inverses.In(ws)) }
	}
}

// factored adds the Cholesky factor of a random matrix to the input. The function that `factored`
// returns gives the factor after the input was recorded.
func (l *load) factored(ops product.Ops[float64]) func() factor.Factor[float64] {
	b, inverses := l.positive(ops), l.vector("inverses", l.tune.Cholesky.InverseLen(l.n))
	cholesky := must(factor.NewCholesky(l.dev, l.n, ops, l.tune.Cholesky))
	l.uses(cholesky)
	var f factor.Factor[float64]
	l.input(func(rec *vk.Recorder, ws *vk.Arena) { f = cholesky.Record(rec, ws, b.of(ws), inverses.In(ws)) })
	return func() factor.Factor[float64] { return f }
}

// sygst measures C = L⁻¹·A·L⁻ᵀ (LAPACK's dsygst). In the number of moved doubles a triangle of A
// counts twice, for reading and writing, and L once.
func sygst(products func(*load) product.Ops[float64]) func(*load) {
	return func(l *load) {
		ops := products(l)
		f := l.factored(ops)
		form := must(factor.NewStandardForm(l.dev, l.n, factor.AxLBx, ops, l.tune.Cholesky))
		l.uses(form)
		a := l.random("A", l.n, l.n)
		l.counts(form.Flops(), 1.5*float64(l.n)*float64(l.n))
		l.result = a.Region
		l.record = func(rec *vk.Recorder, ws *vk.Arena) { form.Record(rec, ws, a.of(ws), f()) }
	}
}

// trsm measures X·L⁻¹, a product that turns eigenvectors of C = L⁻¹·A·L⁻ᵀ, the m rows of X, into
// those of the pair A, B = L·Lᵀ. In the number of moved doubles L counts once, and X twice, for
// reading and writing.
func trsm(products func(*load) product.Ops[float64]) func(*load) {
	return func(l *load) {
		ops := products(l)
		f := l.factored(ops)
		x, y := l.random("X", l.m, l.n), l.matrix("Y", l.m, l.n)
		n, m := float64(l.n), float64(l.m)
		l.counts(n*n*m, n*n/2+2*m*n)
		l.result = y.Region
		l.record = func(rec *vk.Recorder, ws *vk.Arena) {
			f().Solve(rec, ws, factor.Right, product.NoTrans, x.of(ws), y.of(ws))
		}
	}
}
