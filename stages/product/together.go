package product

import "github.com/vkevd/vkevd/vk"

// GemmTogether implements the interface Ops. Each product has the tile and the split that it would
// have alone, so that its bits are the same. If their partial products (of split-K) do not fit the
// workspace together, or if a product costs more flops than one dispatch may, the products run one
// after another.
func (g *tiledGemm[T]) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...Product[T]) {
	requests, splits := make([]request[T], 0, len(products)), make([]splitK, 0, len(products))
	needed, fit := 0, true
	for _, p := range products {
		r := single(p.OpA, p.OpB, 1, Pair[T]{p.A, p.B}, 0, p.C)
		if r.leavesC() {
			continue
		}
		x := g.choose(r.problem())
		needed += r.partials(x)
		fit = fit && r.inner() != [2]int{} && g.inOneDispatch(&r, x)
		requests, splits = append(requests, r), append(splits, x)
	}
	if !fit || needed > g.capacity {
		for i, r := range requests {
			g.record(rec, ws, r, splits[i])
		}
		return
	}
	parts, used := make([]vk.Slice[T], len(requests)), 0
	rec.Concurrently(func() {
		for i, r := range requests {
			n := r.partials(splits[i])
			parts[i] = g.sums.room(ws, used, n)
			used += n
			g.multiply(rec, r, splits[i], parts[i])
		}
	})
	rec.Concurrently(func() {
		for i, r := range requests {
			g.add(rec, r, splits[i], parts[i])
		}
	})
}

// inOneDispatch returns whether a product, with the given tile and split, costs at most as many
// flops as one dispatch may.
func (g *tiledGemm[T]) inOneDispatch(r *request[T], x splitK) bool {
	tiles, most := g.tilesOf(r, x)
	return tiles <= most
}
