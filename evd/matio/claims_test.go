package matio

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

// someFile is the same content as a stream and as a file with a path.
type someFile struct {
	stream func() io.Reader
	path   string
}

// readers has all functions and methods of this package that read a file.
var readers = map[string]func(c someFile) error{
	"Read":             func(c someFile) error { _, err := Read(c.stream(), "f"); return err },
	"ReadFile":         func(c someFile) error { _, err := ReadFile(c.path); return err },
	"ReadMatrixMarket": func(c someFile) error { _, err := ReadMatrixMarket(c.stream(), "f"); return err },
	"ReadNPY":          func(c someFile) error { _, err := ReadNPY(c.stream(), "f"); return err },
	"ReadNPZ":          func(c someFile) error { _, err := ReadNPZ(c.stream(), "f", ""); return err },
	"ReadCSV":          func(c someFile) error { _, err := ReadCSV(c.stream(), "f"); return err },
	"ReadVector":       func(c someFile) error { _, err := ReadVector(c.stream(), "f"); return err },
	"ReadVectorFile":   func(c someFile) error { _, err := ReadVectorFile(c.path); return err },
	"ReadStack":        func(c someFile) error { _, err := ReadStack(c.stream(), "f"); return err },
	"ReadStackFile":    func(c someFile) error { _, err := ReadStackFile(c.path); return err },
	"ReadTridiagonal":  func(c someFile) error { _, err := ReadTridiagonal(c.stream(), "f"); return err },
	"ReadTridiagonalFile": func(c someFile) error {
		_, err := ReadTridiagonalFile(c.path)
		return err
	},
	"Options.Read": func(c someFile) error {
		_, err := Options{Format: MatrixMarket}.Read(c.stream(), "f")
		return err
	},
	"Options.ReadEither":     func(c someFile) error { _, _, err := Options{}.ReadEither(c.stream(), "f"); return err },
	"Options.ReadEitherFile": func(c someFile) error { _, _, err := Options{}.ReadEitherFile(c.path); return err },
	"Options.ReadCSV": func(c someFile) error {
		_, err := Options{Triangle: LowerTriangle}.ReadCSV(c.stream(), "f")
		return err
	},
	"Options.ReadFile": func(c someFile) error { _, err := Options{Array: "A"}.ReadFile(c.path); return err },
	"Options.ReadTridiagonal": func(c someFile) error {
		_, err := Options{Format: MatrixMarket}.ReadTridiagonal(c.stream(), "f")
		return err
	},
	"Options.ReadTridiagonalFile": func(c someFile) error {
		_, err := Options{Array: "A"}.ReadTridiagonalFile(c.path)
		return err
	},
	"Options.ReadStacks":     func(c someFile) error { _, err := Options{}.ReadStacks(c.stream(), "f"); return err },
	"Options.ReadStacksFile": func(c someFile) error { _, err := Options{Array: "A"}.ReadStacksFile(c.path); return err },
	"Options.ReadEitherStacks": func(c someFile) error {
		_, err := Options{}.ReadEitherStacks(c.stream(), "f")
		return err
	},
	"Options.ReadEitherStacksFile": func(c someFile) error {
		_, err := Options{}.ReadEitherStacksFile(c.path)
		return err
	},
	"ReadAll":         func(c someFile) error { _, err := ReadAll(c.stream(), "f"); return err },
	"OpenNPYColumns":  openColumns,
	"NPYColumns.Read": openColumns,
}

// openColumns opens a file. It reads the first column, or the first row if the file is stored by
// rows, unless that has more than 1024 elements.
func openColumns(c someFile) error {
	n, err := OpenNPYColumns(c.path)
	if err != nil {
		return err
	}
	defer n.Close()
	length, count := n.Rows, n.Cols
	if n.ByRows {
		length, count = count, length
	}
	if count == 0 || length > 1<<10 {
		return nil
	}
	return n.Read(make([]float64, length), 0, 1)
}

// TestAllReadersAreInTheTable compares the table `readers` with the functions of this package.
func TestAllReadersAreInTheTable(t *testing.T) {
	names := map[string]bool{}
	for _, file := range goFiles(t) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Read") && !strings.HasPrefix(f.Name.Name, "Open") {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if of := of.(*ast.Ident); !of.IsExported() {
					continue
				} else {
					name = of.Name + "." + name
				}
			}
			names[name] = true
		}
	}
	got, want := slices.Sorted(maps.Keys(readers)), slices.Sorted(maps.Keys(names))
	if !slices.Equal(got, want) {
		t.Errorf("the table `readers` has\n%q\nthe package has\n%q", got, want)
	}
}

// goFiles parses the Go files of this package, without its tests.
func goFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no Go files: ", err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestOneFunctionAllocates checks that this package makes no slices of doubles itself. Package
// memory makes them, so that no reader can forget to ask for the memory.
func TestOneFunctionAllocates(t *testing.T) {
	for name, file := range goFiles(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			of, ok := call.Args[0].(*ast.ArrayType)
			if f, isName := call.Fun.(*ast.Ident); !ok || !isName || f.Name != "make" {
				return true
			}
			if e, ok := of.Elt.(*ast.Ident); ok && e.Name == "float64" {
				t.Errorf("%s makes a slice of doubles: call memory.Allocate, Grow or Push", name)
			}
			return true
		})
	}
}

// readAllWays reads a file with all readers. It fails if an error has an unknown type, or if a
// reader allocates more than `most` bytes. It returns how many readers reported a *TooLargeError.
func readAllWays(t *testing.T, name string, c someFile, most uint64) (large int) {
	for reader, read := range readers {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read(c)
		runtime.ReadMemStats(&after)
		switch {
		case errors.As(err, new(*TooLargeError)):
			large++
		case err != nil && !errors.As(err, new(*FormatError)) && !errors.As(err, new(*NotSquareError)):
			t.Errorf("%s, %s: %v", name, reader, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s, %s: %d bytes allocated; error %v", name, reader, got, err)
		}
	}
	return large
}

// TestClaimsAllocateNothing reads files of a few bytes whose headers declare large matrices. Each
// may cost at most 4 MiB of memory, because no reader trusts the declared size before it has read
// the data. Each must cost little time, even if it declares many matrices without elements.
// (Coordinate files are the exception, because one entry is enough for n² elements.)
func TestClaimsAllocateNothing(t *testing.T) {
	const most = 4 << 20
	array := "%%MatrixMarket matrix array real general\n"
	claims := map[string]string{
		"array":             array + "1000000 1000000\n1\n",
		"array, one column": array + "1000000000000 1\n1\n",
		"array, empty":      array + "1000000000000 0\n",
		"symmetric array":   "%%MatrixMarket matrix array real symmetric\n1000000 1000000\n1\n",
		"coordinates":       "%%MatrixMarket matrix coordinate real general\n2 2 1000000000000\n1 1 1\n",
		"order":             "1000000000000\n1 1\n",
		"complex array":     "%%MatrixMarket matrix array complex hermitian\n1000000 1000000\n1 0\n",
	}
	for _, order := range []bool{false, true} {
		for _, shape := range []string{
			"(1000000, 1000000)", "(1000000000000,)", "(2, 500000000000)", "(500000000000, 2)", "(1000, 1000, 1000000)",
			"(0, 1048576, 1048576)", "(0, 1048576)", "(0, 2, 1000000000000)", "(0, 1099511627776, 1099511627776)",
			"(1000000000000, 0, 0)", "(1000000000000, 0, 3)", "(0, 1000000000000)", "(1000000000000, 0)",
		} {
			for _, descr := range []string{"<f8", "<c16"} {
				file := npyFile(1, dictionary(descr, order, shape))
				claims[descr+shape] = file
				claims[descr+shape+" and an element"] = file + "12345678"
				claims[descr+shape+" stored"] = npz(zip.Store, "A.npy", file)
				claims[descr+shape+" deflated"] = npz(zip.Deflate, "A.npy", file)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "claim")
	for name, claim := range claims {
		for _, streams := range []bool{false, true} {
			if err := os.WriteFile(path, []byte(claim), 0o600); err != nil {
				t.Fatal(err)
			}
			stream := func() io.Reader { return strings.NewReader(claim) }
			if streams {
				stream = func() io.Reader { return streamed(claim) }
			}
			readAllWays(t, name, someFile{stream, path}, most)
		}
	}
}

// A repeated is an endless stream of the same text.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (n int, _ error) {
	for n < len(p) {
		m := copy(p[n:], r.text[r.at:])
		n, r.at = n+m, (r.at+m)%len(r.text)
	}
	return n, nil
}

// TestBombsAreTooLarge reads small compressed files with large contents, files that describe large
// matrices with few entries, and long streams. The system has little memory. No reader may allocate
// much. If some reader takes the format, at least one must report that the content is too large.
func TestBombsAreTooLarge(t *testing.T) {
	when.Skip(t, when.Quick, "it reads megabytes in each format")
	const (
		bomb   = 5 << 20  // bytes of a bomb
		most   = 12 << 20 // bytes that a reader may allocate in all
		many   = 600000   // elements
		market = "%%MatrixMarket matrix "
	)
	limitMemory(t, 0)
	zeros := strings.Repeat("\x00", 8*many)
	elements := func(shape string, order bool) string { return npyFile(1, dictionary("<f8", order, shape)) + zeros }
	ints := func(n int) string { return npyFile(1, dictionary("<i4", false, "(600000,)")) + zeros[:4*n] }
	word := func(s string) string { return npyFile(1, dictionary("|S3", false, "()"), []byte(s)) }
	for _, c := range []struct {
		name, head, rest string
		format           bool // no reader takes the format, so none needs to report a *TooLargeError
	}{
		{"a list of values", "", "1\n", false},
		{"a list in JSON", "[1", ",1", false},
		{"JSON of one number", "[1", "1", true},
		{"JSON of one string", `["`, "x", true},
		{"JSON of objects", `[{"x":[`, "1,", true},
		{"JSON of blanks", "[1", " ", true},
		{"a tridiagonal matrix", "", "1 1\n", false},
		{"a tridiagonal matrix with an order", "100000000\n", "1 1 1\n", false},
		{"a table", "", "1,1\n", false},
		{"a table of one row", "1", ",1", false},
		{"a table with a header of numbers", "x", ",1", true},
		{"comments", "1 2\n# ", "x", true},
		{"blank lines", "1 2\n", "\n", true},
		{"a long number", "1 ", "2", true},
		{"an array", market + "array real general\n100000000 1\n", "1\n", false},
		{"a symmetric array", market + "array real symmetric\n10000 10000\n", "1\n", false},
		{"a large sparse matrix", market + "coordinate real general\n100000 100000 1\n1 1 1\n", "", false},
		{"a large diagonal", market + "coordinate real general\n1000000000 1000000000 1\n1 1 1\n", "", false},
		{".npy vector", elements("(600000,)", false), "", false},
		{".npy matrix", elements("(2, 300000)", false), "", false},
		{".npy matrix by columns", elements("(300000, 2)", true), "", false},
		{".npy stack", elements("(2000, 2, 150)", false), "", false},
		{".npy stack by columns", elements("(2000, 2, 150)", true), "", false},
		{"an archive", zipMagic, "\x00", false},
		{"a deflated matrix", npz(zip.Deflate, "A.npy", elements("(1000, 600)", false)), "", false},
		{"a deflated stack", npz(zip.Deflate, "A.npy", elements("(1000, 2, 300)", false)), "", false},
		{"deflated diagonals", npz(zip.Deflate, "d.npy", elements("(600000,)", false), "e.npy", elements("(600000,)", false)), "", false},
		{"a large matrix of scipy", sparseFile[float64]("csr", []int64{100000, 100000}, nil, csr, nil, make([]int32, 100001)), "", false},
		{"many entries of scipy", npz(zip.Deflate, "format.npy", word("coo"), "shape.npy", vectorOf("<i8", []int64{9, 9}, 2),
			"data.npy", elements("(600000,)", false), "row.npy", ints(many), "col.npy", ints(many)), "", false},
	} {
		path := filepath.Join(t.TempDir(), "bomb.gz")
		stream := func() io.Reader {
			if c.rest == "" {
				return streamed(c.head)
			}
			return io.LimitReader(io.MultiReader(strings.NewReader(c.head), &repeated{text: c.rest}), bomb)
		}
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		if _, err := io.Copy(z, stream()); err != nil || z.Close() != nil {
			t.Fatal("cannot compress: ", err)
		}
		if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if large := readAllWays(t, c.name, someFile{stream, path}, most); large == 0 && !c.format {
			t.Errorf("%s: no reader finds it too large", c.name)
		}
	}
}
