package matio

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

func TestMarketWithoutBannerWhereAskedFor(t *testing.T) {
	o := Options{Format: MatrixMarket}
	for _, c := range []struct{ text, want string }{
		{"2 2 3\n1 1 5\n2 1 -1\n2 2 7\n", "&{2 2 [5 -1 0 7] false false <nil>}"},
		{"% a comment\n\n2 2\n5\n-1\n0\n7\n", "&{2 2 [5 -1 0 7] false false <nil>}"},
		{symmetric + "2 2 1\n2 1 3\n", "&{2 2 [0 3 3 0] true false <nil>}"},
		{"2 2 3\n1 1 5\n", "a.mtx:2: the file ends after 1 of 3 entries"},
		{"hello\n", "a.mtx:1: number of rows: \"hello\" is not an integer from 0 to " + fmt.Sprint(memory.MostElements)},
	} {
		d, err := o.Read(strings.NewReader(c.text), "a.mtx")
		got := fmt.Sprint(d)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	d, err := o.ReadTridiagonal(strings.NewReader("2 2 4\n1 1 5\n2 1 -1\n1 2 -1\n2 2 7\n"), "a.mtx")
	if err != nil || !same(d.D, []float64{5, 7}) || !same(d.E, []float64{-1}) {
		t.Errorf("tridiagonal: %v, %v", d, err)
	}
}

func TestArrayOfAnArchiveByName(t *testing.T) {
	one := func(x float64) string { return npyFile(1, dictionary("<f8", false, "(1, 1)"), x) }
	path := filepath.Join(t.TempDir(), "f.npz")
	if err := os.WriteFile(path, []byte(npz(zip.Deflate, "K.npy", one(3), "M.npy", one(5))), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := (Options{Array: "M"}).ReadFile(path); err != nil || d.At(0, 0) != 5 {
		t.Errorf("M: %v, %v", d, err)
	}
}

// vectorOf returns the content of a .npy file with n elements in one dimension.
func vectorOf(descr string, elements any, n int) string {
	return npyFile(1, dictionary(descr, false, fmt.Sprintf("(%d,)", n)), elements)
}

// sparseFile returns the content of a file of scipy.sparse.save_npz. The indices have type int32.
func sparseFile[T float64 | complex128](format string, shape []int64, data []T, names [2]string, a, b []int32) string {
	return npz(zip.Deflate,
		names[0]+".npy", vectorOf("<i4", a, len(a)), names[1]+".npy", vectorOf("<i4", b, len(b)),
		"format.npy", npyFile(1, dictionary("|S3", false, "()"), []byte(format)),
		"shape.npy", vectorOf("<i8", shape, len(shape)), "data.npy", vectorOf(descr[T](), data, len(data)))
}

var csr, coo = [2]string{"indices", "indptr"}, [2]string{"row", "col"}

// TestScipySparse reads the matrix [4 1 0; 1 5 -2; 0 -2 6] in scipy's sparse formats. It also
// checks the errors for wrong arrays.
func TestScipySparse(t *testing.T) {
	shape, data := []int64{3, 3}, []float64{4, 1, 1, 5, -2, -2, 6}
	for _, c := range []struct{ name, file string }{
		{"csr", sparseFile("csr", shape, data, csr, []int32{0, 1, 0, 1, 2, 1, 2}, []int32{0, 2, 5, 7})},
		{"csc", sparseFile("csc", shape, data, csr, []int32{0, 1, 0, 1, 2, 1, 2}, []int32{0, 2, 5, 7})},
		{"coo", sparseFile("coo", shape, data, coo, []int32{0, 0, 1, 1, 1, 2, 2}, []int32{0, 1, 0, 1, 2, 1, 2})},
		{"coo, an entry in two parts", sparseFile("coo", shape, append([]float64{1, 3}, data[1:]...), coo, []int32{0, 0, 0, 1, 1, 1, 2, 2}, []int32{0, 0, 1, 0, 1, 2, 1, 2})},
	} {
		for way, r := range map[string]io.Reader{"at any place": strings.NewReader(c.file), "in order": streamed(c.file)} {
			d, err := Read(r, "f.npz")
			if err != nil || !same(d.Data, []float64{4, 1, 0, 1, 5, -2, 0, -2, 6}) {
				t.Errorf("%s, %s: %v, %v", c.name, way, d, err)
			}
		}
		tri, err := ReadTridiagonal(strings.NewReader(c.file), "f.npz")
		if err != nil || !same(tri.D, []float64{4, 5, 6}) || !same(tri.E, []float64{1, -2}) {
			t.Errorf("%s as tridiagonal: %v, %v", c.name, tri, err)
		}
	}
	for _, c := range []struct{ name, file, want string }{
		{"csc of a matrix that is not symmetric", sparseFile("csc", []int64{2, 1}, []float64{7}, csr, []int32{1}, []int32{0, 1}), "<nil>"},
		{"column too large", sparseFile("csr", shape, data, csr, []int32{0, 1, 0, 1, 3, 1, 2}, []int32{0, 2, 5, 7}), "f.npz: entry (1,3) is outside the 3 by 3 matrix (counted from 0)"},
		{"negative row", sparseFile("coo", shape, data[:1], coo, []int32{-1}, []int32{0}), "f.npz: entry (-1,0) is outside the 3 by 3 matrix (counted from 0)"},
		{"indptr too large", sparseFile("csr", shape, data, csr, []int32{0, 1, 0, 1, 2, 1, 2}, []int32{0, 2, 5, 8}), "f.npz: indptr points outside the 7 entries"},
		{"indptr descends", sparseFile("csr", shape, data, csr, []int32{0, 1, 0, 1, 2, 1, 2}, []int32{0, 5, 2, 7}), "f.npz: indptr does not ascend from 0: the entries of line 1 are 5 to 2 (counted from 0)"},
		{"indptr begins late", sparseFile("csc", shape, data, csr, []int32{0, 1, 0, 1, 2, 1, 2}, []int32{2, 2, 5, 7}), "f.npz: indptr does not ascend from 0: the entries of line 0 are 2 to 2 (counted from 0)"},
		{"indptr of no lines", sparseFile("csc", []int64{3, 0}, data[:0], csr, nil, []int32{48}), "f.npz: indptr does not ascend from 0, but from 48"},
		{"indptr short", sparseFile("csr", shape, data, csr, []int32{0, 1, 0, 1, 2, 1, 2}, []int32{0, 2, 7}), "f.npz: indptr of 3 and indices of 7 elements for 3 by 3 with 7 entries"},
		{"a row short", sparseFile("coo", shape, data, coo, []int32{0}, []int32{0, 1, 0, 1, 2, 1, 2}), "f.npz: 1 rows and 7 columns for 7 entries"},
		{"another format", sparseFile("dia", shape, data, coo, []int32{0}, []int32{0}), `f.npz: scipy.sparse format "dia" is not supported, only coo, csc, csr: save A.tocsr() instead`},
		{"no indices", sparseFile("csr", shape, data, coo, []int32{0}, []int32{0}), "f.npz: no array is called ind"},
		{"three dimensions", sparseFile("csr", []int64{3, 3, 3}, data, csr, nil, nil), "f.npz: the shape has 3 numbers instead of 2"},
	} {
		_, err := Read(strings.NewReader(c.file), "f.npz")
		if got := fmt.Sprint(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestTridiagonalForms(t *testing.T) {
	d, e := []float64{1, 2, 3}, []float64{4, 5}
	full := append(e[:2:2], 0)
	for _, c := range []struct{ name, file string }{
		{"npz of d and e", npz(zip.Store, "d.npy", vectorOf("<f8", d, 3), "e.npy", vectorOf("<f8", e, 2))},
		{"npz of D and E, both as long", npz(zip.Deflate, "E.npy", vectorOf("<f8", full, 3), "D.npy", vectorOf("<f8", d, 3))},
		{"two rows, as eig_banded takes them", npyFile(1, dictionary("<f8", false, "(2, 3)"), append(d[:3:3], full...))},
		{"two rows by columns", npyFile(1, dictionary("<f8", true, "(2, 3)"), []float64{1, 4, 2, 5, 3, 0})},
		{"commas", "1,4\n2,5\n3,\n"},
		{"commas, no last e", "1,4\n2,5\n3\n"},
		{"semicolons with blanks", "1 ; 4\r\n2 ; 5\r\n3 ; 0\r\n"},
		{"header", "d,e\n1,4\n2,5\n3,0\n"},
		{"quoted header", "\"d\" \"e\"\n1 4\n2 5\n3 0\n"},
		{"pandas", ",d,e\n0,1.0,4.0\n1,2.0,5.0\n2,3.0,0\n"},
	} {
		got, err := ReadTridiagonal(strings.NewReader(c.file), "T")
		if err != nil || !same(got.D, d) || !same(got.E, e) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	bad := npz(zip.Store, "d.npy", vectorOf("<f8", d, 3), "e.npy", vectorOf("<f8", d[:1], 1))
	if _, err := ReadTridiagonal(strings.NewReader(bad), "T"); fmt.Sprint(err) != "T: d has 3 elements, e has 1" {
		t.Errorf("lengths: %v", err)
	}
	// The text "nan" is a number. A first row with it is therefore a row of the matrix, and not a
	// header.
	if got, err := ReadTridiagonal(strings.NewReader("nan 1\n2 0\n"), "T"); err != nil || len(got.D) != 2 {
		t.Errorf("nan: %v, %v", got, err)
	}
}

// TestTridiagonalNamesTheLargestDifference checks the error for a tridiagonal matrix that is not
// symmetric. The error must name the largest difference, and must say whether this difference can
// be a rounding error.
func TestTridiagonalNamesTheLargestDifference(t *testing.T) {
	text := general + "3 3 7\n1 1 2\n2 2 2\n3 3 2\n2 1 1\n1 2 1.0000000000000002\n3 2 1\n2 3 1.0000000000000009\n"
	_, err := ReadTridiagonal(strings.NewReader(text), "T.mtx")
	var e *NotSymmetricError
	if !errors.As(err, &e) || e.Row != 2 || e.Col != 1 || e.Largest != 2 || !e.Rounding() {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestArrayOfNoArchive checks that the name of an array is refused for a file without arrays. In an
// earlier version the name was ignored.
func TestArrayOfNoArchive(t *testing.T) {
	const want = "f: no .npz archive, so it has no array called K"
	o := Options{Array: "K"}
	read := map[string]func() error{
		"a matrix":      func() error { _, err := o.Read(strings.NewReader("1 2\n3 4\n"), "f"); return err },
		"a tridiagonal": func() error { _, err := o.ReadTridiagonal(strings.NewReader("1 2\n3 4\n"), "f"); return err },
		"a stack":       func() error { _, err := o.ReadStacks(strings.NewReader("1 2\n3 4\n"), "f"); return err },
	}
	for what, call := range read {
		if err := call(); fmt.Sprint(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestArchiveOfManyArraysNamesSome(t *testing.T) {
	var members []string
	for i := range 12 {
		members = append(members, fmt.Sprintf("x%d.npy", i), vectorOf("<f8", []float64{1}, 1))
	}
	_, err := Read(strings.NewReader(npz(zip.Store, members...)), "f.npz")
	if want := "x0, x1, x2, x3, x4, x5, x6, x7 and 4 more"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestShapeChoosesTheReading checks tables that may have a header, row names or both. Of the ways
// to read them, the one with the given shape is taken, or else one with the given rows.
func TestShapeChoosesTheReading(t *testing.T) {
	for _, c := range []struct {
		text                   string
		rows, cols, row0, col0 int
	}{
		{"0,1,2\n5,0,1\n0,1,0\n", 2, 3, 2, 3},
		{"0,1,2\n5,0,1\n0,1,0\n", 3, 3, 3, 3},
		{"id,a,b\n1,5,6\n2,7,8\n", 2, 3, 2, 3},
		{"id,a,b\n1,5,6\n2,7,8\n", 2, 2, 2, 2},
		{"0,1,2\n5,0,1\n0,1,0\n", 2, 9, 2, 3},
	} {
		d, err := Options{Rows: c.rows, Cols: c.cols}.Read(strings.NewReader(c.text), "Q.csv")
		if err != nil || d.Rows != c.row0 || d.Cols != c.col0 {
			t.Errorf("%q as %d × %d: %v, %v", c.text, c.rows, c.cols, d, err)
		}
	}
}
