package vk

import (
	"context"
	"sort"
)

// UploadParts copies matrices to the device, one after another without gaps. Matrix k begins at the
// element whose index is the number of elements of matrices 0, …, k−1. UploadParts takes as long as
// one Upload of all elements. It panics if a matrix is inconsistent, or if all matrices together
// have more elements than `dst`.
func UploadParts[T any](ctx context.Context, d *Device, dst Slice[T], src []Columns[T]) error {
	p := partsOf(dst.n, src)
	return transfer(ctx, d, dst.bytes(), dst.elem(), p.elements(), func(half []byte, from, to int) {
		p.pieces(from, to, func(host []T, at int) {
			copy(view[T](half)[at:], host)
		})
	}, true)
}

// DownloadParts copies matrices from `src` to `dst`. The matrices lie at `src` one after another
// without gaps, as UploadParts places them. DownloadParts panics if a matrix is inconsistent, or if
// all matrices together have more elements than `src`.
func DownloadParts[T any](ctx context.Context, d *Device, dst []Columns[T], src Slice[T]) error {
	p := partsOf(src.n, dst)
	return transfer(ctx, d, src.bytes(), src.elem(), p.elements(), func(half []byte, from, to int) {
		p.pieces(from, to, func(host []T, at int) {
			copy(host, view[T](half)[at:])
		})
	}, false)
}

// parts is a list of matrices on the host that are copied together. ends[k] is the number of
// elements of the matrices 0, …, k.
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

// pieces visits the elements [from, to) of all matrices in order, by contiguous parts on the host. `at`
// is the number of elements visited before.
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
