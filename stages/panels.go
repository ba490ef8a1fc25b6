package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// panels factors the panels of a matrix. A panel is a block of b neighbouring columns; the last
// panel may have fewer.
type panels[T spirv.Scalar] struct {
	b    int // columns of all panels but the last
	full panelStages[T]
	last panelStages[T] // equal to full if the last panel has b columns
}

// panelStages holds the stages that factor panels of one width and compute their triangular factors
// T.
type panelStages[T spirv.Scalar] struct {
	qr     *PanelQR[T]
	factor *TFactor[T]
}

// newPanels prepares the factorisation of n columns in panels of b columns, with at most m rows.
func newPanels[T spirv.Scalar](dev *vk.Device, m, n, b int, ops product.Ops[T], w Waiting, t PanelTuning) (panels[T], error) {
	p := panels[T]{b: b}
	var err error
	if p.full, err = newPanelStages(dev, m, b, ops, w, t); err != nil {
		return p, err
	}
	p.last = p.full
	if last := n % b; last > 0 {
		p.last, err = newPanelStages(dev, m, last, ops, w, t)
	}
	return p, err
}

// newPanelStages prepares the stages that factor panels of b columns with at most m rows.
func newPanelStages[T spirv.Scalar](dev *vk.Device, m, b int, ops product.Ops[T], w Waiting, t PanelTuning) (s panelStages[T], err error) {
	if s.qr, err = NewPanelQR[T](dev, b, w, t); err != nil {
		return s, err
	}
	s.factor, err = NewTFactor(dev, m, b, ops, t)
	return s, err
}

// of returns the stages that factor a panel with `cols` columns. `cols` is b, or the width of the
// last panel.
func (p *panels[T]) of(cols int) panelStages[T] {
	if cols < p.b {
		return p.last
	}
	return p.full
}

// different returns the stages `full` for panels of b columns and `last` for the last panel, or
// only `full` if both are the same stages.
func (p *panels[T]) different() []panelStages[T] {
	if p.last == p.full {
		return []panelStages[T]{p.full}
	}
	return []panelStages[T]{p.full, p.last}
}

// inTurn lists the workspaces of all stages. The workspaces can share memory, because no two of
// them are in use at the same time.
func (p *panels[T]) inTurn() (spaces []vk.Space) {
	for _, s := range p.different() {
		spaces = append(spaces, s.qr.Work(), s.factor.Work())
	}
	return spaces
}

// Status is the layout of the memory of the INFO words. The caller must read the words, which the
// method Infos returns, before this memory is overwritten.
func (p *panels[T]) Status() *vk.Layout {
	var all []vk.Space
	for _, s := range p.different() {
		all = append(all, s.qr.Status())
	}
	return vk.Together(all...)
}

// Infos returns INFO words that are 0 after a successful run. PanelQR.Info explains the other
// values, for which the results are undefined.
func (p *panels[T]) Infos(ws *vk.Arena) (infos []vk.Slice[uint32]) {
	for _, s := range p.different() {
		infos = append(infos, s.qr.Info(ws))
	}
	return infos
}

// begin records that the INFO words are cleared. It must be called before the first panel is
// recorded.
func (p *panels[T]) begin(rec *vk.Recorder, ws *vk.Arena) {
	for _, s := range p.different() {
		s.qr.begin(rec, ws)
	}
}
