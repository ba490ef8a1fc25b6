package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestTextsKeepTheirRoom checks that texts do not overlap bars. In an earlier version the names of
// stages overlapped bars if the viewer did not have the font.
func TestTextsKeepTheirRoom(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	if _, stderr, status := s.run("plot", "stages", "--out", "p.svg", "A.json"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	drawn, _ := os.ReadFile("p.svg")
	face := sans(10)
	width := face.Width("band reduction").Points()
	found := false
	for _, element := range strings.Split(string(drawn), "<text ")[1:] {
		if !strings.Contains(element, ">band reduction<") {
			continue
		}
		var room, middle float64
		if _, err := fmt.Sscanf(element, `text-anchor="middle" textLength="%g" lengthAdjust="spacingAndGlyphs" x="%g"`, &room, &middle); err != nil {
			t.Fatalf("%v: %s", err, element)
		}
		found = math.Abs(room-width) < 0.01*width && middle-room/2 >= 0
	}
	if !found {
		t.Errorf("no text of width %g:\n%s", width, drawn)
	}
}

// TestAxisNamesFit checks that the long name of the first axis of parallel coordinates lies inside
// of the picture. In an earlier version its first letter was cut off.
func TestAxisNamesFit(t *testing.T) {
	s := newFixture(t)
	const name = "ALongName.OfOneSize"
	row := `{"stage":"a","n":1,"tuning":"{\"` + name + `\":%[1]d,\"X\":%[1]d,\"Y\":%[1]d,\"Z\":%[1]d}","seconds_median":%[1]d}`
	s.file("rows", fmt.Sprintf(row+"\n", 1)+fmt.Sprintf(row, 2))
	if _, stderr, status := s.run("plot", "parallel", "--out", "p.svg", "rows"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	drawn, _ := os.ReadFile("p.svg")
	at := bytes.Index(drawn, []byte(">"+name+"<"))
	if at < 0 {
		t.Fatalf("no name: %s", svgText(t, "p.svg"))
	}
	element := string(drawn[bytes.LastIndex(drawn[:at], []byte("<text ")):at])
	var width, middle float64
	if _, err := fmt.Sscanf(element, `<text text-anchor="middle" textLength="%g" lengthAdjust="spacingAndGlyphs" x="%g"`, &width, &middle); err != nil {
		t.Fatalf("%v: %s", err, element)
	}
	if !(middle >= width/2) {
		t.Errorf("a name of width %g has its middle at %g", width, middle)
	}
}

// TestLegendsKeepTheirSamples checks that a text of the legend begins after its sample, and a
// number after its bar, in every font. In an earlier version a viewer that drew a wider font wrote
// over the sample, because all texts were placed by their middle. A long title is folded.
func TestLegendsKeepTheirSamples(t *testing.T) {
	s := newFixture(t)
	s.pictureFiles()
	for args, words := range map[string][]string{
		"stages A.json B.json": {"A.mtx, n = 5, Pretence 9000", "0.75"}, "spectrum v.txt w.npy": {"v.txt, n = 5"},
	} {
		long := strings.Repeat("long ", 60)
		if _, stderr, status := s.run(append([]string{"plot", "--title", long, "--out", "p.svg"}, strings.Fields(args)...)...); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		drawn, _ := os.ReadFile("p.svg")
		for _, word := range words {
			at := strings.Index(string(drawn), ">"+word+"<")
			if at < 0 {
				t.Fatalf("plot %s lacks %q: %s", args, word, svgText(t, "p.svg"))
			}
			if element := drawn[bytes.LastIndex(drawn[:at], []byte("<text ")):at]; !bytes.Contains(element, []byte(`text-anchor="start"`)) {
				t.Errorf("plot %s: %q is placed by %s", args, word, element)
			}
		}
		if text := svgText(t, "p.svg"); strings.Contains(text, long) || strings.Count(text, "long") != 60 {
			t.Errorf("plot %s: a long title: %s", args, text)
		}
	}
}

// sans returns the font of all texts.
func sans(size font.Length) font.Face {
	f := plot.DefaultFont
	f.Variant = "Sans"
	return font.DefaultCache.Lookup(f, size)
}
