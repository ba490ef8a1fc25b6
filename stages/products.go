package stages

// ProductTuning is what is measured for the products.
type ProductTuning struct {
	Gemm     []Tile // largest first
	RankTwoK Tile   // square: M = N
	Symm     SymmTuning
	Fill     int // workgroups that keep the whole device busy
}

// Tile is how a product is cut: a workgroup owns M×N elements of the result, an
// invocation ThreadM×ThreadN of them, and the inner dimension is walked K at a time.
type Tile struct{ M, N, K, ThreadM, ThreadN uint32 }

// SymmTuning is what is measured for the symmetric product.
type SymmTuning struct{ Tile Tile }
