package vk

import (
	"context"
	"fmt"
	"sort"
	"unsafe"
)

// Columns is a host matrix in column-major storage: column j is Data[j·Ld : j·Ld+Rows].
type Columns[T any] struct {
	Rows, Cols, Ld int
	Data           []T
}

func Vector[T any](v []T) Columns[T] { return Columns[T]{len(v), 1, len(v), v} }

// check panics if the matrix has more than n elements, or if its sizes do not fit its slice.
func (c Columns[T]) check(n int) {
	good := c.Rows >= 0 && c.Cols >= 0 && c.Ld >= c.Rows
	if good && c.Rows > 0 && c.Cols > 0 { // divisions, because the products of huge sizes overflow
		good = c.Rows <= n/c.Cols && c.Rows <= len(c.Data) && c.Cols-1 <= (len(c.Data)-c.Rows)/c.Ld
	}
	if !good {
		const message = "vk: transfer of %d×%d, Ld %d, %d elements, to or from %d"
		panic(fmt.Sprintf(message, c.Rows, c.Cols, c.Ld, len(c.Data), n))
	}
}

// Upload copies the matrix `src` to the device, where its columns are contiguous (leading dimension
// Rows). When Upload returns, the host's memory has been read. The device may still be copying:
// later calls that use the device come after the copy. Upload panics if `src` is inconsistent or
// has more elements than `dst`.
func Upload[T any](ctx context.Context, d *Device, dst Slice[T], src Columns[T]) error {
	return UploadParts(ctx, d, dst, []Columns[T]{src})
}

// UploadTriangle is Upload for a matrix of which only one triangle with the diagonal is needed: the
// upper triangle if `upper` is true, otherwise the lower one. The host's elements of the other
// triangle are not read, and those at `dst` get undefined values. For large matrices this is
// faster, because the host copies more slowly than the device.
func UploadTriangle[T any](ctx context.Context, d *Device, dst Slice[T], src Columns[T], upper bool) error {
	src.check(dst.n)
	return transfer(ctx, d, dst.bytes(), dst.elem(), src.Rows*src.Cols, func(half []byte, from, to int) {
		src.pieces(from, to, func(host []T, at int) {
			j, i := (from+at)/src.Rows, (from+at)%src.Rows // of the first element
			begin, end := min(max(j-i, 0), len(host)), len(host)
			if upper {
				begin, end = 0, min(max(j-i+1, 0), len(host))
			}
			copy(view[T](half)[at+begin:at+end], host[begin:])
		})
	}, true)
}

// Download copies a matrix from `src` to `dst`. The columns at `src` are contiguous. Download
// panics if `dst` is inconsistent or has more elements than `src`.
func Download[T any](ctx context.Context, d *Device, dst Columns[T], src Slice[T]) error {
	return DownloadParts(ctx, d, []Columns[T]{dst}, src)
}

// pieces visits the elements [from, to) of the matrix by columns. `host` is the part of a column,
// and `at` is the number of elements visited before.
func (c Columns[T]) pieces(from, to int, visit func(host []T, at int)) {
	for e := from; e < to; {
		j, i := e/c.Rows, e%c.Rows
		n := min(c.Rows-i, to-e)
		visit(c.Data[j*c.Ld+i:j*c.Ld+i+n], e-from)
		e += n
	}
}

func view[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// UploadParts copies matrices to the device, one after another without gaps, in the time of one
// Upload of all elements. UploadParts panics if a matrix is inconsistent, or if all matrices
// together have more elements than `dst`.
func UploadParts[T any](ctx context.Context, d *Device, dst Slice[T], src []Columns[T]) error {
	p := partsOf(dst.n, src)
	return transfer(ctx, d, dst.bytes(), dst.elem(), p.elements(), func(half []byte, from, to int) {
		p.pieces(from, to, func(host []T, at int) {
			copy(view[T](half)[at:], host)
		})
	}, true)
}

// DownloadParts copies matrices that lie at `src` as UploadParts places them. DownloadParts panics
// if a matrix is inconsistent, or if all matrices together have more elements than `src`.
func DownloadParts[T any](ctx context.Context, d *Device, dst []Columns[T], src Slice[T]) error {
	p := partsOf(src.n, dst)
	return transfer(ctx, d, src.bytes(), src.elem(), p.elements(), func(half []byte, from, to int) {
		p.pieces(from, to, func(host []T, at int) {
			copy(host, view[T](half)[at:])
		})
	}, false)
}

// parts is a list of matrices that are copied together. ends[k] is the number of elements of the
// matrices 0, …, k.
type parts[T any] struct {
	columns []Columns[T]
	ends    []int
}

// partsOf panics if a matrix is inconsistent, or if all together have more than n elements.
func partsOf[T any](n int, columns []Columns[T]) parts[T] {
	p, total := parts[T]{columns: columns}, 0
	for _, c := range columns {
		c.check(n - total)
		total += c.Rows * c.Cols
		p.ends = append(p.ends, total)
	}
	return p
}

func (p parts[T]) elements() int {
	if len(p.ends) == 0 {
		return 0
	}
	return p.ends[len(p.ends)-1]
}

// pieces visits the elements [from, to) of all matrices by contiguous parts on the host. `at` is
// the number of elements visited before.
func (p parts[T]) pieces(from, to int, visit func(host []T, at int)) {
	done := 0
	for k := sort.SearchInts(p.ends, from+1); from+done < to; k++ {
		c := p.columns[k]
		begin, end := p.ends[k]-c.Rows*c.Cols, min(to, p.ends[k])
		if c.Ld == c.Rows { // one column of all elements
			c = Columns[T]{Rows: c.Rows * c.Cols, Cols: 1, Ld: c.Rows * c.Cols, Data: c.Data}
		}
		before := done
		c.pieces(from+before-begin, end-begin, func(host []T, at int) { visit(host, before+at) })
		done = end - from
	}
}
