// Command pca finds the principal components of 178 wines, each with 13 measurements: the
// eigenvectors of their correlation matrix. It prints how much of the variance each explains and draws the
// wines in the plane of the first two, where the three kinds of grape lie apart.
//
//	go run ./examples/pca -o pca.png
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"image/color"
	"io"
	"log"
	"os"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// wine.csv has 13 measurements a line and then the grape, 1 to 3. See PROVENANCE.md.
//
//go:embed wine.csv
var wine []byte

func main() {
	out := flag.String("o", "pca.png", "picture to draw, .svg or .png")
	flag.Parse()
	if err := run(os.Stdout, *out); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, picture string) error {
	table, err := matio.ReadCSV(bytes.NewReader(wine), "wine.csv")
	if err != nil {
		return err
	}
	rows, cols := table.Rows, table.Cols-1
	x := mat.NewDense(rows, cols, nil) // standardised: mean 0, variance 1
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

	// Eigenvalues ascend, so the first component is the last vector.
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

func drawWines(file string, u, v, grapes []float64) error {
	p := plot.New()
	p.Title.Text = "178 wines of three grapes"
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text = "first principal component"
	p.Y.Label.Text = "second principal component"
	p.Legend.Left, p.Legend.Padding = true, vg.Points(2) // below on the left there is no wine
	for k, c := range []color.NRGBA{{R: 178, G: 24, B: 43, A: 255}, {R: 33, G: 102, B: 172, A: 255}, {R: 90, G: 150, B: 60, A: 255}} {
		var points plotter.XYs
		for i := range u {
			if int(grapes[i]) == k+1 {
				points = append(points, plotter.XY{X: u[i], Y: v[i]})
			}
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
		p.Add(s)
		p.Legend.Add(fmt.Sprintf("grape %d", k+1), s)
	}
	return p.Save(6*vg.Inch, 4.5*vg.Inch, file)
}
