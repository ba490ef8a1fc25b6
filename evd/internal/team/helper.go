package team

import (
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Undivided are the stages of a solve in which the first device reduces the matrix.
type Undivided[T spirv.Scalar] struct {
	*dense.Stages[T]
	Helpers []*Helper[T] // one for each further device
}

func newUndivided[T spirv.Scalar](t *Team, cfg dense.Config) (Stages[T], error) {
	first, err := dense.New[T](t.Dev, t.N, cfg)
	if err != nil {
		return nil, err
	}
	u := &Undivided[T]{Stages: first}
	return u, t.onOthers(cfg, func(dev *vk.Device, _, most int) error {
		h, err := newHelper(t.Dev, dev, first, most)
		u.Helpers = append(u.Helpers, h)
		return err
	})
}

// Unsolved are the sizes of matrices of order 0, without stages.
func Unsolved[T spirv.Scalar](dev *vk.Device, cfg dense.Config) (Stages[T], error) {
	s, err := dense.Unsolved[T](dev, cfg)
	return &Undivided[T]{Stages: s}, err
}

func (u *Undivided[T]) Leader() *dense.Lead[T] { return &u.Lead }

func (u *Undivided[T]) Layouts() []*vk.Layout {
	all := []*vk.Layout{u.Layout()}
	for _, h := range u.Helpers {
		all = append(all, h.layout)
	}
	return all
}

func (u *Undivided[T]) linked() bool        { return u.Vectors }
func (u *Undivided[T]) exchanged(*Team) int { return 0 }

// Helper is the stages and the memory of a device that only transforms vectors back. The reflectors
// come from the first device.
type Helper[T spirv.Scalar] struct {
	dense.Back[T]
	reflectors dense.Reflectors[T] // memory with the sizes that the reflectors have on the first device
	x          vk.Region[float64]  // some eigenvectors of the tridiagonal matrix, one per row
	layout     *vk.Layout
}

// newHelper makes the back transformation Q = Q1·(Q2·S) of at most m columns of S, the eigenvectors
// of the tridiagonal matrix, into the columns of Q with the same numbers. `of` has the stages of
// the first device.
func newHelper[T spirv.Scalar](first, dev *vk.Device, of *dense.Stages[T], m int) (*Helper[T], error) {
	c, err := dense.NewCommon[T](dev, of.N, m, configOf(first, dev, &of.Lead))
	if err != nil {
		return nil, err
	}
	c.OneStage = of.OneStage
	h := &Helper[T]{x: vk.Reserve[float64]("vectors, transposed", c.N*m), reflectors: of.ReserveReflectors("Q1, vectors")}
	if h.Back, err = dense.NewBack(dev, c, m, h.reflectors); err != nil {
		return nil, err
	}
	r := &h.reflectors
	all := []vk.Space{r.A, r.T, r.V, r.Tau, h.x, c.Products.Work(), c.Products.Status(),
		c.Doubles.Rows(), vk.InTurn(h.Work()...)}
	for _, copied := range c.Doubles.Copied() {
		all = append(all, copied)
	}
	h.layout = vk.Together(all...)
	return h, nil
}

// rows returns the memory of m vectors S, one per row.
func (h *Helper[T]) rows(ws *vk.Arena, m int) product.Matrix[float64] {
	return product.NewMatrix(h.x.In(ws), m, h.N, max(m, 1))
}

// transformBack transforms vectors, one per row of x, and returns the matrix to download.
func (h *Helper[T]) transformBack(c *plan.Call, x product.Matrix[float64]) (q product.Matrix[T], err error) {
	if x.Rows == 0 {
		return h.To(c.Arena, x), nil
	}
	return h.Transform(c, func(rec *vk.Recorder) { h.Products.Begin(rec, c.Arena) }, x)
}
