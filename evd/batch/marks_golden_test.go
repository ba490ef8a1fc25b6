package batch

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestForecasts compares the memory of plans with a golden file. The device is a dry one, so the
// numbers are the same everywhere.
func TestForecasts(t *testing.T) {
	var text strings.Builder
	dev := vk.Dry(vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40})
	see := func(name string, p interface {
		Bytes() uint64
		Memory() []vk.Placed
	}) {
		fmt.Fprintf(&text, "\n%s: %d bytes\n", name, p.Bytes())
		for _, r := range p.Memory() {
			if r.Bytes > 0 {
				fmt.Fprintf(&text, "  %d at %d: %s\n", r.Bytes, r.Offset, r.Name)
			}
		}
	}
	for _, n := range []int{0, 1, 9, 30, 100, 300} {
		for _, c := range []struct {
			name string
			opt  Options
		}{{"values", Options{}}, {"vectors", Options{Vectors: true}}, {"some values", Options{Select: evd.Index(0, (n+1)/2)}}, {"some vectors", Options{Vectors: true, Select: evd.Index(0, (n+1)/2)}}} {
			for _, count := range []int{1, 7, 20000} {
				p, err := NewPlan[float64](dev, n, count, c.opt)
				if err != nil {
					t.Fatal(err)
				}
				see(fmt.Sprintf("%d matrices of order %d, %s", count, n, c.name), p)
			}
			q, err := NewTridiagonalPlan[float64](dev, n, 7, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			see(fmt.Sprintf("7 tridiagonal matrices of order %d, %s", n, c.name), q)
			z, err := NewPlan[complex128](dev, n, 7, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			see(fmt.Sprintf("7 matrices of complex128 of order %d, %s", n, c.name), z)
			y, err := NewPlan[complex64](dev, n, 7, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			see(fmt.Sprintf("7 matrices of complex64 of order %d, %s", n, c.name), y)
		}
	}
	stagetest.Golden(t, "forecasts.golden", text.String())
}

// TestMarks compares the phases and the numbers of kernels of solves of batches with a golden file,
// and the progress that they report. The file is that of a CPU driver.
func TestMarks(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Info().Type != "cpu" {
		t.Skip("the golden file is that of a CPU driver")
	}
	var text strings.Builder
	for _, vectors := range []bool{false, true} {
		for _, orders := range [][]int{{0}, {5, 5, 5, 5, 5}, {0, 1, 9, 30, 66, 9, 2}} {
			var dense []evd.Sym[float64]
			var lines []evd.Tridiagonal[float64]
			for _, n := range orders {
				a := make([]float64, n*n)
				line := evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, max(0, n-1))}
				for i := range n {
					for j := range i {
						a[i+j*n] = 1 / float64(i+j+1)
					}
					a[i+i*n], line.D[i] = float64(i), float64(i)
				}
				for i := range line.E {
					line.E[i] = 1
				}
				dense, lines = append(dense, evd.NewSym(n, a, evd.Lower)), append(lines, line)
			}
			for _, count := range []int{2, 9} {
				for _, tridiagonal := range []bool{false, true} {
					var progress []string
					opt := Options{Vectors: vectors, Progress: func(p evd.Progress) {
						progress = append(progress, fmt.Sprintf("%s %.5g/%.5g", p.Stage, p.Done, p.Total))
					}}
					s, err := newSolver[float64, float64](d, 66, count, opt, map[bool]kind{true: ofTridiagonals}[tridiagonal])
					if err != nil {
						t.Fatal(err)
					}
					var res *Result[float64]
					if tridiagonal {
						res, err = (&TridiagonalPlan[float64]{s}).Solve(context.Background(), lines)
					} else {
						res, err = (&Plan[float64]{denseSolver[float64, float64]{s}}).Solve(context.Background(), dense)
					}
					s.Close()
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&text, "\norders %v, %d at a time, tridiagonal %v, vectors %v\n  progress: %s\n", orders, count, tridiagonal, vectors, strings.Join(progress, "; "))
					for _, p := range res.Profile.Phases {
						fmt.Fprintf(&text, "  phase %s\n", p.Name)
					}
					kernels := map[string]int{}
					for _, k := range res.Profile.Kernels {
						kernels[k.Name] += k.Count
					}
					fmt.Fprintf(&text, "  kernels: %v\n", kernels)
				}
			}
		}
	}
	stagetest.Golden(t, "marks.golden", text.String())
}
