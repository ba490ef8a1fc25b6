package matio

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkReadLarge reads files of VKEVD_IO mebibytes (1024, say), and beside each what no
// reader can beat: the same file read, or read and unpacked, into nothing. MB are
// those of the file as it is unpacked. The files are in the page cache.
func BenchmarkReadLarge(b *testing.B) {
	mebibytes, err := strconv.Atoi(os.Getenv("VKEVD_IO"))
	if err != nil {
		b.Skip("VKEVD_IO is not set to a size in MiB")
	}
	n := int(math.Sqrt(float64(mebibytes) * (1 << 20) / wordBytes))
	array := func(w io.Writer) error { return WriteNPY(w, n, n, randomSymmetric(n), n) }
	// An entry of the lower triangle with its line feed takes some 20 characters.
	m := int(math.Sqrt(float64(mebibytes) * (1 << 20) / 20 * 2))
	text := func(w io.Writer) error {
		return WriteMatrixMarketSymmetric(w, Array, m, randomSymmetric(m), m)
	}
	for _, c := range []struct {
		name  string
		write func(io.Writer) error
		zip   bool
	}{{"npy", array, false}, {"mtx", text, false}, {"mtx.gz", text, true}} {
		path, size := filepath.Join(b.TempDir(), c.name), int64(0)
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		count := &counter{Writer: f}
		if c.zip {
			z := gzip.NewWriter(f)
			count.Writer = z
			err = c.write(count)
			z.Close()
		} else {
			err = c.write(count)
		}
		f.Close()
		size = count.bytes
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/bound", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				f, _ := os.Open(path)
				r := io.Reader(f)
				if c.zip {
					r, _ = gzip.NewReader(f)
				}
				if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, 1<<18)); n != size || err != nil {
					b.Fatal(n, err)
				}
				f.Close()
			}
		})
		b.Run(c.name+"/read", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if _, err := ReadFile(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Writer.Write(p)
}
