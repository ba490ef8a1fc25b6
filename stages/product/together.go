package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// GemmTogether gives each product the tile and the split that it would have alone, so that its bits
// are the same. If the partial products of all of them do not fit the workspace, if a product costs
// more flops than one dispatch may, or if an inner dimension is 0, the products run one after
// another.
func (g *tiledGemm[T]) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...Product[T]) {
	j := g.jointly(products)
	if !j.fits || j.partials > g.capacity {
		j.oneByOne(rec, ws)
		return
	}
	j.divide(ws, 0)
	rec.Concurrently(func() { j.multiply(rec) })
	rec.Concurrently(func() { j.add(rec) })
}

// SymmTogether has the rules of GemmTogether.
func (t *Tiled[T]) SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix[T], others ...Product[T]) {
	j, x := t.jointly(others), t.tiledSymm.chooseFor(p)
	tiles, most := t.tiledSymm.tilesOf(p, x)
	j.beside(rec, ws, x.partials(p.Rows*p.Cols), tiles <= most,
		func(parts vk.Slice[T]) { t.tiledSymm.multiply(rec, a, w, p, x, parts) },
		func(parts vk.Slice[T]) { t.tiledSymm.add(rec, a, w, p, x, parts) })
}

// joint is a list of products that are recorded together.
type joint[T spirv.Scalar] struct {
	gemm     *tiledGemm[T]
	requests []request[T]
	splits   []splitK
	parts    []vk.Slice[T] // the memory of each product's partial products

	partials int  // number of elements of all partial products together
	fits     bool // each product fits one dispatch, and no inner dimension is 0
}

// `beside` records the products and another product concurrently, or one after another by the rules
// of GemmTogether. `fits` says whether the other product fits one dispatch, and `partials` is the
// number of elements of its partial products. `multiply` records the dispatches of the other
// product, and `add` records the sum of its partial products.
func (j *joint[T]) beside(rec *vk.Recorder, ws *vk.Arena, partials int, fits bool, multiply, add func(parts vk.Slice[T])) {
	parts := j.gemm.sums.room(ws, 0, partials)
	if !j.fits || !fits || partials+j.partials > j.gemm.capacity {
		multiply(parts)
		add(parts)
		j.oneByOne(rec, ws)
		return
	}
	j.divide(ws, partials)
	rec.Concurrently(func() {
		multiply(parts)
		j.multiply(rec)
	})
	rec.Concurrently(func() {
		add(parts)
		j.add(rec)
	})
}

func (g *tiledGemm[T]) jointly(products []Product[T]) *joint[T] {
	j := &joint[T]{gemm: g, fits: true}
	for _, p := range products {
		r := single(p.OpA, p.OpB, 1, Pair[T]{p.A, p.B}, 0, p.C)
		if r.leavesC() {
			continue
		}
		x := g.choose(r.problem())
		j.partials += r.partials(x)
		j.fits = j.fits && r.inner() != [2]int{} && g.inOneDispatch(&r, x)
		j.requests, j.splits = append(j.requests, r), append(j.splits, x)
	}
	return j
}

func (j *joint[T]) oneByOne(rec *vk.Recorder, ws *vk.Arena) {
	for i, r := range j.requests {
		j.gemm.record(rec, ws, r, j.splits[i])
	}
}

func (j *joint[T]) divide(ws *vk.Arena, used int) {
	for i, r := range j.requests {
		n := r.partials(j.splits[i])
		j.parts = append(j.parts, j.gemm.sums.room(ws, used, n))
		used += n
	}
}

func (j *joint[T]) multiply(rec *vk.Recorder) {
	for i, r := range j.requests {
		j.gemm.multiply(rec, r, j.splits[i], j.parts[i])
	}
}

func (j *joint[T]) add(rec *vk.Recorder) {
	for i, r := range j.requests {
		j.gemm.add(rec, r, j.splits[i], j.parts[i])
	}
}

func (g *tiledGemm[T]) inOneDispatch(r *request[T], x splitK) bool {
	tiles, most := g.tilesOf(r, x)
	return tiles <= most
}
