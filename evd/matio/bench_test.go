package matio

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// benchOrder is the order of a matrix whose files are tens of megabytes large, far larger than any
// processor cache.
const benchOrder = 1500

func randomSymmetric(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	a := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			a[i+j*n] = r.NormFloat64()
			a[j+i*n] = a[i+j*n]
		}
	}
	return a
}

func benchmarkRead(b *testing.B, write func(io.Writer, int, []float64) error) {
	var file bytes.Buffer
	if err := write(&file, benchOrder, randomSymmetric(benchOrder)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(file.Bytes()), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadCoordinate(b *testing.B) {
	benchmarkRead(b, func(w io.Writer, n int, a []float64) error {
		return WriteMatrixMarketSymmetric(w, Coordinate, n, a, n)
	})
}

func BenchmarkReadArray(b *testing.B) {
	benchmarkRead(b, func(w io.Writer, n int, a []float64) error {
		return WriteMatrixMarketSymmetric(w, Array, n, a, n)
	})
}

func BenchmarkReadNPY(b *testing.B) {
	benchmarkRead(b, func(w io.Writer, n int, a []float64) error {
		return WriteNPY(w, n, n, a, n)
	})
}

func BenchmarkReadNPYByRows(b *testing.B) {
	benchmarkRead(b, func(w io.Writer, n int, a []float64) error {
		var file bytes.Buffer
		if err := WriteNPY(&file, n, n, a, n); err != nil {
			return err
		}
		_, err := w.Write(bytes.Replace(file.Bytes(), []byte("True, "), []byte("False,"), 1))
		return err
	})
}

func BenchmarkWriteNPY(b *testing.B) {
	a := randomSymmetric(benchOrder)
	b.SetBytes(int64(len(a) * memory.WordBytes))
	for b.Loop() {
		WriteNPY(io.Discard, benchOrder, benchOrder, a, benchOrder)
	}
}

func BenchmarkWriteValues(b *testing.B) {
	a := randomSymmetric(benchOrder)
	var size bytes.Buffer
	WriteValues(&size, a)
	b.SetBytes(int64(size.Len()))
	for b.Loop() {
		WriteValues(io.Discard, a)
	}
}

func BenchmarkSymmetric(b *testing.B) {
	d := &Dense{Rows: benchOrder, Cols: benchOrder, Data: randomSymmetric(benchOrder)}
	b.SetBytes(int64(len(d.Data) * memory.WordBytes))
	for b.Loop() {
		if d.Symmetric() != nil {
			b.Fatal("not symmetric")
		}
	}
}

// BenchmarkReadTable reads a table of numbers with 17 digits, once with commas and once with
// blanks.
func BenchmarkReadTable(b *testing.B) {
	for _, between := range []string{",", " "} {
		b.Run(between, func(b *testing.B) {
			benchmarkRead(b, func(w io.Writer, n int, a []float64) error {
				_, err := io.WriteString(w, printed(&Dense{Rows: n, Cols: n, Data: a}, between))
				return err
			})
		})
	}
}
