package trials

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// order is the order of the small test matrices. With the smallest tuning, a solve of this order
// runs all kernels of all stages, and has three levels of merges.
const order = 13

// oneCommand is an Options.Batch that makes each command a batch.
const oneCommand = time.Nanosecond

// random returns a full symmetric matrix.
func random(n int, seed uint64) evd.Sym[float64] {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	a := evd.Sym[float64]{N: n, Ld: max(n, 1), Data: make([]float64, n*n)}
	for j := range n {
		for i := range j + 1 {
			x := rng.NormFloat64()
			a.Data[i+j*n], a.Data[j+i*n] = x, x
		}
	}
	return a
}

func open(opt vk.Options) (*vk.Device, error) {
	opt.Device = os.Getenv("VKEVD_DEVICE")
	return vk.Open(opt)
}

func device(t testing.TB, opt vk.Options) *vk.Device {
	t.Helper()
	d, err := open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func options(vectors bool) evd.Options {
	small := tuning.Smallest()
	return evd.Options{Vectors: vectors, Tuning: &small}
}

// A session opens the devices of a kind of work, makes a plan, solves and checks one matrix, and
// closes everything.
type session struct {
	vk vk.Options
	work
}

func (s session) run(ctx context.Context) (*evd.Result[float64], error) {
	d, err := s.on(s.vk)
	for _, d := range d {
		defer d.Close()
	}
	if err != nil {
		return nil, err
	}
	p, err := s.make(d, options(false))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	a := random(order, 1)
	res, err := p.Solve(ctx, a)
	if c, checks := p.(checker); err == nil && checks && res.Vectors != nil {
		_, err = c.Check(ctx, a, res)
	}
	return res, err
}

// must runs a session without injected faults. An error fails the test.
func (s session) must(t *testing.T) *evd.Result[float64] {
	t.Helper()
	res, err := s.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, "a session")
	return res
}

func nothingLeft(t *testing.T, after string) {
	t.Helper()
	if n := driver.Live(); n != 0 {
		t.Fatalf("%s leaves %d objects", after, n)
	}
}

// same tells whether two results have equal numbers. NaN is never equal, and 0 equals −0.
func same(a, b *evd.Result[float64]) bool {
	if !slices.Equal(a.Values, b.Values) || (a.Vectors == nil) != (b.Vectors == nil) {
		return false
	}
	return a.Vectors == nil || slices.Equal(a.Vectors.Data, b.Vectors.Data)
}

// everything tells whether VKEVD_FAULTS selects the long form of the tests.
func everything() bool { return os.Getenv("VKEVD_FAULTS") == "all" }
