package batch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tuning is the set of sizes for batches of small matrices. A matrix is solved by the kernels of
// the first row whose Order is at least the order of the matrix; the rows of Shared come before the
// rows of Memory.
type Tuning struct {
	Shared []Shared // for matrices in shared memory; orders ascend
	Memory []Memory // for larger matrices; orders ascend
	Pairs  []Pair   // for pairs of matrices; orders ascend

	// Dispatch is the largest cost of one dispatch in flops. One workgroup does at most 1/64 of
	// this work.
	Dispatch float64
}

// Shared is a row of sizes of the kernel syev_batch, which solves matrices in shared memory.
type Shared struct {
	Order    uint32 // largest order, at least 2
	Team     uint32 // invocations that solve a matrix
	Matrices uint32 // matrices that a workgroup solves at the same time
	Apart    uint32 // invocations of a workgroup besides the teams; 0, or at least Matrices

	Values bool `json:",omitempty"` // whether the row is only for solves without vectors
}

// Memory is a row of sizes of the kernels for matrices that are too large for shared memory. One
// workgroup works on each matrix. But steqr_batch has several matrices in a workgroup (Matrices),
// and org2l_batch and lasr_batch may have several workgroups for a matrix.
type Memory struct {
	Order   uint32 // largest order
	Threads uint32 // invocations of a workgroup of stebz_batch and lasrt_batch
	Teams   uint32 // invocations of sytd2_batch that share a row: Threads times as many
	Block   uint32 `json:",omitempty"` // columns of which sytd2_batch does the updates together; 0 means 1
	Form    Form   `json:",omitzero"`
	Conquer bool   `json:",omitempty"` // whether divide and conquer replaces QL iteration (steqr_batch and lasr_batch)

	// Rows is the number of rows of a matrix that an invocation of sytd2_batch processes at the same
	// time. Matrices is the number of matrices in a workgroup of steqr_batch. 0 means 1.
	Rows     uint32 `json:",omitempty"`
	Matrices uint32 `json:",omitempty"`

	Turns Turns `json:",omitzero"` // with Conquer, Matrices and Turns are for a search that tries QL iteration
}

// Form has the sizes of org2l_batch. 0 means 1.
type Form struct {
	Threads uint32 // invocations of a workgroup
	Lanes   uint32 // invocations that compute the same columns of Q, at most a subgroup
	Columns uint32 // columns that they compute
}

// Turns has the sizes of lasr_batch. 0 means 1.
type Turns struct {
	Threads uint32 // invocations of a workgroup
	Rows    uint32 // rows of a matrix that an invocation has
	Sweeps  uint32 // sweeps of QL iteration in one pass over the columns
}

// Pair is a row of sizes of the kernels for pairs: potrf_batch, sygst_batch and trsm_batch. The last row
// is for all larger orders, too.
type Pair struct {
	Order uint32 // largest order
	Tile  uint32 // order of a block
	Each  uint32 // rows and columns of a block that an invocation has; a divisor of Tile
}

// Order returns the largest order of a batch, or 0 if t has no kernels.
func (t Tuning) Order() int {
	order := 0
	for _, s := range t.Shared {
		order = max(order, int(s.Order))
	}
	for _, m := range t.Memory {
		order = max(order, int(m.Order))
	}
	return order
}

// withVectors returns the sizes for solves with vectors.
func (t Tuning) withVectors() Tuning {
	t.Shared = slices.DeleteFunc(slices.Clone(t.Shared), func(s Shared) bool { return s.Values })
	return t
}

// Tridiagonal returns the sizes for matrices that are tridiagonal already: the rows of t.Memory,
// for all orders. Divide and conquer computes all vectors.
func (t Tuning) Tridiagonal() Tuning {
	t.Shared, t.Memory = nil, slices.Clone(t.Memory)
	for i := range t.Memory {
		t.Memory[i].Conquer = true
	}
	return t
}

func (t Tuning) For(info vk.Info) Tuning { return fitting[float64, float64](t, info) }

// Fitting returns t with the rows that fit the device for matrices of T. Complex numbers need more
// shared memory and more registers, so their rows have at most half of the columns that an
// invocation of org2l_batch computes, fewer invocations of sytd2_batch (mostBytes), and smaller
// blocks or fewer teams if a row does not fit.
// Matrices of real numbers have the rows of t.For.
func Fitting[T spirv.Scalar](t Tuning, info vk.Info) Tuning {
	switch spirv.KindOf[T]() {
	case spirv.Complex64:
		return fitting[complex64, float32](t.complex(8), info)
	case spirv.Complex128:
		return fitting[complex128, float64](t.complex(16), info)
	}
	return t.For(info)
}

func fitting[T spirv.Scalar, R spirv.Real](t Tuning, info vk.Info) Tuning {
	all := t
	t.Shared, t.Memory, t.Pairs = nil, nil, nil
	for _, s := range all.Shared {
		if fitsShared[T, R](s, info) == nil {
			t.Shared = append(t.Shared, s)
		}
	}
	for _, m := range all.Memory {
		for complexes[T]() && fitsMemory[T, R](m, info) != nil && m.smaller() {
			m.shrink()
		}
		if fitsMemory[T, R](m, info) == nil {
			t.Memory = append(t.Memory, m)
		}
	}
	for _, p := range all.Pairs {
		if fitsPair[T](p, info) == nil {
			t.Pairs = append(t.Pairs, p)
		}
	}
	return t
}

// mostBytes is the largest size of one complex number of each invocation of a workgroup of
// sytd2_batch. On an H200, 1024 invocations have 64 registers each. With complex128 they spill, and
// the values of 50 matrices of order 512 take 41.5 ms. They take 27.3 ms with 512 invocations.
const mostBytes = 8 << 10

// complex returns t for complex numbers of the given size in bytes.
func (t Tuning) complex(size uint32) Tuning {
	t.Memory = slices.Clone(t.Memory)
	for i := range t.Memory {
		m := &t.Memory[i]
		m.Form.Columns = (m.Form.Columns + 1) / 2
		for m.Threads*m.Teams*size > mostBytes {
			m.Threads /= 2
		}
	}
	return t
}

// smaller reports whether shrink can make the shared memory of sytd2_batch smaller.
func (m Memory) smaller() bool { return m.Block > 1 || m.Teams > 1 }

func (m *Memory) shrink() {
	if m.Block > 1 {
		m.Block--
	} else {
		m.Teams--
	}
}

// Fits returns nil if the device can run at least one row of t.Shared and at least one row of
// t.Memory.
func (t Tuning) Fits(info vk.Info) (err error) {
	if err := t.check(); err != nil {
		return err
	}
	if len(t.Memory) == 0 {
		return fmt.Errorf("stages: no batch can be tuned by %+v", t)
	}
	if fit := t.For(info); len(fit.Shared) == 0 {
		return fitsShared[float64, float64](t.Shared[0], info)
	} else if len(fit.Memory) == 0 {
		return fitsMemory[float64, float64](t.Memory[0], info)
	}
	return nil
}

// check returns an error if no row of Shared accepts order 2, because the kernels of Memory do not
// solve matrices of order 2. It also returns an error if the rows of Shared, of Memory or of Pairs
// are not sorted by ascending order.
func (t Tuning) check() error {
	pairs := slices.IsSortedFunc(t.Pairs, func(x, y Pair) int { return cmp.Compare(x.Order, y.Order) })
	shared := slices.IsSortedFunc(t.Shared, func(x, y Shared) int { return cmp.Compare(x.Order, y.Order) })
	memory := slices.IsSortedFunc(t.Memory, func(x, y Memory) int { return cmp.Compare(x.Order, y.Order) })
	if n := len(t.Shared); n == 0 || t.Shared[n-1].Order < 2 || !shared || !memory || !pairs {
		return fmt.Errorf("stages: no batch can be tuned by %+v", t)
	}
	return nil
}

// class returns the index of the row for order n: an index of Shared, or len(Shared) plus an index
// of Memory.
func (t Tuning) class(n int) int {
	for i, s := range t.Shared {
		if n <= int(s.Order) {
			return i
		}
	}
	for i, m := range t.Memory {
		if n <= int(m.Order) {
			return len(t.Shared) + i
		}
	}
	panic(fmt.Sprintf("stages: a matrix of order %d in a batch of at most %d", n, t.Order()))
}

// pairClass returns the index of the row of t.Pairs for order n.
func (t Tuning) pairClass(n int) int {
	i := slices.IndexFunc(t.Pairs, func(p Pair) bool { return n <= int(p.Order) })
	if i < 0 {
		return len(t.Pairs) - 1
	}
	return i
}

// The other two kernels for pairs have the same specialization constants.
func (p Pair) spec() shaders.PotrfBatchSpec {
	return shaders.PotrfBatchSpec{LocalSize: p.Tile / p.Each * (p.Tile / p.Each), Tile: p.Tile, Each: p.Each}
}

func fitsPair[T spirv.Scalar](p Pair, info vk.Info) error {
	if p.Each == 0 || p.Tile == 0 || p.Tile%p.Each != 0 {
		return fmt.Errorf("stages: no batch of pairs can be tuned by %+v", p)
	}
	spec := p.spec()
	bytes, err := stages.MostShared(stages.SharedOf(shaders.PotrfBatch[T], spec), stages.SharedOf(shaders.SygstBatch[T], shaders.SygstBatchSpec(spec)),
		stages.SharedOf(shaders.TrsmBatch[T], shaders.TrsmBatchSpec(spec)))
	return room(info, int(spec.LocalSize), bytes, err)
}

func (s Shared) threads() uint32 { return s.Team*s.Matrices + s.Apart }

// The kernel syev_batch_values has the same specialization constants.
func (s Shared) spec() shaders.SyevBatchSpec {
	return shaders.SyevBatchSpec{LocalSize: s.threads(), Order: s.Order, Team: s.Team, Matrices: s.Matrices}
}

func fitsShared[T spirv.Scalar, R spirv.Real](s Shared, info vk.Info) error {
	if s.Order < 2 || s.Team == 0 || s.Matrices == 0 || s.Apart > 0 && s.Apart < s.Matrices {
		return fmt.Errorf("stages: no batch can be tuned by %+v", s)
	}
	vectors, err := stages.MostShared(stages.SharedOf(shaders.SyevBatch[T, R], s.spec()),
		stages.SharedOf(shaders.SyevBatchValues[T, R], shaders.SyevBatchValuesSpec(s.spec())))
	return room(info, int(s.threads()), vectors, err)
}

func fitsMemory[T spirv.Scalar, R spirv.Real](m Memory, info vk.Info) error {
	if m.Order < 3 || m.Threads == 0 || m.Teams == 0 {
		return fmt.Errorf("stages: no batch can be tuned by %+v", m)
	}
	bytes, err := stages.MostShared(stages.SharedOf(shaders.Sytd2Batch[T, R], m.reduceSpec(info)), stages.SharedOf(shaders.Org2lBatch[T], m.formSpec(info)),
		stages.SharedOf(shaders.StebzBatch[R], m.bisectSpec()), stages.SharedOf(shaders.LasrtBatch[T, R], m.sortSpec()))
	threads := max(m.reduceSpec(info).LocalSize, m.formSpec(info).LocalSize)
	if !m.Conquer && err == nil {
		var more int
		more, err = stages.MostShared(stages.SharedOf(shaders.SteqrBatch[R], m.iterateSpec()), stages.SharedOf(shaders.LasrBatch[R], m.turnSpec()))
		bytes, threads = max(bytes, more), max(threads, m.iterateSpec().LocalSize, m.turnSpec().LocalSize)
	}
	return room(info, int(threads), bytes, err)
}

// room returns err if it is not nil. Otherwise it returns an error if the device allows no
// workgroup with `threads` invocations and `bytes` bytes of shared memory.
func room(info vk.Info, threads, bytes int, err error) error {
	switch {
	case err != nil:
		return err
	case info.MaxLocal > 0 && threads > info.MaxLocal:
		return stages.Refused(info, "invocations in a workgroup", threads, info.MaxLocal)
	case info.SharedBytes > 0 && bytes > info.SharedBytes:
		return stages.Refused(info, "bytes of shared memory", bytes, info.SharedBytes)
	}
	return nil
}

func (m Memory) matrices() uint32 { return max(m.Matrices, 1) }

const (
	lasrtTeam    = 32 // largest number of invocations of lasrt_batch that copy a vector
	mostLanes    = 32 // largest number of invocations of sytd2_batch that add up numbers by shuffles
	steqrThreads = 32 // largest number of invocations of steqr_batch that load T, unless it has more matrices
)

// reduceSpec rounds the workgroup up to whole subgroups, because its invocations exchange numbers by
// shuffles.
func (m Memory) reduceSpec(info vk.Info) shaders.Sytd2BatchSpec {
	threads := uint32(stages.WholeSubgroups(int(m.Threads), info))
	return shaders.Sytd2BatchSpec{
		LocalSize: threads * m.Teams, Order: m.Order, Teams: m.Teams, Together: max(m.Rows, 1), Nb: max(m.Block, 1),
		Lanes: min(uint32(stages.PowerOfTwo(max(info.Subgroup, 1))), mostLanes),
	}
}

func (m Memory) formSpec(info vk.Info) shaders.Org2lBatchSpec {
	lanes := uint32(stages.PowerOfTwo(max(1, min(int(m.Form.Lanes), info.Subgroup))))
	return shaders.Org2lBatchSpec{LocalSize: uint32(stages.WholeSubgroups(int(max(m.Form.Threads, lanes)), info)), Order: m.Order, Lanes: lanes, Together: max(m.Form.Columns, 1)}
}

func (m Memory) iterateSpec() shaders.SteqrBatchSpec {
	return shaders.SteqrBatchSpec{LocalSize: max(m.matrices(), min(m.Threads, steqrThreads)), Order: m.Order, Matrices: m.matrices()}
}

func (m Memory) turnSpec() shaders.LasrBatchSpec {
	return shaders.LasrBatchSpec{LocalSize: max(m.Turns.Threads, 1), Together: max(m.Turns.Rows, 1), Wave: max(m.Turns.Sweeps, 1)}
}

func (m Memory) bisectSpec() shaders.StebzBatchSpec {
	return shaders.StebzBatchSpec{LocalSize: m.Threads, Order: m.Order}
}

func (m Memory) sortSpec() shaders.LasrtBatchSpec {
	team := min(m.Threads, lasrtTeam)
	return shaders.LasrtBatchSpec{LocalSize: m.Threads / team * team, Order: m.Order, Team: team}
}
