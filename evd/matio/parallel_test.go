package matio

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
	"github.com/vkevd/vkevd/evd/matio/internal/stream"
)

// TestReadParallel reads files of stream.ParallelBytes or more, which several goroutines read.
func TestReadParallel(t *testing.T) {
	const rows, cols = stream.ParallelBytes/memory.WordBytes/1000 + 7, 1000
	want := numbered(rows, cols)
	path := filepath.Join(t.TempDir(), "A.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := WriteNPY(f, rows, cols, want.Data, rows); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil || got.Rows != rows || !same(got.Data, want.Data) {
		t.Fatalf("read back: %v", err)
	}

	// The test reads from a position in the middle of the file. Afterwards the position must be at
	// the end of the file.
	before := "something else"
	whole, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte(before), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.Seek(int64(len(before)), io.SeekStart)
	if got, err = ReadNPY(g, "A.npy"); err != nil || !same(got.Data, want.Data) {
		t.Fatalf("from the middle on: %v", err)
	}
	if at, _ := g.Seek(0, io.SeekCurrent); at != int64(len(before)+len(whole)) {
		t.Errorf("the file is left at %d of %d", at, len(before)+len(whole))
	}

	// The file is one byte shorter or one byte longer than its header says.
	for name, size := range map[string]int{"announces": len(whole) - 1, "the file has": len(whole) + 1} {
		data := append(whole[:len(whole):len(whole)], 0)[:size]
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%d bytes of %d: %v", size, len(whole), err)
		}
	}
}

// TestReadParallelOfAFileThatShrinks reads more bytes than the file has, as if the file had become
// shorter after its size was read. The result must be an error.
func TestReadParallelOfAFileThatShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "A")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := stream.FileOf(f).Fill(make([]byte, 101), 0); err != io.ErrUnexpectedEOF {
		t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// BenchmarkReadSymmetric reads a symmetric matrix in row order, as NumPy writes it, and compares
// its triangles. The command vkevd solve does the same before it solves. VKEVD_IO is the size in
// MiB.
func BenchmarkReadSymmetric(b *testing.B) {
	mebibytes, err := strconv.Atoi(os.Getenv("VKEVD_IO"))
	if err != nil {
		b.Skip("VKEVD_IO is not set to a size in MiB")
	}
	n := int(math.Sqrt(float64(mebibytes) * (1 << 20) / memory.WordBytes))
	path := filepath.Join(b.TempDir(), "A.npy")
	head := npyFile(1, dictionary("<f8", false, fmt.Sprintf("(%d, %d)", n, n)))
	if err := os.WriteFile(path, append([]byte(head), numpy.Raw(randomSymmetric(n))...), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(n) * int64(n) * memory.WordBytes)
	for b.Loop() {
		d, err := ReadFile(path)
		if err == nil {
			err = d.Symmetric()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
