// Command compress approximates a picture of the Mandelbrot set by matrices of low rank.
//
// The picture is a matrix A of brightness values, with the singular value decomposition A = U·Σ·Vᵀ.
// The matrix of rank k that is nearest to A consists of the k largest singular values and their
// vectors:
//
//	A_k = σ₁·u₁·v₁ᵀ + … + σ_k·u_k·v_kᵀ,   ‖A − A_k‖² = σ²_{k+1} + σ²_{k+2} + …
//
// in the Frobenius norm (Eckart and Young, 1936). A_k needs k·(rows + columns + 1) numbers.
//
// The program prints this size and the error for some ranks. It draws the approximations, and the
// whole picture last.
//
//	go run ./examples/compress -o compress.png
package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/cmplx"
	"os"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/examples/internal/style"
)

const rows, cols = 180, 240

func main() { style.Main("compress.png", run) }

func run(w io.Writer, picture string) error {
	a := mandelbrot()
	res, err := svd.Decompose(context.Background(), a)
	if err != nil {
		return err
	}
	var parts []*mat.Dense
	for _, k := range []int{3, 10, 30} {
		low := approximation(res, k)
		var rest mat.Dense
		rest.Sub(a, low)
		fmt.Fprintf(w, "rank %2d: %4.1f %% of the numbers, error %4.1f %%, by the singular values %4.1f %%\n", k,
			100*float64(k*(rows+cols+1))/(rows*cols), 100*mat.Norm(&rest, 2)/mat.Norm(a, 2), 100*floats.Norm(res.Values[k:], 2)/floats.Norm(res.Values, 2))
		parts = append(parts, low)
	}
	return draw(picture, append(parts, a))
}

// mandelbrot returns a picture of the Mandelbrot set, with brightness values from 0 to 1: how many
// steps of z ← z² + c keep |z| below 10, on a logarithmic scale.
func mandelbrot() *mat.Dense {
	a := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			c := complex(-2.2+3.2*float64(j)/cols, 1.2-2.4*float64(i)/rows)
			z, steps := c, 1
			for ; steps < 200 && cmplx.Abs(z) < 10; steps++ {
				z = z*z + c
			}
			a.Set(i, j, math.Log(float64(steps))/math.Log(200))
		}
	}
	return a
}

// approximation returns the nearest matrix of rank k.
func approximation(res *svd.Result[float64], k int) *mat.Dense {
	a := mat.NewDense(rows, cols, nil)
	for i, sigma := range res.Values[:k] {
		a.RankOne(a, sigma, mat.NewVecDense(rows, res.U.Col(i)), mat.NewVecDense(cols, res.V.Col(i)))
	}
	return a
}

// draw draws four matrices beside and below each other. A brightness of 0 is black.
func draw(file string, parts []*mat.Dense) error {
	const gap = 4
	all := image.NewGray(image.Rect(0, 0, 2*cols+gap, 2*rows+gap))
	for i := range all.Pix {
		all.Pix[i] = 255
	}
	for n, a := range parts {
		left, top := n%2*(cols+gap), n/2*(rows+gap)
		for i := range rows {
			for j := range cols {
				all.SetGray(left+j, top+i, color.Gray{Y: uint8(255 * min(max(a.At(i, j), 0), 1))})
			}
		}
	}
	return style.Write(file, func(f *os.File) error { return png.Encode(f, all) })
}
