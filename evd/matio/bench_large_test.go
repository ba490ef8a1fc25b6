package matio

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// BenchmarkReadLarge reads files of VKEVD_IO mebibytes (1024, for example). In turn it also
// measures the part of the work that every reader must do: to read the file into memory, or to
// unpack it if it is compressed. All speeds refer to the unpacked size:
//
//	MB/s        the speed of this package
//	bound-MB/s  the speed of reading the file into new memory, or of unpacking it, without parsing
//	of-bound    the first speed divided by the second; near 1 the disk or gzip is the bottleneck
//
// The files are in the page cache. Only for the case cold, the benchmark asks the system to remove
// the file from the cache. The package unpacks and parses at the same time, so mtx.gz needs two
// idle cores. The case mtx has nothing to unpack and shows the cost of parsing. If the speed of mtx
// is larger than the bound of mtx.gz, gzip is the bottleneck of mtx.gz.
func BenchmarkReadLarge(b *testing.B) {
	mebibytes, err := strconv.Atoi(os.Getenv("VKEVD_IO"))
	if err != nil {
		b.Skip("VKEVD_IO is not set to a size in MiB")
	}
	n := int(math.Sqrt(float64(mebibytes) * (1 << 20) / memory.WordBytes))
	array := func(w io.Writer) error { return WriteNPY(w, n, n, randomSymmetric(n), n) }
	// An entry of the lower triangle takes about 20 characters, including its line feed.
	m := int(math.Sqrt(float64(mebibytes) * (1 << 20) / 20 * 2))
	text := func(w io.Writer) error {
		return WriteMatrixMarketSymmetric(w, Array, m, randomSymmetric(m), m)
	}
	for _, c := range []struct {
		name      string
		write     func(io.Writer) error
		zip, cold bool
	}{{name: "npy", write: array}, {name: "npy-cold", write: array, cold: true}, {name: "mtx", write: text}, {name: "mtx.gz", write: text, zip: true}} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "A")
			size, err := writeLarge(path, c.write, c.zip)
			if err != nil {
				b.Fatal(err)
			}
			prepare := func() {
				runtime.GC()
				if !c.cold {
					return
				}
				if err := forget(path); err != nil {
					b.Skip("not to be forgotten: ", err)
				}
			}
			b.SetBytes(size)
			var bound time.Duration
			for b.Loop() {
				b.StopTimer()
				prepare()
				start := time.Now()
				if err := readNothing(path, size, c.zip); err != nil {
					b.Fatal(err)
				}
				bound += time.Since(start)
				prepare()
				b.StartTimer()
				if _, err := ReadFile(path); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size)*float64(b.N)/1e6/bound.Seconds(), "bound-MB/s")
			b.ReportMetric(bound.Seconds()/b.Elapsed().Seconds(), "of-bound")
		})
	}
}

// writeLarge writes a file, compressed if zip is true. It returns the size before compression.
func writeLarge(path string, write func(io.Writer) error, zip bool) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if !zip {
		if err := write(f); err != nil {
			return 0, err
		}
		return f.Seek(0, io.SeekCurrent)
	}
	z := gzip.NewWriter(f)
	count := &counter{Writer: z}
	if err := write(count); err != nil {
		return 0, err
	}
	return count.bytes, z.Close()
}

// readNothing reads a file of `size` bytes into new memory. If `zip` is true, it unpacks the file
// and discards the data. It does not parse the data. Every reader must do at least this work, so
// its time is a lower bound.
func readNothing(path string, size int64, zip bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if !zip {
		_, err := io.ReadFull(f, make([]byte, size))
		return err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, z, make([]byte, 1<<18))
	return err
}

type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Writer.Write(p)
}
