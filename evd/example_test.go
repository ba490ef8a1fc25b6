package evd_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

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

func ExampleEigenValues() {
	a := mat.NewSymDense(2, []float64{2, math.NaN(), 0, 2})
	_, err := evd.EigenValues(context.Background(), a)
	var where *evd.NonFiniteError
	fmt.Println(errors.As(err, &where), err)
	// Output:
	// true element (1, 0) is NaN; eigenvalues need finite entries (indices from 0)
}

// One plan for several matrices, of which the two greatest eigenvalues are wanted, with a
// measure of the last answer.
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
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: evd.Lower}
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
