package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestSmallPictures checks that texts of small pictures lie inside the picture, and that no text
// covers another one. In an earlier version texts kept their size, so that a picture 8 cm wide
// could not be read.
func TestSmallPictures(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	for _, size := range []string{"--width 4 --height 4", "--width 8.5 --height 5", "--width 8", "--height 5", ""} {
		for _, kind := range []string{
			"spectrum v.txt", "spectrum v.txt w.npy", "spectrum --log w.npy", "spectrum --singular w.npy", "density v.txt w.npy",
			"stages A.json B.json", "tune rows.json", "parallel --stage sy2sb rows.json",
		} {
			args := kind + " " + size
			if _, stderr, status := s.run(append([]string{"plot"}, strings.Fields(args+" --out p.svg")...)...); status != cli.StatusSuccess {
				t.Fatalf("plot %s: %s", args, stderr)
			}
			checkTexts(t, args, "p.svg")
		}
	}
}

// TestLongNamesAreShortened checks that long names of files stay inside the picture, in the title
// and in the legend. In an earlier version only spaces divided a title, and a legend was never
// shortened.
func TestLongNamesAreShortened(t *testing.T) {
	s := newFixture(t)
	long := strings.Repeat("a_long_name_", 12) + "of_2026.txt"
	s.file(long, "1\n2\n3\n")
	s.file("v.txt", "1\n2\n")
	for _, args := range []string{"spectrum --out p.svg " + long, "density --out p.svg v.txt " + long} {
		if _, stderr, status := s.run(append([]string{"plot"}, strings.Fields(args)...)...); status != cli.StatusSuccess {
			t.Fatalf("plot %s: %s", args, stderr)
		}
		checkTexts(t, args, "p.svg")
		if text := svgText(t, "p.svg"); !strings.Contains(text, "a_long_name_") || !strings.Contains(text, "…") || !strings.Contains(text, "of_2026.txt") {
			t.Errorf("plot %s: %s", args, text)
		}
	}
}

// TestLogarithmicAxesReachTheTitle checks that the highest label of a logarithmic axis is near the
// title. In an earlier version gonum left space for half of the axis's own label.
func TestLogarithmicAxesReachTheTitle(t *testing.T) {
	s := newFixture(t)
	s.file("decay.txt", "1e-9\n1e-5\n1\n")
	if _, stderr, status := s.run("plot", "spectrum", "--log", "--out", "p.svg", "decay.txt"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	_, texts := placedTexts(t, "p.svg")
	title, top := -1.0, -1.0
	for _, at := range texts {
		switch at.text {
		case "Eigenvalues of decay.txt, n = 3":
			title = at.y1
		case "1e0":
			top = at.y0
		}
	}
	if !(title >= 0 && top >= title && top <= title+30) {
		t.Errorf("the title ends at %g, the highest label begins at %g", title, top)
	}
}

// A placedText is a text and the box that it fills in the widest font, with y downwards.
type placedText struct {
	text           string
	x0, y0, x1, y1 float64
}

// checkTexts checks that all texts of an SVG file are inside the picture and do not overlap.
func checkTexts(t *testing.T, what, file string) {
	t.Helper()
	page, texts := placedTexts(t, file)
	for i, a := range texts {
		if !(a.x0 >= 0 && a.x1 <= page.x1 && a.y0 >= 0 && a.y1 <= page.y1) {
			t.Errorf("plot %s: %q is not in the picture of %g × %g: %+v", what, a.text, page.x1, page.y1, a)
		}
		for _, b := range texts[:i] {
			if !(a.x0 >= b.x1 || b.x0 >= a.x1 || a.y0 >= b.y1 || b.y0 >= a.y1) {
				t.Errorf("plot %s: %+v and %+v cover each other", what, a, b)
			}
		}
	}
	if len(texts) < 4 {
		t.Errorf("plot %s: %d texts", what, len(texts))
	}
}

// placedTexts returns the page of an SVG file and its texts. In these files y grows upwards for
// texts, and the labels of y axes are rotated by 90 degrees.
func placedTexts(t *testing.T, file string) (page placedText, texts []placedText) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	turned := []bool{} // of the open groups
	var now *placedText
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if err == io.EOF {
			return page, texts
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attribute := map[string]string{}
			for _, a := range e.Attr {
				attribute[a.Name.Local] = a.Value
			}
			switch e.Name.Local {
			case "svg":
				fmt.Sscanf(attribute["viewBox"], "0 0 %g %g", &page.x1, &page.y1)
			case "g":
				turned = append(turned, strings.Contains(attribute["transform"], "rotate"))
			case "text":
				var x, y, width, size float64
				fmt.Sscan(attribute["x"]+" "+attribute["y"]+" "+attribute["textLength"], &x, &y, &width)
				_, after, _ := strings.Cut(attribute["style"], "font-size:")
				fmt.Sscan(strings.TrimSuffix(after, "px"), &size)
				width *= 1.2 // a viewer may draw another font, which is up to a fifth wider
				if attribute["text-anchor"] == "middle" {
					x -= width / 2
				}
				const above, below = 0.72, 0.2 // of the size of the font
				now = &placedText{x0: x, x1: x + width, y0: page.y1 + y - above*size, y1: page.y1 + y + below*size}
				for _, quarter := range turned {
					if quarter { // (x, y) is turned to (y, −x) in a picture whose y goes down
						now = &placedText{x0: y - above*size, x1: y + below*size, y0: page.y1 - x - width, y1: page.y1 - x}
					}
				}
			}
		case xml.CharData:
			if now != nil {
				now.text = string(e)
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "g":
				turned = turned[:len(turned)-1]
			case "text":
				texts, now = append(texts, *now), nil
			}
		}
	}
}
