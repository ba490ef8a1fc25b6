package evd_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestMain sets VKEVD_CACHE, so that the kernels that Solve and Eigen compile are not stored in the
// user's cache folder.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "vkevd")
	if err != nil {
		panic(err)
	}
	os.Setenv("VKEVD_CACHE", folder)
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// TestSolveKeepsKernels checks the folder in which Solve stores compiled kernels: the folder that
// VKEVD_CACHE names, or else the user's cache folder. If VKEVD_CACHE is empty, nothing must be
// stored.
func TestSolveKeepsKernels(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.GPUAV)
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	named := filepath.Join(t.TempDir(), "kernels")
	kept := func(folder string) int {
		files, _ := filepath.Glob(filepath.Join(folder, "pipelines-*.bin"))
		return len(files)
	}
	solve := func() {
		t.Helper()
		res, err := evd.Solve(context.Background(), evd.NewSym(2, []float64{2, 1, 1, 2}, evd.Lower), evd.Options{Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		if v := res.Values; len(v) != 2 || !(math.Abs(v[0]-1) <= 1e-14 && math.Abs(v[1]-3) <= 1e-14) {
			t.Errorf("eigenvalues %v, want 1 and 3", v)
		}
	}
	t.Setenv("VKEVD_CACHE", named)
	if solve(); kept(named) != 1 || kept(filepath.Join(home, "vkevd")) != 0 {
		t.Error("no kernels in the folder that VKEVD_CACHE names")
	}
	t.Setenv("VKEVD_CACHE", "")
	if solve(); kept(filepath.Join(home, "vkevd")) != 0 {
		t.Error("kernels are kept although VKEVD_CACHE is empty")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the user's cache is elsewhere")
	}
	os.Unsetenv("VKEVD_CACHE") // t.Setenv above restores the variable
	if solve(); kept(filepath.Join(home, "vkevd")) != 1 {
		t.Error("no kernels in the user's cache")
	}
}

// TestLdOfZeroIsTheOrder checks that Sym.Validate, Plan.Solve and Plan.Check accept the leading
// dimension 0 for the order.
func TestLdOfZeroIsTheOrder(t *testing.T) {
	const n = 13
	ctx, d := context.Background(), device(t, vk.Options{})
	packed := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	short := packed
	short.Ld = 0
	if err := short.Validate(); err != nil {
		t.Error(err)
	}
	for _, overwrite := range []bool{false, true} {
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Overwrite: overwrite, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		a, b := packed, short
		a.Data, b.Data = slices.Clone(packed.Data), slices.Clone(packed.Data)
		want, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Solve(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Vectors.Data, want.Vectors.Data) || got.Vectors.Ld != n {
			t.Errorf("overwrite %v: other results, Ld %d", overwrite, got.Vectors.Ld)
		}
		if r, err := p.Check(ctx, short, got); err != nil || !r.Passed() {
			t.Errorf("overwrite %v: %v, %v", overwrite, r, err)
		}
	}
}
