package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// TiledSymm is Symm (dsymm from the left) on the vector units: Gemm's tiles, where
// those of A right of its diagonal are read from below it, transposed.
//
// So each tile of A is read twice, once for each of its two uses. With n columns
// of W that is n/4 flops a byte, 8 with 32 columns: as much as a device has whose
// doubles run at 33 TFLOP/s over 4.3 TB/s, and more than most have. Reading a tile
// once would save what is not short, and cost a sum over workgroups.
type TiledSymm struct {
	cutter
	kernels []*vk.Kernel[shaders.SymmSpec, shaders.SymmPush[float64]] // one a tile
	parts   parts
}

// NewTiledSymm builds the kernels. It refuses tiles that the device cannot run.
func NewTiledSymm(dev *vk.Device, t ProductTuning) (*TiledSymm, error) {
	b := builder{dev: dev}
	s := &TiledSymm{cutter: newCutter(t)}
	for _, tile := range t.Tiles {
		if err := tile.fits(dev); err != nil {
			return nil, err
		}
		s.kernels = append(s.kernels, build(&b, shaders.Symm[float64](), shaders.SymmSpec(tile.spec())))
	}
	s.parts = newParts(&b, "partial symmetric products", s.room)
	return s, b.err
}

// Work is room for partial products.
func (s *TiledSymm) Work() *vk.Layout { return vk.Together(s.parts.region) }

// Record implements Symm.
func (s *TiledSymm) Record(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix) {
	s.record(rec, ws, a, w, p, s.choose(p.Rows, p.Cols, p.Rows, 1, 2))
}

func (s *TiledSymm) record(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix, x cut) {
	m, n := p.Rows, p.Cols
	if a.Rows != m || a.Cols != m || w.Rows != m || w.Cols != n {
		panic(fmt.Sprintf("stages: symm of %d×%d by %d×%d into %d×%d", a.Rows, a.Cols, w.Rows, w.Cols, m, n))
	}
	if m == 0 || n == 0 {
		return
	}
	push := shaders.SymmPush[float64]{
		A: a.Addr(), W: w.Addr(), P: p.Addr(), M: uint32(m), N: uint32(n), Lda: uint32(a.Ld), Ldw: uint32(w.Ld), Ldp: uint32(p.Ld),
		Stretch: uint32(x.stretch),
	}
	if x.splits > 1 {
		push.P, push.Ldp, push.StrideP = s.parts.room(ws, x.splits*m*n), push.M, uint64(m)*uint64(n)
	}
	grid := s.tiles[x.tile].grid(m, n)
	grid.Z = x.splits
	s.kernels[x.tile].Dispatch(rec, grid, push)
	rec.Costs(2 * float64(m) * float64(m) * float64(n))
	if x.splits > 1 {
		s.parts.record(rec, ws, x.splits, 1, 1, 0, p, 0)
	}
}
