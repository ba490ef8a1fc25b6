// Command pca computes the principal components of 178 wines with 13 measurements each. The
// principal components are the eigenvectors of the correlation matrix of the measurements.
//
// The program prints which part of the variance each component explains. It draws each wine as a
// point; the coordinates are the wine's values of the first two components. In this picture the
// wines of the three kinds of grape form separate groups.
//
//	go run ./examples/pca -o pca.png
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/examples/internal/style"
)

// wine has one wine per line: 13 measurements, then the number of the kind of grape, 1 to 3.
// PROVENANCE.md names the source.
//
//go:embed wine.csv
var wine []byte

func main() { style.Main("pca.png", run) }

func run(w io.Writer, picture string) error {
	table, err := matio.ReadCSV(bytes.NewReader(wine), "wine.csv")
	if err != nil {
		return err
	}
	rows, cols := table.Rows, table.Cols-1
	x := mat.NewDense(rows, cols, nil) // standardized: each column has mean 0 and variance 1
	for j := range cols {
		column := table.Data[j*rows : (j+1)*rows]
		mean, deviation := stat.MeanStdDev(column, nil)
		for i, v := range column {
			x.Set(i, j, (v-mean)/deviation)
		}
	}
	grapes := table.Data[cols*rows:]

	var correlation mat.SymDense
	stat.CovarianceMatrix(&correlation, x, nil)
	res, err := evd.Eigen(context.Background(), &correlation)
	if err != nil {
		return err
	}

	// Eigenvalues ascend, so the first principal component is the last vector.
	sum := 0.0
	for k := range 3 {
		share := res.Values[cols-1-k] / mat.Trace(&correlation)
		sum += share
		fmt.Fprintf(w, "component %d: %4.1f %% of the variance, %4.1f %% together\n", k+1, 100*share, 100*sum)
	}
	first, second := mat.NewVecDense(cols, res.Vectors.Col(cols-1)), mat.NewVecDense(cols, res.Vectors.Col(cols-2))
	var u, v mat.VecDense
	u.MulVec(x, first)
	v.MulVec(x, second)
	return drawWines(picture, u.RawVector().Data, v.RawVector().Data, grapes)
}

// drawWines draws wine i as a point (u[i], v[i]). Each kind of grape has its own colour.
func drawWines(file string, u, v, grapes []float64) error {
	p := style.New("178 wines of three grapes", "first principal component", "second principal component")
	p.Legend.Left = true // no wine is at the bottom on the left
	for k, c := range []color.Color{style.Orange, style.Blue, style.Green} {
		var points plotter.XYs
		for i := range u {
			if int(grapes[i]) == k+1 {
				points = append(points, plotter.XY{X: u[i], Y: v[i]})
			}
		}
		wines, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		wines.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
		p.Add(wines)
		p.Legend.Add(fmt.Sprintf("grape %d", k+1), wines)
	}
	style.Widen(&p.X, &p.Y)
	return style.Save(p, 6*vg.Inch, 4.5*vg.Inch, file)
}
