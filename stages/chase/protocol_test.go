package chase

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// chaseModel is a model in plain Go of the chasing kernel whose sweeps wait for each other by
// flags. The model says which data a sweep loads, stores and publishes, and when. Between two
// actions of one sweep, actions of any other sweep may happen, as on a device.
type chaseModel struct {
	n, b, lead int
	band       []float64
	flags      []int
	sweeps     []sweepModel
}

// sweepModel is one sweep in flight, with the data that its workgroup has in registers and shared
// memory.
type sweepModel struct {
	j, act  int
	a, d, c map[[2]int]float64 // elements of the blocks, by row and column
	late    func()             // stores D of the step before
	v       []float64
	tau     float64
}

// These are the actions of a step of the bulge chasing, in their order. A sweep begins with loadX.
// After its last step, a sweep stores the block that it has not stored yet, and ends.
const (
	loadX = iota
	loadDC
	storeBeta
	storeLate
	publish
	storeA // the model stores A last, as the kernel with teams does; the other kernel is safer, because it stores A before it publishes
	end
)

const modelEnd = 1 << 30

func newChaseModel(n, b, lead int, band []float64) *chaseModel {
	return &chaseModel{n: n, b: b, lead: lead, band: slices.Clone(band), flags: make([]int, n-2), sweeps: make([]sweepModel, n-2)}
}

func (m *chaseModel) at(row, col int) *float64 { return &m.band[row-col+col*2*m.b] }

// `where` returns the first row r of the current step of sweep s, the length of its reflector, and
// the number of rows of the block C below it.
func (m *chaseModel) where(s int) (r, length, low int) {
	r = s + 1 + m.sweeps[s].j*m.b
	length = min(m.b, m.n-r)
	return r, length, min(m.b, m.n-r-length)
}

// ready tells whether the next action of sweep s may begin: an action that waits needs the flag of
// the previous sweep.
func (m *chaseModel) ready(s int) bool {
	w := &m.sweeps[s]
	need := 0
	switch w.act {
	case loadX:
		need = m.lead
	case loadDC:
		need = w.j + 1 + m.lead
	case end:
		return false
	}
	return s == 0 || m.flags[s-1] >= need
}

func (m *chaseModel) load(row, rows, col, cols int, lower bool) map[[2]int]float64 {
	x := map[[2]int]float64{}
	for k := range cols {
		for i := range rows {
			if !lower || i >= k {
				x[[2]int{i, k}] = *m.at(row+i, col+k)
			}
		}
	}
	return x
}

func (m *chaseModel) act(s int) {
	w := &m.sweeps[s]
	r, length, low := m.where(s)
	width := m.b
	if w.j == 0 {
		width = 1
	}
	next := w.act + 1
	switch w.act {
	case loadX:
		w.a = m.load(r, length, s, 1, false)
	case loadDC:
		w.d = m.load(r, length, r, length, true)
		w.c = m.load(r+length, low, r, length, false)
	case storeBeta:
		w.v = make([]float64, length)
		for i := range w.v {
			w.v[i] = w.a[[2]int{i, 0}]
		}
		*m.at(r, r-width), w.tau = ref.Householder(w.v)
	case storeLate:
		if w.late != nil {
			w.late()
		}
		w.late = nil
		if r >= m.n {
			m.flags[s], next = modelEnd, end
			break
		}
		w.late = m.updateDC(w, r, length, low)
	case publish:
		m.flags[s] = w.j + 1
	case storeA:
		m.updateA(w, r, length, width)
		w.a = w.c
		w.j++
		next = loadDC
		if r+length >= m.n {
			next = storeLate
		}
	}
	w.act = next
}

func (m *chaseModel) updateA(w *sweepModel, r, length, width int) {
	for k := range width {
		var dot float64
		for i, v := range w.v {
			dot += v * w.a[[2]int{i, k}]
		}
		for i, v := range w.v {
			switch {
			case k > 0:
				*m.at(r+i, r-width+k) = w.a[[2]int{i, k}] - w.tau*dot*v
			case i > 0:
				*m.at(r+i, r-width) = 0
			}
		}
	}
}

// updateDC applies the reflector H of a bulge chasing step to the blocks C and D of the band. It
// replaces w.c by C·H, and returns a function that stores H·D·H to the band.
func (m *chaseModel) updateDC(w *sweepModel, r, length, low int) func() {
	for i := range low {
		var dot float64
		for k, v := range w.v {
			dot += w.c[[2]int{i, k}] * v
		}
		for k, v := range w.v {
			w.c[[2]int{i, k}] -= w.tau * dot * v
		}
	}
	q := make([]float64, length)
	var both float64
	for i := range q {
		for k, v := range w.v {
			q[i] += w.d[[2]int{max(i, k), min(i, k)}] * v
		}
		both += q[i] * w.v[i]
	}
	d, v, tau := w.d, w.v, w.tau
	return func() {
		for i := range q {
			q[i] = tau*q[i] - tau*tau/2*both*v[i]
		}
		for k := range length {
			for i := k; i < length; i++ {
				*m.at(r+i, r+k) = d[[2]int{i, k}] - v[i]*q[k] - q[i]*v[k]
			}
		}
	}
}

// run does all actions of all sweeps of the model. While the next action of some sweep may begin,
// the function `choose` selects one of these sweeps, and its next action is done. At the end run
// returns the band.
func (m *chaseModel) run(choose func(ready []int) int) []float64 {
	for {
		var ready []int
		for s := range m.sweeps {
			if m.ready(s) {
				ready = append(ready, s)
			}
		}
		if len(ready) == 0 {
			return m.band
		}
		m.act(choose(ready))
	}
}

// TestChaseProtocol checks how sweeps wait for each other by flags. Each sweep must be chaseLead =
// 2 steps ahead of the next sweep. The test runs the sweeps in many orders that this rule allows.
// The result must be the same as if the sweeps ran one after another. If a sweep is only one step
// ahead, the result must be different.
func TestChaseProtocol(t *testing.T) {
	oldest := func(ready []int) int { return ready[0] }
	newest := func(ready []int) int { return ready[len(ready)-1] }
	for _, shape := range [][2]int{{3, 2}, {5, 2}, {9, 4}, {12, 3}, {23, 2}, {30, 3}, {31, 5}, {17, 20}} {
		n, b := shape[0], shape[1]
		band := stagetest.RandomBand(n, b)
		want := newChaseModel(n, b, chaseLead, band).run(oldest)
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 1))
			choose := func(ready []int) int {
				if r.IntN(8) > 0 {
					return newest(ready)
				}
				return ready[r.IntN(len(ready))]
			}
			if seed == 0 {
				choose = newest
			}
			if !stagetest.SameBits(newChaseModel(n, b, chaseLead, band).run(choose), want) {
				t.Fatalf("n=%d b=%d: order %d gives another result", n, b, seed)
			}
		}
		if n < 4*b {
			continue // the band is so short that two sweeps never work near each other
		}
		if stagetest.SameBits(newChaseModel(n, b, chaseLead-1, band).run(newest), want) {
			t.Errorf("n=%d b=%d: a shorter lead makes no difference", n, b)
		}
	}
}

// TestChaseAccessesAreNotPrivate checks that no load or store of the band in the bulge chasing
// kernels is private to an invocation, because the flags order only accesses that are not private.
func TestChaseAccessesAreNotPrivate(t *testing.T) {
	const wantLoads, wantOutStores = 3, 2 // the loads of A, C and D; the stores of V and Tau, which no invocation of this dispatch loads
	for _, code := range [][]byte{shaders.Sb2stChase[float64]().Code, shaders.Sb2stTeams[float64]().Code} {
		got := stagetest.AccessesOf(code)
		if got.Loads != wantLoads || got.PrivateLoads != 0 || got.PrivateStores != wantOutStores {
			t.Errorf("%+v; want %d loads, none private, and %d private stores", got, wantLoads, wantOutStores)
		}
	}
}
