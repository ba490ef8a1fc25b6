package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
)

// TestValuesBeyondTheLargestDouble runs solve and svd on a real device, for matrices with a value
// that is larger than every double. The values must be written, the exit status must be 1, and the
// last line on standard error must name the value. No form of --verify may pass the result.
func TestValuesBeyondTheLargestDouble(t *testing.T) {
	when.Skip(t, when.Quick, "tests of evd solve such matrices")
	const m = math.MaxFloat64
	theirs, err := os.ReadFile("../../evd/matio/testdata/files/overflow.npy")
	if err != nil {
		t.Fatal(err)
	}
	s := newFixture(t)
	s.file("overflow.npy", string(theirs))
	s.file("A.npy", npy(2, 2, m, m, m, m))
	s.file("B.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{m, m, m, m}))
	s.file("T.txt", "1.7976931348623157e308 1.7976931348623157e308\n1.7976931348623157e308 0\n")
	s.file("F.mtx", "%%MatrixMarket matrix array real general\n2 2\n3e38\n3e38\n3e38\n3e38\n")
	const (
		eigenvalue = "eigenvalue 1 is beyond the largest float64, and is +Inf in the result (indices from 0)"
		singular   = "singular value 0 is beyond the largest float64, and is +Inf in the result (indices from 0)"
	)
	for args, want := range map[string]string{
		"solve --values-only A.npy":                         "A.npy, n = 2: " + eigenvalue,
		"solve --largest 1 --out-vectors q.npy A.npy":       "A.npy, n = 2: " + eigenvalue,
		"solve --verify --values-only A.npy":                "A.npy, n = 2: " + eigenvalue,
		"solve --verify --out-vectors q.npy A.npy":          "A.npy, n = 2: " + eigenvalue,
		"solve --precision mixed --out-vectors q.npy A.npy": "A.npy, n = 2: " + eigenvalue,
		"solve --tridiagonal T.txt":                         "T.txt, n = 2: " + eigenvalue,
		"svd A.npy":                                         "A.npy, 2 by 2: " + singular,
		"svd --verify A.npy":                                "A.npy, 2 by 2: " + singular,
		"svd --verify overflow.npy":                         "overflow.npy, 2 by 2: " + singular,
		"svd --verify --out-u u.npy A.npy":                  "A.npy, 2 by 2: " + singular,
		"svd --bidiagonal T.txt":                            "T.txt, 2 by 2: " + singular,
		"solve --batch B.npy":                               "B.npy: a value of 1 matrix is beyond the largest number of its type",
	} {
		stdout, stderr, status := s.real(append(strings.Fields(args), "--out-values", "v.txt")...)
		if status != cli.StatusNumerical || lastLine(stderr) != "vkevd: "+want || !strings.Contains(stdout, "+Inf") {
			t.Errorf("%s: status %d, %q\n%s\nwant %s", args, status, stdout, stderr, want)
		}
		if values, err := os.ReadFile("v.txt"); err != nil || !strings.Contains(string(values), "+Inf") {
			t.Errorf("%s: the file of values: %q, %v", args, values, err)
		}
		if strings.Contains(args, "--verify") != strings.Contains(stderr, "NOT verified: ") && !strings.Contains(args, "mixed") {
			t.Errorf("%s: %s", args, stderr)
		}
		if strings.Contains(stderr, "\nverified") {
			t.Errorf("%s passes the certificate: %s", args, stderr)
		}
		os.Remove("v.txt")
	}
	// The eigenvalues of a matrix of float32 are returned as doubles. The value 6e38 is no float32,
	// but a double.
	stdout, stderr, status := s.real("solve", "--precision", "f32", "--largest", "1", "F.mtx")
	if x, err := strconv.ParseFloat(strings.TrimSpace(stdout), 64); err != nil || status != cli.StatusSuccess || !(math.Abs(x/6e38-1) < 1e-6) {
		t.Errorf("F.mtx: status %d, %q, %s", status, stdout, stderr)
	}
	if _, stderr, _ := s.real("solve", "--batch", "B.npy"); !strings.Contains(stderr, "matrix 1: "+eigenvalue) {
		t.Errorf("--batch: %s", stderr)
	}
}

// TestReportOfAnInfiniteCertificate checks reports about results whose certificates, ratios and
// values are not finite. Such numbers are null, and the values and the verdict are still printed.
func TestReportOfAnInfiniteCertificate(t *testing.T) {
	const m = math.MaxFloat64
	s := newFixture(t)
	s.file("A.npy", npy(2, 2, m, m, m, m))
	for args, path := range map[string][]string{
		"svd --check A.npy":                        {"certificate", "counts"},
		"svd --check --out-u u.npy A.npy":          {"ratios", "certificate"},
		"svd --verify A.npy":                       {"certificate", "counts"},
		"solve --verify --out-vectors q.npy A.npy": {"certificate", "residual"},
		"solve --check A.npy":                      {"ratios", "residual"},
	} {
		stdout, stderr, status := s.real(append(strings.Fields(args), "--report", "r.json", "--out-values", "v.json")...)
		if status != cli.StatusNumerical || !strings.Contains(stdout, "+Inf") {
			t.Errorf("%s: status %d, %q\n%s", args, status, stdout, stderr)
		}
		var r map[string]any
		text, _ := os.ReadFile("r.json")
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v, %s", args, err, text)
		}
		part, _ := r[path[0]].(map[string]any)
		if x, there := part[path[1]]; !there || x != nil || r["file"] != "A.npy" || r["n"] != 2.0 || r["values"] != 2.0 || r["device"] == "" {
			t.Errorf("%s: %v of %v in\n%s", args, x, path, text)
		}
		if values, err := os.ReadFile("v.json"); err != nil || !strings.Contains(string(values), "null") {
			t.Errorf("%s: values %q, %v", args, values, err)
		}
	}
}

// TestFiniteJSON compares the objects of the function `Finite` with those of encoding/json, for
// reports whose numbers are all finite.
func TestFiniteJSON(t *testing.T) {
	known := report.NewFacts("A")
	known.Ratios, known.Seconds["read"] = report.Measures{{Name: "residual", Ratio: 0.5}}, 2
	known.Certificate = &evd.Certificate{Counts: 3, Ratios: evd.Ratios{Residual: 1}}
	known.Refinement = &evd.Refinement{Changes: []float64{0.5, 0.25}, Cold: "far"}
	r := batchFacts{Facts: known, Matrices: 2, Failed: []failedMatrix{{"1", "bad"}}}
	for _, value := range []any{
		known, *known, r, &r, report.SvdFacts{Facts: known, Rows: 2, Certificate: &svd.Certificate{Counts: 2, Vectors: &svd.Ratios{Left: 3}}},
		report.SvdFacts{Facts: report.NewFacts("B")}, map[string]any{"a": []int{1, 2}, "b": nil, "c": []string(nil)}, []float64{}, nil, 1.5, "x",
		struct {
			Skipped int     `json:"-"`
			Empty   []int   `json:"empty,omitempty"`
			Kept    []int   `json:"kept"`
			Small   float32 `json:"small,omitempty"`
			Any     any     `json:"any"`
		}{Any: map[string]float64{"x": 1}},
	} {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(cli.Finite(reflect.ValueOf(value)))
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil {
			t.Fatalf("%s, %s", want, got)
		}
		want, _ = json.Marshal(a)
		got, _ = json.Marshal(b)
		if !bytes.Equal(want, got) {
			t.Errorf("%T:\n got %s\nwant %s", value, got, want)
		}
	}
}
