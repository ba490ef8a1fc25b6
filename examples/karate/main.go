// Command karate divides a graph into two parts by an eigenvector. The graph is the karate club of
// W. W. Zachary. He recorded the friendships between 34 members of a club. In the 1970s the club
// broke into two clubs.
//
// Let A be the adjacency matrix of the graph, and D the diagonal matrix of the degrees. The
// normalized Laplacian I − D^(−1/2)·A·D^(−1/2) has the eigenvalue 0. Take the eigenvector of the
// next eigenvalue, and divide its elements by the square roots of the degrees. The result is the
// smoothest function on the graph that is not constant. Its signs divide the graph into two parts
// of similar weight with few edges between them (J. Shi, J. Malik: Normalized Cuts, 2000; for D −
// A: M. Fiedler, 1973). The program compares these parts with the two clubs that the members really
// joined.
//
//	go run ./examples/karate -o karate.png
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/examples/internal/style"
)

// friendships is the adjacency matrix of the club in Matrix Market's format. The file names its
// source.
//
//go:embed karate.mtx
var friendships []byte

// officers are the members, counted from 1, who joined the new club of the officers. All other
// members stayed with the teacher, who is member 1. Source: W. W. Zachary, An Information Flow
// Model for Conflict and Fission in Small Groups, J. Anthropol. Research 33 (1977). Zachary's own
// model was wrong only about member 9. This member supported the officers but stayed with the
// teacher, because his exam for the black belt was three weeks later.
var officers = []int{10, 15, 16, 19, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34}

func main() { style.Main("karate.png", run) }

func run(w io.Writer, picture string) error {
	a, err := matio.Read(bytes.NewReader(friendships), "karate.mtx")
	if err != nil {
		return err
	}
	n := a.Rows
	root := make([]float64, n) // square roots of the degrees
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

	left := make([]bool, n) // members who joined the officers
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

// drawClub draws member i at (x[i], y[i]), and a line for each friendship.
func drawClub(file string, a *matio.Dense, x, y []float64, left []bool) error {
	p := style.New("A karate club, placed by eigenvectors of its Laplacian", "second vector: its sign is the side", "third vector")
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
	for _, side := range []struct {
		name  string
		left  bool
		color color.Color
	}{{"with the teacher", false, style.Blue}, {"with the officers", true, style.Orange}} {
		var points plotter.XYs
		for i := range x {
			if left[i] == side.left {
				points = append(points, plotter.XY{X: x[i], Y: y[i]})
			}
		}
		if err := style.Scatter(p, side.name, side.color, vg.Points(3.5), points); err != nil {
			return err
		}
	}
	p.Legend.Left = true // no member is at the bottom on the left
	style.Widen(&p.X, &p.Y)
	zero, err := plotter.NewLine(plotter.XYs{{X: 0, Y: p.Y.Min}, {X: 0, Y: p.Y.Max}})
	if err != nil {
		return err
	}
	zero.LineStyle.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(zero)
	return style.Save(p, 6*vg.Inch, 4.5*vg.Inch, file)
}
