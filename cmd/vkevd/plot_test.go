package main

import (
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/plot"
	"github.com/vkevd/vkevd/evd/bench"
)

// pictureFiles makes input files for each kind of picture.
func (s *fixture) pictureFiles() {
	s.file("v.txt", "-1\n2\n3\n3.5\n7\n")
	s.file("w.npy", npy(4, 1, 1, 2, 3, 40))
	s.file("A.json", `{"file":"/data/A.mtx","n":5,"device":"Pretence 9000","stages":[{"name":"band reduction","seconds":0.75},{"name":"bulge chasing","seconds":0.25}]}`)
	s.file("B.json", `{"file":"B.mtx","n":6,"device":"Pretence 9001","stages":[{"name":"band reduction","seconds":0},{"name":"bisection","seconds":1.5}]}`)
	var rows strings.Builder
	for _, b := range []int{8, 16} {
		fmt.Fprintf(&rows, `{"stage":"sb2st","n":100,"b":%d,"seconds_median":0.%d,"device":"Pretence 9000"}`+"\n", b, b)
		for _, k := range []int{16, 32, 64} {
			fmt.Fprintf(&rows, `{"stage":"sy2sb","n":100,"b":%d,"k":%d,"seconds_median":%g}`+"\n", b, k, 1/float64(k))
		}
	}
	s.file("rows.json", rows.String())
}

// TestPlots draws each kind of picture in both formats. Each picture must have texts and colours.
func TestPlots(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	for _, c := range []struct {
		args  string
		words []string
	}{
		{"spectrum v.txt", []string{"Eigenvalues of v.txt, n = 5", "index of the eigenvalue, from 0", "eigenvalue"}},
		{"spectrum v.txt w.npy", []string{"Eigenvalues", "index of the eigenvalue / n", "v.txt, n = 5", "w.npy, n = 4"}},
		{"spectrum --log --title Mine w.npy", []string{"Mine", "1e0", "1e1"}},
		{"spectrum --singular w.npy", []string{"Singular values of w.npy, n = 4", "index of the singular value, from 0", "σ / σ₁", "n·ε, n = 4", "1e-15"}},
		{"density v.txt", []string{"Density of states of v.txt, n = 5", "density (area 1)"}},
		{"density --bins 3 v.txt w.npy", []string{"Density of states", "v.txt, n = 5", "w.npy, n = 4"}},
		{"stages A.json", []string{"Stages of A.mtx, n = 5", "Pretence 9000", "seconds", "band reduction", "bulge chasing", "0.75", "0.25"}},
		{"stages A.json B.json", []string{"A.mtx, n = 5, Pretence 9000", "B.mtx, n = 6, Pretence 9001", "bisection", "1.5"}},
		{"tune rows.json", []string{"Stages that depend on b and k, n = 100", "b = 8", "b = 16", "k, rank of an update", "seconds", "0.1756 s at b = 16, k = 64"}},
		{"parallel --stage sy2sb rows.json", []string{"sy2sb, n = 100", "b", "k", "8", "16", "32", "64", "time / best", "fastest: 0.01562 s", "next: 0.01562 s", "slowest: 0.0625 s", "2.5"}},
	} {
		args := strings.Fields(c.args)
		for _, out := range []string{"p.png", "p.SVG"} {
			if stdout, stderr, status := s.run(append([]string{"plot", args[0], "--out", out, "--width", "12", "--height", "8"}, args[1:]...)...); status != cli.StatusSuccess || stdout+stderr != "" {
				t.Fatalf("plot %s: status %d, %q%q", c.args, status, stdout, stderr)
			}
		}
		expectInk(t, c.args, "p.png", 12, 8)
		text := svgText(t, "p.SVG")
		if raw, _ := os.ReadFile("p.SVG"); strings.Count(string(raw), "font-family:") != strings.Count(string(raw), ",sans-serif;") {
			t.Errorf("plot %s: text in a font that may not be there", c.args)
		}
		for _, word := range c.words {
			if !strings.Contains(text, "|"+word+"|") {
				t.Errorf("plot %s lacks %q: %q", c.args, word, text)
			}
		}
	}
	s.expectFiles("v.txt", "w.npy", "A.json", "B.json", "rows.json", "p.png", "p.SVG")
}

// TestPlotsOfParts checks that a picture of a part of a spectrum has the right indices. An earlier
// version always began with index 1.
func TestPlotsOfParts(t *testing.T) {
	s := newFixture(t)
	s.file("largest.txt", "2\n3\n3.5\n7\n")
	s.file("A.json", `{"file":"A.mtx","n":300,"first":250,"values":4,"stages":[{"name":"bisection","seconds":1}]}`)
	s.file("B.json", `{"file":"A.mtx","n":300,"first":298,"values":4,"stages":[{"name":"bisection","seconds":1}]}`)
	for args, words := range map[string][]string{
		"spectrum --report A.json": {"Eigenvalues of largest.txt, 250:254 of n = 300", "250", "253"},
		"spectrum --first 40":      {"Eigenvalues of largest.txt, 40:44", "40", "43"},
		"density --report A.json":  {"Density of states of largest.txt, 250:254 of n = 300", "density (whole spectrum: area 1)"},
	} {
		if _, stderr, status := s.run(append(append([]string{"plot"}, strings.Fields(args)...), "--out", "p.svg", "largest.txt")...); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		text := svgText(t, "p.svg")
		for _, word := range words {
			if !strings.Contains(text, "|"+word) {
				t.Errorf("plot %s lacks %q: %s", args, word, text)
			}
		}
	}
	s.fails(cli.StatusInput, "B.json: a report about 298:302 of 300 eigenvalues, but largest.txt has 4", "plot", "spectrum", "--report", "B.json", "--out", "p.svg", "largest.txt")
	s.file("negative.txt", "2\n-1\n")
	s.file("zero.txt", "0\n0\n")
	s.fails(cli.StatusInput, "negative.txt: the value -1 is negative, and singular values are not; --singular=false draws eigenvalues", "plot", "spectrum", "--singular", "--out", "p.svg", "negative.txt")
	s.fails(cli.StatusInput, "no singular value is positive", "plot", "spectrum", "--singular", "--out", "p.svg", "zero.txt")
	s.fails(cli.StatusInput, "--first is for eigenvalues; singular values begin with the largest", "plot", "spectrum", "--singular", "--first", "1", "--out", "p.svg", "largest.txt")
	s.fails(cli.StatusInput, "--first: -1 is negative", "plot", "spectrum", "--first", "-1", "--out", "p.svg", "largest.txt")
	s.fails(cli.StatusInput, "--first and --report are about one file of eigenvalues, not several", "plot", "density", "--first", "1", "--out", "p.svg", "largest.txt", "largest.txt")
}

// TestRunsAreToldApart checks the legend of a picture of several reports. Each report must have its
// own text. In an earlier version three reports of one matrix on one device had the same text.
func TestRunsAreToldApart(t *testing.T) {
	s := newFixture(t)
	for name, vectors := range map[string]bool{"a": true, "b": false, "c": false} {
		s.file(name+".json", fmt.Sprintf(`{"file":"A.mtx","n":5,"vectors":%v,"device":"D","stages":[{"name":"bisection","seconds":1}]}`, vectors))
	}
	if _, stderr, status := s.run("plot", "stages", "--out", "p.svg", "a.json", "b.json", "c.json"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	text := svgText(t, "p.svg")
	for _, word := range []string{"a.json: A.mtx, n = 5, vectors, D", "b.json: A.mtx, n = 5, values, D", "c.json: A.mtx, n = 5, values, D"} {
		if !strings.Contains(text, "|"+word+"|") {
			t.Errorf("no %q: %s", word, text)
		}
	}
	os.Mkdir("x", 0o700)
	s.file("v.txt", "1\n2\n")
	s.file("x/v.txt", "1\n2\n")
	if _, stderr, status := s.run("plot", "spectrum", "--out", "p.svg", "v.txt", "x/v.txt"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	if text := svgText(t, "p.svg"); !strings.Contains(text, "|v.txt, n = 2|") || !strings.Contains(text, "|x/v.txt, n = 2|") {
		t.Errorf("files of the same name: %s", text)
	}
}

// expectInk checks that a PNG file has the given size in centimetres, and contains the first colour
// of lines and bars.
func expectInk(t *testing.T, what, file string, width, height float64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	if !(math.Abs(float64(size.X)-width/2.54*150) <= 2 && math.Abs(float64(size.Y)-height/2.54*150) <= 2) {
		t.Errorf("%s: the picture has %v dots", what, size)
	}
	wantR, wantG, wantB, _ := draw.Colour(0).RGBA()
	ink := 0
	for y := range size.Y {
		for x := range size.X {
			if r, g, b, _ := img.At(x, y).RGBA(); r == wantR && g == wantG && b == wantB {
				ink++
			}
		}
	}
	if ink < 100 {
		t.Errorf("%s: %d dots of the first colour", what, ink)
	}
}

// TestLegendsAreSeen checks that legends in pictures are visible. In an earlier version the
// background covered them.
func TestLegendsAreSeen(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	for _, args := range []string{"spectrum v.txt w.npy", "density v.txt w.npy", "stages A.json B.json", "tune rows.json"} {
		words := strings.Fields(args)
		if _, stderr, status := s.run(append([]string{"plot", words[0], "--out", "p.png"}, words[1:]...)...); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		f, err := os.Open("p.png")
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 { // a sample is 20 points wide, at 150 dots per inch of 72 points
			wantR, wantG, wantB, _ := draw.Colour(i).RGBA()
			longest, run := 0, 0
			for y := range 120 { // title and legend
				for x := range img.Bounds().Dx() {
					run++
					if r, g, b, _ := img.At(x, y).RGBA(); r != wantR || g != wantG || b != wantB {
						run = 0
					}
					longest = max(longest, run)
				}
			}
			if longest < 35 || longest > 50 {
				t.Errorf("%s: a sample of colour %d of %d dots", args, i, longest)
			}
		}
	}
}

// svgText returns all text of an SVG file. The parts of the text are separated by |.
func svgText(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := "|"
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if err == io.EOF {
			return text
		} else if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok && strings.TrimSpace(string(c)) != "" {
			text += strings.TrimSpace(string(c)) + "|"
		}
	}
}

// TestPlotsOfExtremes draws spectra with extreme values. Their labels must be finite numbers.
func TestPlotsOfExtremes(t *testing.T) {
	s := newFixture(t)
	long := strings.Repeat("1\n2\n", 5000)
	for name, values := range map[string]string{
		"one": "7\n", "zero": "0\n0\n", "equal": "3\n3\n3\n", "huge": "-1.7e308\n1.7e308\n", "tiny": "5e-324\n1e-323\n",
		"nearly equal": "1\n1.0000000000000002\n", "far apart": "1e-300\n1e300\n", "long": long, "negative": "-3\n-2\n",
	} {
		s.file("v", values)
		for _, kind := range []string{"spectrum", "density"} {
			if _, stderr, status := s.run("plot", kind, "--out", "p.svg", "v"); status != cli.StatusSuccess {
				t.Errorf("%s of %s: %s", kind, name, stderr)
			} else if text := svgText(t, "p.svg"); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "|-0|") {
				t.Errorf("%s of %s: %s", kind, name, text)
			}
		}
	}
}

// TestStagesOfUnlikeReports draws two reports with different stages. If a report lacks a stage of
// the other report, the picture must show no number for this report and this stage. The stage must
// keep its place in the order.
func TestStagesOfUnlikeReports(t *testing.T) {
	s := newFixture(t)
	s.file("vectors.json", `{"file":"A","n":5,"stages":[{"name":"bulge chasing","seconds":1.5},{"name":"tridiagonal solve","seconds":0.25},{"name":"transpose","seconds":0.125}]}`)
	s.file("values.json", `{"file":"A","n":5,"stages":[{"name":"bulge chasing","seconds":3},{"name":"bisection","seconds":0.75}]}`)
	if _, stderr, status := s.run("plot", "stages", "--out", "p.svg", "vectors.json", "values.json"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	text := svgText(t, "p.svg")
	if !strings.Contains(text, "|transpose|tridiagonal solve|bisection|bulge chasing|") { // from the bottom up
		t.Errorf("the order of the stages: %s", text)
	}
	if !strings.Contains(text, "|1.5|0.25|0.125|") && !strings.Contains(text, "|0.125|0.25|1.5|") {
		t.Errorf("numbers of stages that there are not: %s", text)
	}
}

// TestTheFontHasAllLetters checks that the font has all letters of labels. Letters that the font
// lacks are silently left out. In an earlier version the labels 10⁻¹ and 10⁰ appeared as 10¹ and 10
// in PNG files.
func TestTheFontHasAllLetters(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	s.file("wide.txt", "1e-9\n1e-8\n1\n1e10\n")
	s.file("huge.txt", "1e300\n9e300\n")
	s.file("tiny.txt", "1e-89\n2e-90\n")
	typeface := sans(12).Face
	for args, word := range map[string]string{
		"spectrum --log wide.txt": "1e-9", "spectrum huge.txt": "eigenvalue / 1e300", "density tiny.txt": "singular value / 1e-89",
		"spectrum v.txt w.npy": "", "stages A.json B.json": "", "tune rows.json": "", "parallel --stage sy2sb rows.json": "",
	} {
		all := strings.Fields(args)
		if _, stderr, status := s.run(append([]string{"plot", all[0], "--out", "p.svg"}, all[1:]...)...); status != cli.StatusSuccess {
			t.Fatalf("plot %s: %s", args, stderr)
		}
		text := svgText(t, "p.svg")
		if !strings.Contains(text, "|"+word) {
			t.Errorf("plot %s lacks %q: %q", args, word, text)
		}
		for _, letter := range text {
			if glyph, err := typeface.GlyphIndex(nil, letter); glyph == 0 || err != nil {
				t.Errorf("plot %s: the font has no %q (%v): %q", args, letter, err, text)
			}
		}
	}
}

func TestPlotRefuses(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	s.file("nan", "1\nnan\n")
	s.file("comment", "# nothing\n")
	s.file("empty", "")
	s.file("other.json", `{"n":3}`)
	s.file("backwards.json", `{"stages":[{"name":"x","seconds":-1}]}`)
	s.file("two.json", `{"stage":"sy2sb","n":1,"b":2,"k":4}{"stage":"sy2sb","n":2,"b":2,"k":4}`)
	s.file("values.json", `{"stage":"values","n":1,"b":2,"k":4}`)
	s.file("bad.json", `{"stage":"sy2sb","n":1,"b":-2,"k":4}`)
	for _, c := range []struct{ args, says string }{
		{"", "plot needs the kind of picture: spectrum, scree, density, stages, tune, parallel or accuracy; see vkevd plot --help"},
		{"spectre", `unknown command "spectre"; did you mean spectrum?`},
		{"spectrum", "plot spectrum needs a FILE to draw; see vkevd plot spectrum --help"},
		{"spectrum v.txt", "plot spectrum needs --out, the FILE to draw into; see vkevd plot spectrum --help"},
		{"spectrum --out p.jpg v.txt", "--out: p.jpg: the name must end in .png or .svg or .pdf; see vkevd plot spectrum --help"},
		{"spectrum --out p.png --width -1 v.txt", "--width and --height are in centimetres, 4 to 200; see vkevd plot spectrum --help"},
		{"spectrum --out p.png --height 0.01 v.txt", "--width and --height are in centimetres, 4 to 200; see vkevd plot spectrum --help"},
		{"spectrum --out no/p.png v.txt", "no/p.png: cannot be written: no such file or directory"},
		{"spectrum --out p.png none", "none: no such file or directory"},
		{"spectrum --out p.png nan", "nan: value 2 is NaN"},
		{"spectrum --out p.png comment", "comment: no eigenvalue to draw"},
		{"spectrum --out p.png --log v.txt", "v.txt: --log needs positive eigenvalues, the smallest is -1"},
		{"density --out p.png --bins -1 v.txt", "--bins: -1 is not between 1 and 10000"},
		{"stages --out p.png v.txt", "v.txt: not a report; solve --report writes them"},
		{"stages --out p.png other.json", "other.json: a report without stages; solve --report writes them"},
		{"stages --out p.png backwards.json", `backwards.json: stage "x" took -1 s`},
		{"stages --out p.png none", "none: no such file or directory"},
		{"tune --out p.png v.txt", "v.txt: not rows in JSON; tune --json writes them"},
		{"tune --out p.png empty", "empty: no rows in it; tune --json writes them"},
		{"tune --out p.png two.json", "rows of orders [1 2]; --n selects one"},
		{"tune --out p.png --n 3 two.json", "no rows to draw"},
		{"tune --out p.png values.json", "no rows with b and k to draw; tune --json writes them, and bench --json of sy2sb"},
	} {
		s.fails(cli.StatusInput, c.says, append([]string{"plot"}, strings.Fields(c.args)...)...)
	}
	os.Rename("v.txt", "v.png")
	s.fails(cli.StatusInput, "v.png: would overwrite an input", "plot", "spectrum", "--out", "v.png", "v.png")
	if _, stderr, status := s.run("plot", "tune", "--out", "p.png", "bad.json"); status != cli.StatusInput || !strings.HasPrefix(stderr, "vkevd: bad.json: row 1 has impossible values: n = ") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat("p.png"); err == nil {
		t.Error("a picture was left")
	}
}

// TestPlotTuneIgnoresWholeSolves draws rows as vkevd tune writes them: of stages of one order, and
// of whole solves and batches of other orders. The picture must show only the stages.
func TestPlotTuneIgnoresWholeSolves(t *testing.T) {
	s := newFixture(t)
	s.file("rows.json", `{"stage":"sy2sb","n":100,"b":8,"k":16,"seconds_median":1}
{"stage":"sy2sb","n":100,"b":8,"k":32,"seconds_median":2}
{"stage":"values","n":2048,"b":1,"k":512,"seconds_median":9}
{"stage":"batch","n":192,"b":0,"k":0,"seconds_median":9}
`)
	if _, stderr, status := s.run("plot", "tune", "--out", "p.SVG", "rows.json"); status != cli.StatusSuccess || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if text := svgText(t, "p.SVG"); !strings.Contains(text, "Stages that depend on b and k, n = 100") {
		t.Errorf("the picture has %q", text)
	}
}

// TestTotals checks three rules of the function `Totals`, which adds the times of stages for each
// half-bandwidth b and rank k. The time of a stage that does not depend on k is added for each k.
// If a pair (b, k) lacks a measurement of some stage, the pair has no total. The last of several
// measurements counts.
func TestTotals(t *testing.T) {
	got := plot.Totals([]bench.Row{
		{Stage: "sy2sb", B: 8, K: 16, Median: 100}, // measured again below
		{Stage: "sy2sb", B: 8, K: 16, Median: 1}, {Stage: "sy2sb", B: 8, K: 32, Median: 2}, {Stage: "sy2sb", B: 16, K: 16, Median: 3},
		{Stage: "sb2st", B: 8, Median: 10}, {Stage: "vectors", B: 8, K: 16, Median: 1000}, {Stage: "stedc", Median: 1000}, {Stage: "symm", B: 8, Median: 1000},
	})
	want := map[draw.Sizes]float64{{B: 8, K: 16}: 11, {B: 8, K: 32}: 12}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
