package evd_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

func ExampleEigen() {
	a := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	res, err := evd.Eigen(context.Background(), a)
	if err != nil {
		log.Fatal(err)
	}
	for j, lambda := range res.Values {
		fmt.Printf("%.3f %.3f\n", lambda, res.Vectors.Col(j))
	}
	// Output:
	// 1.000 [0.707 -0.707]
	// 3.000 [0.707 0.707]
}

func ExampleEigenvalues() {
	a := mat.NewSymDense(2, []float64{2, math.NaN(), 0, 2})
	_, err := evd.Eigenvalues(context.Background(), a)
	var where *evd.NonFiniteError
	fmt.Println(errors.As(err, &where), err)
	// Output:
	// true element (0, 1) is NaN; entries must be finite (indices from 0)
}

// This example computes the two smallest eigenvalues of a dense matrix, with their vectors. The
// matrix has 2 on the diagonal and -1 next to the diagonal.
func ExampleSolve() {
	const n = 50
	a := make([]float64, n*n) // the lower triangle, column by column
	for j := range n {
		a[j+j*n] = 2
		if j+1 < n {
			a[j+1+j*n] = -1
		}
	}
	res, err := evd.Solve(context.Background(), evd.NewSym(n, a, evd.Lower), evd.Options{Vectors: true, Select: evd.Index(0, 2)})
	if err != nil {
		log.Fatal(err)
	}
	for k, lambda := range res.Values {
		fmt.Printf("λ%d = %.6f, a vector of %d components\n", res.First+k, lambda, len(res.Vectors.Col(k)))
	}
	// Output:
	// λ0 = 0.003793, a vector of 50 components
	// λ1 = 0.015159, a vector of 50 components
}

// This example computes all eigenvalues in (0, 0.1] of a tridiagonal matrix with 2 on the diagonal
// and -1 next to the diagonal.
func ExampleSolveTridiagonal() {
	const n = 50
	t := evd.Tridiagonal[float64]{D: slices.Repeat([]float64{2}, n), E: slices.Repeat([]float64{-1}, n-1)}
	res, err := evd.SolveTridiagonal(context.Background(), t, evd.Options{Select: evd.Interval(0, 0.1)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("from λ%d on: %.4f\n", res.First, res.Values)
	// Output:
	// from λ0 on: [0.0038 0.0152 0.0341 0.0604 0.0941]
}

// This example ends a solve by its context. The plan can be used again afterwards.
func ExamplePlan_Solve_cancel() {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const n = 200
	ctx, cancel := context.WithCancel(context.Background())
	plan, err := evd.NewPlan[float64](dev, n, evd.Options{
		Progress: func(evd.Progress) { cancel() }, // a real program would cancel after a signal, or use a deadline
	})
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	a := evd.NewSym(n, make([]float64, n*n), evd.Lower)
	_, err = plan.Solve(ctx, a)
	fmt.Println(errors.Is(err, context.Canceled), err)
	_, err = plan.Solve(context.Background(), a)
	fmt.Println(err)
	// Output:
	// true context canceled
	// <nil>
}

// In this example Solve certifies the result before it returns (Options.Verify).
func ExampleCertificate() {
	a := evd.NewSym(3, []float64{4, 1, 0, 0, 3, 1, 0, 0, 2}, evd.Lower)
	res, err := evd.Solve(context.Background(), a, evd.Options{Vectors: true, Verify: true})
	var failed *evd.UnverifiedError
	if errors.As(err, &failed) {
		log.Fatal(failed) // on the safe path, too: do not trust this device
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f, proved: %v, safe path: %v\n", res.Values, res.Certificate.Passed(), res.Certificate.Safe)
	// Output:
	// [1.2679 3.0000 4.7321], proved: true, safe path: false
}

// In this example one plan solves for several matrices. The plan computes their two largest
// eigenvalues with vectors, and Check measures each result.
func ExamplePlan() {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	const n = 4
	plan, err := evd.NewPlan[float64](dev, n, evd.Options{Vectors: true, Select: evd.Index(n-2, n)})
	if err != nil {
		log.Fatal(err) // says how much memory is missing, or which feature
	}
	defer plan.Close()

	ctx := context.Background()
	a := evd.NewSym(n, make([]float64, n*n), evd.Lower)
	for _, coupling := range []float64{0, 0.5} {
		for i := range n {
			a.Data[i+i*n] = float64(i)
			if i > 0 {
				a.Data[i+(i-1)*n] = coupling
			}
		}
		res, err := plan.Solve(ctx, a)
		if err != nil {
			log.Fatal(err)
		}
		ratios, err := plan.Check(ctx, a, res)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("λ%d, λ%d = %.4f, good: %v\n", res.First, res.First+1, res.Values, ratios.Passed())
	}
	// Output:
	// λ2, λ3 = [2.0000 3.0000], good: true
	// λ2, λ3 = [2.0224 3.2254], good: true
}
