// Command karate splits a graph in two by an eigenvector: W. W. Zachary's karate club, whose
// 34 members went separate ways in the 1970s after he had recorded who was friends with whom.
//
// The normalised Laplacian I − D^(−1/2)·A·D^(−1/2) of a graph with adjacency A and degrees D has an eigenvalue 0.
// The vector x of the next one, divided by the roots of the degrees, is the smoothest function on the graph
// that is not constant, and its signs cut few edges for the weight of the parts (J. Shi, J. Malik: Normalized
// Cuts, 2000; for plain D − A: M. Fiedler, 1973). They are compared with the sides that the members really took.
//
//	go run ./examples/karate -o karate.png
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
	"math"
	"os"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// friendships is the adjacency matrix of the club, in Matrix Market's format.
//
//go:embed karate.mtx
var friendships []byte

// officers are the members, counted from 1, who went to the club of the officers; the others
// followed the teacher, member 1. W. W. Zachary: An Information Flow Model for Conflict and
// Fission in Small Groups, J. Anthropol. Research 33 (1977). His own model too errs about 9 only, who sided
// with the officers but stayed: he was three weeks from his black belt.
var officers = []int{10, 15, 16, 19, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34}

func main() {
	out := flag.String("o", "karate.png", "picture to draw, .svg or .png")
	flag.Parse()
	if err := run(os.Stdout, *out); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, picture string) error {
	a, err := matio.Read(bytes.NewReader(friendships), "karate.mtx")
	if err != nil {
		return err
	}
	n := a.Rows
	root := make([]float64, n) // of the degrees
	for i := range n {
		for j := range n {
			root[i] += a.At(i, j)
		}
		root[i] = math.Sqrt(root[i])
	}
	laplacian := mat.NewSymDense(n, nil)
	for i := range n {
		laplacian.SetSym(i, i, 1)
		for j := range i {
			laplacian.SetSym(i, j, 0-a.At(i, j)/(root[i]*root[j]))
		}
	}
	res, err := evd.Eigen(context.Background(), laplacian)
	if err != nil {
		return err
	}
	x, y := res.Vectors.Col(1), res.Vectors.Col(2)
	floats.Div(x, root)
	floats.Div(y, root)

	left := make([]bool, n) // with the officers
	for _, member := range officers {
		left[member-1] = true
	}
	cut, edges := 0, 0
	for i := range n {
		for j := range i {
			if a.At(i, j) != 0 {
				edges++
				if (x[i] < 0) != (x[j] < 0) {
					cut++
				}
			}
		}
	}
	var wrong []int
	for i := range n {
		if ((x[i] < 0) == (x[0] < 0)) == left[i] {
			wrong = append(wrong, i+1)
		}
	}
	fmt.Fprintf(w, "%d members, %d friendships; λ₂ = %.4f\n", n, edges, res.Values[1])
	fmt.Fprintf(w, "the signs of its vector cut %d friendships\n", cut)
	fmt.Fprintf(w, "and put %d members on the side they took; wrong: %v\n", n-len(wrong), wrong)
	return drawClub(picture, a, x, y, left)
}

// drawClub places each member by two eigenvectors.
func drawClub(file string, a *matio.Dense, x, y []float64, left []bool) error {
	p := plot.New()
	p.Title.Text = "A karate club, placed by eigenvectors of its Laplacian"
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text = "second vector: the sign is the side"
	p.Y.Label.Text = "third vector"
	for i := range a.Rows {
		for j := range i {
			if a.At(i, j) != 0 {
				edge, err := plotter.NewLine(plotter.XYs{{X: x[i], Y: y[i]}, {X: x[j], Y: y[j]}})
				if err != nil {
					return err
				}
				edge.LineStyle = draw.LineStyle{Color: color.Gray{200}, Width: vg.Points(0.5)}
				p.Add(edge)
			}
		}
	}
	blue, red := color.NRGBA{R: 33, G: 102, B: 172, A: 255}, color.NRGBA{R: 178, G: 24, B: 43, A: 255}
	for _, side := range []struct {
		name  string
		left  bool
		color color.Color
	}{{"the teacher's", false, blue}, {"the officers'", true, red}} {
		var points plotter.XYs
		for i := range x {
			if left[i] == side.left {
				points = append(points, plotter.XY{X: x[i], Y: y[i]})
			}
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: side.color, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}
		p.Add(s)
		p.Legend.Add(side.name, s)
	}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(2)
	zero, err := plotter.NewLine(plotter.XYs{{X: 0, Y: p.Y.Min}, {X: 0, Y: p.Y.Max}})
	if err != nil {
		return err
	}
	zero.LineStyle.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(zero)
	return p.Save(6*vg.Inch, 4.5*vg.Inch, file)
}
