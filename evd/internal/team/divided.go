package team

import (
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// divided are the stages of a solve in which all devices have a part of the matrix. The first
// device also solves the tridiagonal problem, if need be with the others (spectrum.Stage.Shared).
type divided[T spirv.Scalar] struct {
	dense.Lead[T]
	parts []*part[T] // the part of each device
}

// part is the stages and the memory of a device that has a part of the matrix, and at most `most`
// of the vectors. The comments give the sizes in elements.
type part[T spirv.Scalar] struct {
	*dense.Common[T]
	device, most int
	share        *reduce.BandShare[T]

	// The fields q2 to conquer are set only if vectors are wanted. The reflectors of Q1 arrive from
	// other devices block by block. If several devices solve the tridiagonal problem, `conquer` is
	// the device's part of it; on the first device it is nil.
	q2      dense.Q2[T]
	q1      *backs.ApplyQ1[T]
	orient  *dense.Orientation[T]
	panels  *residual.ResidualPanels[T]
	conquer *stedc.ConquerShare

	columns vk.Region[T] // the device's columns of A, then the reflectors of Q1 in these columns
	t       vk.Region[T] // b² for each panel: the block factors of Q1
	band    vk.Region[T] // 2·b·n: B in compact storage
	memory  dense.Q2Memory[T]
	vectors vk.Region[T] // n·most: the eigenvectors of A, written after the last use of the reflectors
	block   vk.Region[T] // reflectors of Q1 of another device
	lambda  vk.Region[T] // memory of the eigenvalues in a check

	// rows returns the memory of m vectors of the tridiagonal matrix, one per row.
	rows   func(ws *vk.Arena, m int) product.Matrix[float64]
	layout *vk.Layout
}

func newDivided[T spirv.Scalar](t *Team, cfg dense.Config) (Stages[T], error) {
	most := t.split.most(0, cfg.MostVectors(t.N))
	c, err := dense.NewCommon[T](t.Dev, t.N, cfg.MostVectors(t.N), cfg)
	if err != nil {
		return nil, err
	}
	d := &divided[T]{}
	if d.Lead, err = dense.NewLead(t.Dev, c, most); err != nil {
		return nil, err
	}
	if cfg.Vectors && d.Spectrum.Shared() { // the device has only its own vectors
		c.Doubles.HoldOnly(t.N, most)
	}
	v, tau := 0, 0
	if cfg.Vectors {
		v, tau = stages.ReflectorLen(t.N, c.Tune.Band)
	}
	first, err := newPart(t, t.Dev, c, 0, most, v, tau)
	if err != nil {
		return nil, err
	}
	first.rows = func(ws *vk.Arena, m int) product.Matrix[float64] { return d.Spectrum.Matrix(ws, m, t.N, max(m, 1)) }
	first.lay(append([]vk.Space{c.Doubles.Always()}, d.Spectrum.Always()...), d.Chase.Work(), d.Spectrum.Work())
	d.parts = []*part[T]{first}
	return d, t.onOthers(cfg, func(dev *vk.Device, device, most int) error {
		c, err := dense.NewCommon[T](dev, t.N, most, configOf(t.Dev, dev, &d.Lead))
		if err != nil {
			return err
		}
		p, err := newPart(t, dev, c, device, most, v, tau)
		if err != nil {
			return err
		}
		d.parts = append(d.parts, p)
		return p.layOther(dev, &d.Lead)
	})
}

// newPart makes the stages of a device for its part. The reflectors of Q2 have v and tau elements.
func newPart[T spirv.Scalar](t *Team, dev *vk.Device, c *dense.Common[T], device, most, v, tau int) (p *part[T], err error) {
	n, b := c.N, c.Tune.Band
	p = &part[T]{Common: c, device: device, most: most, memory: dense.ReserveQ2[T](v, tau)}
	size := reduce.BandSize{N: n, B: b, K: c.Tune.Block}
	blocks := reduce.DivideColumns(n, size.K, t.split.parts())
	ops := reduce.ShareOps[T]{Products: c.Products.Native, Updates: c.Products.Reduction}
	if p.share, err = reduce.NewBandShare(dev, size, blocks, device, t.split, ops, c.Waiting, c.Tune.Panel); err != nil {
		return nil, err
	}
	p.columns = vk.Reserve[T]("columns of A, Q1", p.share.Elements())
	p.t = vk.Reserve[T]("T of Q1", p.share.Panels()*b*b)
	p.band = vk.Reserve[T]("band", 2*b*n)
	if !c.Vectors {
		return p, nil
	}
	p.vectors = vk.Reserve[T]("vectors", n*most)
	p.lambda = vk.Reserve[T]("eigenvalues of a check", most)
	p.block = vk.Reserve[T]("Q1 of another device", n*min(n, size.K))
	back := backs.Size{N: n, B: b, M: most}
	if p.q1, err = backs.NewApplyQ1InBlocks(dev, back, size.K, c.Products.Vectors, c.Products.Emulated.Panel(c.Tune)); err != nil {
		return nil, err
	}
	if p.panels, err = residual.NewResidualPanels(dev, n, most, c.Products.Native); err != nil {
		return nil, err
	}
	m := most
	if device == 0 {
		m = c.Capacity(n) // the costs of the first device count the vectors of all devices
	}
	if p.q2, err = dense.NewQ2(dev, c, m, p.memory); err != nil {
		return nil, err
	}
	p.orient, err = dense.NewOrientation[T](dev, c.RowMajor)
	return p, err
}

// layOther lays out the memory of a device that is not the first one. Such a device has memory of
// its own for vectors of the tridiagonal matrix.
func (p *part[T]) layOther(dev *vk.Device, lead *dense.Lead[T]) (err error) {
	if !p.Vectors {
		p.lay(nil)
		return nil
	}
	elements, work := p.N*p.most, []vk.Space(nil)
	if lead.Spectrum.Shared() {
		t := p.Tune.Double()
		t.DivideConquer.Leaf = lead.Tune.Double().DivideConquer.Leaf
		if p.conquer, err = stedc.NewConquerShare(dev, p.N, p.device, p.Products.Tridiagonal, t.Products, t.DivideConquer); err != nil {
			return err
		}
		elements, work = p.conquer.Elements(p.most), []vk.Space{p.conquer.Work()}
	}
	x := vk.Reserve[float64]("vectors, transposed", elements)
	always := []vk.Space{x}
	for _, copied := range p.Doubles.Copied() {
		always = append(always, copied)
	}
	p.rows = func(ws *vk.Arena, m int) product.Matrix[float64] {
		return product.NewMatrix(x.In(ws), m, p.N, max(m, 1))
	}
	p.lay(always, work...)
	return nil
}

// lay lays out the memory. `always` is memory that is in use during the whole solve, and `work` are
// the workspaces between the reduction and the back transformation.
func (p *part[T]) lay(always []vk.Space, work ...vk.Space) {
	always = append([]vk.Space{p.t, p.band, p.Products.Work(), p.Products.Status(), p.share.Status()}, always...)
	work = append([]vk.Space{p.share.Work()}, work...)
	reflectors := vk.Together(p.columns, p.memory.V, p.memory.Tau)
	if p.Vectors {
		reflectors = vk.InTurn(reflectors, p.vectors)
		back := append([]vk.Space{vk.Together(p.block, p.q1.Work())}, p.q2.Work()...)
		back = append(back, vk.Together(p.lambda, p.panels.Work()))
		work = append(work, vk.Together(p.Doubles.Rows(), vk.InTurn(back...)))
	}
	p.layout = vk.Together(append(always, reflectors, vk.InTurn(work...))...)
}

func (d *divided[T]) Leader() *dense.Lead[T] { return &d.Lead }

// Costs returns the operations of all devices together, except for back transformation 1, whose
// operations are those of the first device.
func (d *divided[T]) Costs() []plan.StageCost {
	first := d.parts[0]
	costs := d.Lead.Costs(first.share.Flops(), first.q2.Costs())
	if d.Vectors {
		costs = append(costs, plan.StageCost{Stage: stages.PhaseApplyQ1, Flops: first.q1.Flops() * dense.RealFlops[T]()})
	}
	return costs
}

func (d *divided[T]) Layouts() (all []*vk.Layout) {
	for _, p := range d.parts {
		all = append(all, p.layout)
	}
	return all
}

func (d *divided[T]) linked() bool { return d.Vectors && !d.Spectrum.Shared() }

// The vectors of a divided matrix, and the reflectors for them, go from one device to all others in
// pieces (vk.Broadcast). The exchange has room for broadcastPieces of them, of at most largestPiece
// bytes.
const (
	broadcastPieces = 8
	largestPiece    = 16 << 20
)

// piece returns the size of a piece in bytes. Small matrices have smaller pieces.
func (t *Team) piece() int { return min(largestPiece, max(1<<16, 4*t.N*t.N)) }

func (d *divided[T]) exchanged(t *Team) int {
	bytes := d.places().bytes
	if d.Vectors {
		bytes = max(bytes, broadcastPieces*t.piece())
	}
	return bytes
}

// dividedSolve is a solve in which all devices have a part of the matrix.
type dividedSolve[T spirv.Scalar] struct {
	*divided[T]
	crew
}

func (d *divided[T]) Begin(t *Team, c *plan.Call) Solve[T] { return &dividedSolve[T]{d, t.newCrew(c)} }

// parties returns the parts of the devices in a broadcast between them. Only one broadcast at a
// time may be in progress.
func (g *dividedSolve[T]) parties() (all []*vk.Party) {
	b := vk.NewBroadcast(g.exchange, 0, broadcastPieces*g.piece(), g.piece(), len(g.calls))
	for k := range g.calls {
		all = append(all, b.Party(k))
	}
	return all
}

// Reduced tells the call of the first device which devices solve the tridiagonal problem, if
// several do.
func (g *dividedSolve[T]) Reduced() {
	if !g.Spectrum.Shared() {
		return
	}
	shared := &plan.Shared{Part: g.split.Of, Each: func(do func(k int) error) error {
		return g.gathered(func(k int, _ *plan.Call) error { return do(k) })
	}}
	for k, party := range g.parties() {
		p, c := g.parts[k], g.calls[k]
		d := stedc.ConquerDevice{Ctx: c.Ctx, Arena: c.Arena, Share: p.conquer, Profile: c.Profile, Party: party}
		if k > 0 {
			d.X.At = p.rows(c.Arena, 0).At
		}
		shared.Devices = append(shared.Devices, d)
	}
	g.calls[0].Shared = shared
}

// Cause returns err, because here no error is the consequence of another one.
func (g *dividedSolve[T]) Cause(err error) error { return err }

func (g *dividedSolve[T]) Downloads(into func(m int) vk.Columns[T]) []spectrum.Vectors[T] {
	if !g.Vectors {
		return nil
	}
	return []spectrum.Vectors[T]{{Rows: g.Lead.N, RowMajor: g.RowMajor, Into: into, Fetch: g.fetch}}
}
