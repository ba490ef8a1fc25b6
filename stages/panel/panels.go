package panel

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Factorisation factors the panels of a matrix. The last panel may have fewer than b columns.
type Factorisation[T spirv.Scalar] struct {
	b    int // columns of all panels but the last
	Full panelStages[T]
	last panelStages[T] // equal to full if the last panel has b columns
}

type panelStages[T spirv.Scalar] struct {
	QR     *QR[T]
	Factor *TFactor[T]
}

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

func newPanelStages[T spirv.Scalar](dev *vk.Device, m, b int, ops product.Ops[T], w stages.Waiting, t Tuning) (s panelStages[T], err error) {
	if s.QR, err = NewQR[T](dev, b, w, t); err != nil {
		return s, err
	}
	s.Factor, err = NewTFactor(dev, m, b, ops, t)
	return s, err
}

// Of returns the stages for a panel with `cols` columns. `cols` is b, or the number of columns of
// the last panel.
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

// InTurn lists the workspaces of all stages. They can share memory: only one is in use at a time.
func (p *Factorisation[T]) InTurn() (spaces []vk.Space) {
	for _, s := range p.different() {
		spaces = append(spaces, s.QR.Work(), s.Factor.Work())
	}
	return spaces
}

// Status is the memory of the words of Infos.
func (p *Factorisation[T]) Status() *vk.Layout {
	var all []vk.Space
	for _, s := range p.different() {
		all = append(all, s.QR.Status())
	}
	return vk.Together(all...)
}

// Infos returns the INFO words, whose values QR.Info explains.
func (p *Factorisation[T]) Infos(ws *vk.Arena) (infos []vk.Slice[uint32]) {
	for _, s := range p.different() {
		infos = append(infos, s.QR.Info(ws))
	}
	return infos
}

// Begin clears the INFO words, before the first panel.
func (p *Factorisation[T]) Begin(rec *vk.Recorder, ws *vk.Arena) {
	for _, s := range p.different() {
		s.QR.Begin(rec, ws)
	}
}
