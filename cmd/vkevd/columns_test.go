package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// TestStandardize compares the columns with means and deviations of gonum, also where sums of
// squares would overflow or underflow.
func TestStandardize(t *testing.T) {
	for _, unit := range []float64{1, 1e250, 1e-250} {
		for _, scale := range []bool{false, true} {
			plain := []float64{1, 4, 2, 7, -3, 100, 101, 103}
			a := &matio.Dense{Rows: 4, Cols: 2, Data: make([]float64, 8)}
			for i, x := range plain {
				a.Data[i] = x * unit
			}
			squares, err := standardize("x.csv", a, scale)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for j := range 2 {
				mean, deviation := stat.MeanStdDev(plain[4*j:4*j+4], nil)
				of := unit
				if !scale {
					deviation = 1
				} else {
					of = 1
				}
				for i, x := range plain[4*j : 4*j+4] {
					want := (x - mean) / deviation
					if got := a.Data[4*j+i] / of; !(math.Abs(got-want) <= 1e-12*math.Abs(want)+1e-12/deviation) {
						t.Errorf("unit %g, scale %v: element (%d, %d) is %g, not %g", unit, scale, i, j, got, want)
					}
				}
				sum += 3 * stat.Variance(plain[4*j:4*j+4], nil)
			}
			if scale {
				sum = 6
			}
			if unit == 1 && !(math.Abs(squares-sum) <= 1e-12*sum) {
				t.Errorf("scale %v: the sum of squares is %g, not %g", scale, squares, sum)
			}
		}
	}
	infinite := &matio.Dense{Rows: 2, Cols: 1, Data: []float64{1, math.Inf(1)}}
	column := func(x ...float64) *matio.Dense { return &matio.Dense{Rows: len(x), Cols: 1, Data: x} }
	const epoch = 1.7e12 // milliseconds, so that the column is wide in units of its rounding
	for want, a := range map[string]*matio.Dense{
		"": column(epoch, epoch+0.001, epoch, epoch+0.002),
		"x.csv: column 1 is constant, so --scale cannot divide it by its standard deviation; leave it out": column(0.1, 0.1, 0.1),
		"x.csv: has one row, and a standard deviation needs two":                                           column(3),
	} {
		if _, err := standardize("x.csv", a, true); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	if _, err := standardize("x.csv", infinite, true); err != nil || infinite.Data[0] != 1 {
		t.Errorf("a column that is not finite: %v, %v", infinite.Data, err)
	}
}

// TestPrincipalComponents runs svd --center as far as it goes without a real device: the matrix that
// is solved, the report, the line in the file of values, and plot scree of that file.
func TestPrincipalComponents(t *testing.T) {
	s := newFixture(t)
	s.file("x.csv", "a,b\n1,2\n3,2\n5,5\n")
	_, stderr, status := s.run("svd", "--center", "--largest", "1", "--verbose", "--out-values", "s.txt", "--report", "r.json", "x.csv")
	if status != cli.StatusSuccess || !strings.Contains(stderr, "\nvariance 93.4 %, together 93.4 %, in the first 1 component of 2\n") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	var r struct {
		Explained []float64 `json:"explained_variance_ratio"`
	}
	text, _ := os.ReadFile("r.json")
	if err := json.Unmarshal(text, &r); err != nil || len(r.Explained) != 1 {
		t.Errorf("%v: %s", err, text)
	}
	text, _ = os.ReadFile("s.txt")
	if line, _, _ := strings.Cut(string(text), "\n"); line != "# singular values 0:1 of 2, sum of squares 14" {
		t.Errorf("the file of values begins with %q", line)
	}
	for _, out := range []string{"s.svg", "s.pdf"} {
		if _, stderr, status := s.run("plot", "scree", "--out", out, "s.txt"); status != cli.StatusSuccess {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	picture := svgText(t, "s.svg")
	for _, label := range []string{"Parts of the variance of s.txt, 0:1 of n = 2", "principal component, from 1", "part of the variance, %"} {
		if !strings.Contains(picture, label) {
			t.Errorf("the picture lacks %q: %s", label, picture)
		}
	}
	s.file("zero.txt", "0\n")
	s.fails(cli.StatusInput, "no value is positive", "plot", "scree", "--out", "s.svg", "zero.txt")
	s.file("both.txt", "3\n1\n")
	s.fails(cli.StatusInput, "both.txt: values that descend may be singular values, whose squares are variances, or eigenvalues; --singular or --singular=false decides",
		"plot", "scree", "--out", "b.svg", "both.txt")
	s.fails(cli.StatusInput, "--first is not for plot scree: parts of the variance need the sum of all values", "plot", "scree", "--first", "2", "--out", "b.svg", "zero.txt")
	s.file("rounded.txt", "-1e-17\n1\n")
	for file, flag := range map[string]string{"both.txt": "--singular=false", "rounded.txt": "--singular=false", "s.txt": "--singular=false"} {
		if _, stderr, status := s.run("plot", "scree", flag, "--out", "b.svg", file); status != cli.StatusSuccess {
			t.Errorf("%s: status %d, %s", file, status, stderr)
		}
		if whole := strings.Contains(svgText(t, "b.svg"), "part of the variance of the values in the file, %"); whole != (file != "s.txt") {
			t.Errorf("%s: the label says that the values may be a part: %v", file, whole)
		}
	}
	if _, stderr, status := s.run("plot", "spectrum", "--log", "--out", "b.svg", "both.txt"); status != cli.StatusSuccess || !strings.Contains(svgText(t, "b.svg"), "Eigenvalues") {
		t.Errorf("--log: status %d, %s", status, stderr)
	}
	s.file("negative.txt", "-1\n1\n")
	s.fails(cli.StatusInput, "negative.txt: the value -1 is negative, and variances are not", "plot", "scree", "--out", "s.svg", "negative.txt")
	if text, _ = os.ReadFile("s.pdf"); !strings.HasPrefix(string(text), "%PDF-") {
		t.Errorf("s.pdf begins with %.10q", text)
	}
	s.file("part.txt", "# singular values 0:1 of 2\n3\n")
	s.fails(cli.StatusInput, "part.txt: has 1 of 2 values, so their part of the variance is not known; svd --center --out-values FILE.txt writes the sum of all",
		"plot", "scree", "--out", "s.svg", "part.txt")
	s.file("z.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 0\n0 1\n")
	s.fails(cli.StatusInput, "z.mtx: the elements are complex, and --center or --scale takes real matrices only", "svd", "--center", "z.mtx")
	s.file("flat.csv", "a,b\n1,2\n1,3\n1,5\n")
	s.fails(cli.StatusInput, "flat.csv: column 1 is constant, so --scale cannot divide it by its standard deviation; leave it out",
		"svd", "--scale", "flat.csv")
}

// TestPlotObeysFiles draws files that say what values they have, and files that do not.
func TestPlotObeysFiles(t *testing.T) {
	s := newFixture(t)
	for name, text := range map[string]string{
		"said.txt": "# singular values 0:2 of 2\n1\n1\n", "psd.txt": "# eigenvalues 0:2 of 2\n2\n1\n",
		"down.txt": "3\n2\n", "up.txt": "2\n3\n", "negative.txt": "3\n-2\n",
	} {
		s.file(name, text)
	}
	for args, want := range map[string]string{
		"said.txt": "Singular", "psd.txt": "Eigen", "down.txt": "Singular", "up.txt": "Eigen", "negative.txt": "Eigen",
		"--singular=false down.txt": "Eigen", "--singular psd.txt": "Singular",
	} {
		_, stderr, status := s.run(append([]string{"plot", "spectrum", "--out", "p.svg"}, strings.Fields(args)...)...)
		picture, _ := os.ReadFile("p.svg")
		if status != cli.StatusSuccess || !strings.Contains(string(picture), ">"+want) {
			t.Errorf("%s: status %d, %s, no %s", args, status, stderr, want)
		}
	}
	s.fails(cli.StatusInput, "said.txt has singular values, and up.txt has eigenvalues; --singular or --singular=false decides for both",
		"plot", "spectrum", "--out", "p.svg", "said.txt", "up.txt")
}
