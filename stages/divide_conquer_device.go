package stages

import (
	"context"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/vk"
)

// conversation is one solve under way: the device's side of ref.DCBackend,
// which says what each method has to do.
type conversation struct {
	*DivideConquer
	ctx        context.Context
	ws         *vk.Arena
	xt         Matrix
	profile    *vk.Profile
	begin, end []int32 // by column: the rows of its block of Q
	level      *level  // what Roots prepared for Merge
}

const tridiagonalPhase = "tridiagonal solve"

// run executes one exchange.
func (c *conversation) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(c.dev)
	rec.Phase(tridiagonalPhase, 0, 0)
	record(rec)
	p, err := c.dev.Run(c.ctx, rec, nil)
	c.profile.Merge(p)
	return err
}

func send[T any](c *conversation, to vk.Region[T], v []T) error {
	if len(v) == 0 {
		return nil
	}
	return vk.Upload(c.ctx, c.dev, to.In(c.ws), vk.Vector(v))
}

// Leaves implements ref.DCBackend.
func (c *conversation) Leaves(leaves []ref.DCLeaf) error {
	c.begin, c.end = make([]int32, c.n), make([]int32, c.n)
	var list []uint32
	var packed []float64
	largest := 0
	for _, l := range leaves {
		list = append(list, uint32(l.Lo), uint32(l.N), uint32(len(packed)))
		packed = append(packed, l.Vectors...)
		largest = max(largest, l.N)
		c.block(l.Lo, l.Lo+l.N)
	}
	if err := firstError(send(c, c.leaf, list), send(c, c.packed, packed), send(c, c.info, []uint32{0})); err != nil {
		return err
	}
	return c.run(func(rec *vk.Recorder) {
		c.leaves.Dispatch(rec, inY(vk.Tiles(largest*largest, c.tune.Threads), len(leaves)), shaders.StedcLeavesPush{
			Leaves: c.leaf.In(c.ws).Addr(), Packed: c.packed.In(c.ws).Addr(), Q: c.q.In(c.ws).Addr(), Ld: uint32(c.n), Count: uint32(len(leaves)),
		})
	})
}

// block notes that rows and columns [lo, hi) are one block of Q.
func (c *conversation) block(lo, hi int) {
	for i := lo; i < hi; i++ {
		c.begin[i], c.end[i] = int32(lo), int32(hi)
	}
}

// Borders implements ref.DCBackend.
func (c *conversation) Borders(pairs []ref.DCPair, z []float64) error {
	rows := make([]int32, c.n)
	for i := range rows {
		rows[i] = -1
	}
	for _, p := range pairs {
		cut := p.Lo + p.N1
		for i := p.Lo; i < cut; i++ {
			rows[i] = int32(cut - 1)
		}
		for i := cut; i < p.Hi(); i++ {
			rows[i] = int32(cut)
		}
	}
	if err := send(c, c.row, rows); err != nil {
		return err
	}
	err := c.run(func(rec *vk.Recorder) {
		c.borders.Dispatch(rec, vk.Grid(vk.Tiles(c.n, c.tune.Threads)), shaders.StedcBordersPush{
			Q: c.q.In(c.ws).Addr(), Row: c.row.In(c.ws).Addr(), Z: c.z.In(c.ws).Addr(), N: uint32(c.n), Ld: uint32(c.n),
		})
	})
	if err != nil {
		return err
	}
	got := make([]float64, c.n)
	if err := vk.Download(c.ctx, c.dev, vk.Vector(got), c.z.In(c.ws)); err != nil {
		return err
	}
	for i, r := range rows {
		if r >= 0 {
			z[i] = got[i]
		}
	}
	return nil
}

// Roots implements ref.DCBackend. What Merge needs is sent here, too.
func (c *conversation) Roots(merges []*ref.DCMerge) error {
	l := newLevel(c.n, merges)
	c.level = l
	err := firstError(
		send(c, c.merges, l.merges), send(c, c.chains, l.chains), send(c, c.rho, l.rho), send(c, c.d, l.d), send(c, c.z, l.z),
		send(c, c.cos, l.cos), send(c, c.sin, l.sin), send(c, c.row, l.row), send(c, c.src, l.src), send(c, c.dst, l.dst),
	)
	if err != nil {
		return err
	}
	err = c.run(func(rec *vk.Recorder) {
		c.secular.Dispatch(rec, vk.Groups{X: vk.Tiles(l.poles, c.tune.Threads), Y: len(merges), Z: 1}, shaders.StedcSecularPush{
			Merges: c.merges.In(c.ws).Addr(), Rho: c.rho.In(c.ws).Addr(), D: c.d.In(c.ws).Addr(), Z: c.z.In(c.ws).Addr(),
			Origin: c.origin.In(c.ws).Addr(), Mu: c.mu.In(c.ws).Addr(), Info: c.info.In(c.ws).Addr(),
		})
	})
	if err != nil {
		return err
	}
	origin, mu, info := make([]int32, c.n), make([]float64, c.n), make([]uint32, 1)
	err = firstError(
		vk.Download(c.ctx, c.dev, vk.Vector(origin), c.origin.In(c.ws)), vk.Download(c.ctx, c.dev, vk.Vector(mu), c.mu.In(c.ws)),
		vk.Download(c.ctx, c.dev, vk.Vector(info), c.info.In(c.ws)),
	)
	if err != nil {
		return err
	}
	if info[0] != 0 {
		return &InfoError{"divide and conquer", info[0]}
	}
	for _, m := range merges {
		m.Origin, m.Mu = origin[m.Lo:m.Lo+m.K], mu[m.Lo:m.Lo+m.K]
	}
	return nil
}

// Merge implements ref.DCBackend.
func (c *conversation) Merge(merges []*ref.DCMerge) error {
	for _, m := range merges {
		c.block(m.Lo, m.Hi())
	}
	return c.run(func(rec *vk.Recorder) { c.record(rec, c.level, merges) })
}

// record is the work on Q of one level: gather, form the vectors, multiply half by half.
func (c *conversation) record(rec *vk.Recorder, l *level, merges []*ref.DCMerge) {
	ws, t, ld := c.ws, c.tune.Threads, uint32(c.n)
	list, d, row := c.merges.In(ws).Addr(), c.d.In(ws).Addr(), c.row.In(ws).Addr()
	origin, mu, zhat := c.origin.In(ws).Addr(), c.mu.In(ws).Addr(), c.zhat.In(ws).Addr()
	q, w, s := c.q.In(ws), c.xt, c.s.In(ws)
	c.gather.Dispatch(rec, inY(vk.Tiles(l.rows, t), len(l.chains)/chainWords), shaders.StedcGatherPush{
		Merges: list, Chains: c.chains.In(ws).Addr(), Src: c.src.In(ws).Addr(), Dst: c.dst.In(ws).Addr(),
		Cos: c.cos.In(ws).Addr(), Sin: c.sin.In(ws).Addr(), Q: q.Addr(), W: w.Addr(), Ld: ld, Count: uint32(len(l.chains) / chainWords),
	})
	c.weights.Dispatch(rec, vk.Groups{X: vk.Tiles(l.poles, t), Y: len(merges), Z: 1}, shaders.StedcWeightsPush{
		Merges: list, D: d, Z: c.z.In(ws).Addr(), Origin: origin, Mu: mu, Zhat: zhat,
	})
	c.vectors.Dispatch(rec, vk.Groups{X: l.poles, Y: len(merges), Z: 1}, shaders.StedcVectorsPush{
		Merges: list, D: d, Origin: origin, Mu: mu, Zhat: zhat, Row: row, S: s.Addr(), Ld: ld,
	})
	qm, wm, sm := NewMatrix(q, c.n, c.n, c.n), NewMatrix(w.At, c.n, c.n, c.n), NewMatrix(s, c.n, c.n, c.n)
	for _, m := range merges {
		lo, mid, n2, j, cols := m.Lo, m.Lo+m.N1, m.N()-m.N1, m.Lo+m.From, m.To-m.From
		c.gemm.Record(rec, ws, NoTrans, NoTrans, 1, wm.Block(lo, lo, m.N1, m.Upper), sm.Block(lo, j, m.Upper, cols), 0, qm.Block(lo, j, m.N1, cols))
		c.gemm.Record(rec, ws, NoTrans, NoTrans, 1, wm.Block(mid, lo+m.Lower, n2, m.K-m.Lower), sm.Block(lo+m.Lower, j, m.K-m.Lower, cols),
			0, qm.Block(mid, j, n2, cols))
	}
	c.deflated.Dispatch(rec, vk.Groups{X: vk.Tiles(l.rows, t), Y: min(l.deflated, deflatedGroups), Z: len(merges)}, shaders.StedcDeflatedPush{
		Merges: list, W: w.Addr(), Q: q.Addr(), Ld: ld,
	})
}

// deflatedGroups bounds a grid dimension; the kernel strides over the rest.
const deflatedGroups = 4096

// Sort implements ref.DCBackend.
func (c *conversation) Sort(order []int32) error {
	if err := firstError(send(c, c.order, order), send(c, c.from, c.begin), send(c, c.to, c.end)); err != nil {
		return err
	}
	return c.run(func(rec *vk.Recorder) {
		c.sort.Dispatch(rec, vk.Groups{X: vk.Tiles(len(order), sortTile), Y: vk.Tiles(c.n, sortTile), Z: 1}, shaders.StedcSortPush{
			Q: c.q.In(c.ws).Addr(), Order: c.order.In(c.ws).Addr(), From: c.from.In(c.ws).Addr(), To: c.to.In(c.ws).Addr(),
			X: c.xt.Addr(), N: uint32(c.n), M: uint32(len(order)), Ldq: uint32(c.n), Ldx: uint32(c.xt.Ld),
		})
	})
}

// level is the merges of one level in the arrays that the kernels read: those of a merge stand
// from its first column on.
type level struct {
	merges, chains        []uint32
	rho, d, z, cos, sin   []float64
	row, src, dst         []int32
	rows, poles, deflated int // the largest of the level
}

func newLevel(n int, merges []*ref.DCMerge) *level {
	reals := func() []float64 { return make([]float64, n) }
	ints := func() []int32 { return make([]int32, n) }
	l := &level{d: reals(), z: reals(), cos: reals(), sin: reals(), row: ints(), src: ints(), dst: ints()}
	for i, m := range merges {
		l.merges = append(l.merges, uint32(m.Lo), uint32(m.N1), uint32(m.N()), uint32(m.K), uint32(m.Upper), uint32(m.Lower))
		l.rho = append(l.rho, m.Rho)
		copy(l.d[m.Lo:], m.D)
		copy(l.z[m.Lo:], m.Z)
		copy(l.cos[m.Lo:], m.Cos)
		copy(l.sin[m.Lo:], m.Sin)
		copy(l.row[m.Lo:], m.Row)
		copy(l.src[m.Lo:], m.Src)
		copy(l.dst[m.Lo:], m.Dst)
		for c := range len(m.Chain) - 1 {
			l.chains = append(l.chains, uint32(i), uint32(m.Chain[c]), uint32(m.Chain[c+1]))
		}
		l.rows, l.poles, l.deflated = max(l.rows, m.N()), max(l.poles, m.K), max(l.deflated, m.N()-m.K)
	}
	return l
}

// inY is a grid with x workgroups in x and count in y, folded into z where one
// dimension cannot hold them.
func inY(x, count int) vk.Groups {
	f := vk.Folded(count)
	return vk.Groups{X: x, Y: f.X, Z: f.Y}
}
