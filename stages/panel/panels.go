package panel

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Factorisation factors the panels of a matrix. A panel is a block of b neighbouring columns; the last
// panel may have fewer.
type Factorisation[T spirv.Scalar] struct {
	b    int // columns of all panels but the last
	Full panelStages[T]
	last panelStages[T] // equal to full if the last panel has b columns
}

// panelStages holds the stages that factor panels of one width and compute their triangular factors
// T.
type panelStages[T spirv.Scalar] struct {
	QR     *QR[T]
	Factor *TFactor[T]
}

// NewFactorisation prepares the factorisation of n columns in panels of b columns, with at most m rows.
func NewFactorisation[T spirv.Scalar](dev *vk.Device, m, n, b int, ops product.Ops[T], w stages.Waiting, t Tuning) (Factorisation[T], error) {
	p := Factorisation[T]{b: b}
	var err error
	if p.Full, err = newPanelStages(dev, m, b, ops, w, t); err != nil {
		return p, err
	}
	p.last = p.Full
	if last := n % b; last > 0 {
		p.last, err = newPanelStages(dev, m, last, ops, w, t)
	}
	return p, err
}

// newPanelStages prepares the stages that factor panels of b columns with at most m rows.
func newPanelStages[T spirv.Scalar](dev *vk.Device, m, b int, ops product.Ops[T], w stages.Waiting, t Tuning) (s panelStages[T], err error) {
	if s.QR, err = NewQR[T](dev, b, w, t); err != nil {
		return s, err
	}
	s.Factor, err = NewTFactor(dev, m, b, ops, t)
	return s, err
}

// Of returns the stages that factor a panel with `cols` columns. `cols` is b, or the width of the
// last panel.
func (p *Factorisation[T]) Of(cols int) panelStages[T] {
	if cols < p.b {
		return p.last
	}
	return p.Full
}

func (p *Factorisation[T]) different() []panelStages[T] {
	if p.last == p.Full {
		return []panelStages[T]{p.Full}
	}
	return []panelStages[T]{p.Full, p.last}
}

// InTurn lists the workspaces of all stages. The workspaces can share memory, because no two of
// them are in use at the same time.
func (p *Factorisation[T]) InTurn() (spaces []vk.Space) {
	for _, s := range p.different() {
		spaces = append(spaces, s.QR.Work(), s.Factor.Work())
	}
	return spaces
}

// Status is the layout of the memory of the INFO words. The caller must read the words, which the
// method Infos returns, before this memory is overwritten.
func (p *Factorisation[T]) Status() *vk.Layout {
	var all []vk.Space
	for _, s := range p.different() {
		all = append(all, s.QR.Status())
	}
	return vk.Together(all...)
}

// Infos returns INFO words that are 0 after a successful run. PanelQR.Info explains the other
// values, for which the results are undefined.
func (p *Factorisation[T]) Infos(ws *vk.Arena) (infos []vk.Slice[uint32]) {
	for _, s := range p.different() {
		infos = append(infos, s.QR.Info(ws))
	}
	return infos
}

// Begin records that the INFO words are cleared. It must be called before the first panel is
// recorded.
func (p *Factorisation[T]) Begin(rec *vk.Recorder, ws *vk.Arena) {
	for _, s := range p.different() {
		s.QR.Begin(rec, ws)
	}
}
