package cluster

import (
	"unsafe"

	"github.com/vkevd/vkevd/evd/matio"
)

// StoreNPY writes the vectors to a .npy file in Fortran order. Column j of the file belongs to
// Values[j]. n is the order of the matrix. Each process writes whole columns, in parallel with the
// other processes, so all processes must see the same file system. The file appears complete or not
// at all. The error is a *ProcessError or an error of the file system. StoreNPY panics if the
// Solution has no vectors.
func (r *Solution) StoreNPY(path string, n int) error {
	k := len(r.Values)
	var file *matio.SharedNPY
	var err error
	name := make([]byte, longestText)
	if r.w.Rank() == 0 {
		if file, err = matio.CreateShared(path, n, k); err == nil {
			copy(name, file.Temporary())
		}
	}
	if err := r.w.Agree(err); err != nil {
		return err
	}
	r.w.all.share(name, 0)
	if r.w.Rank() != 0 && r.members != nil {
		file, err = matio.JoinShared(text(name), n, k)
	}
	if err = r.w.Agree(err); err == nil && r.members != nil && k > 0 {
		err = r.write(file, n)
	}
	if file != nil {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}
	err = r.w.Agree(err)
	if r.w.Rank() == 0 {
		if err != nil {
			file.Abort()
		} else {
			err = file.Commit()
		}
	}
	return r.w.Agree(err)
}

// write stores the vectors in the file, some columns at a time: the processes exchange elements until
// each has its share of these columns whole, and then write them.
func (r *Solution) write(file *matio.SharedNPY, n int) error {
	w := slabColumns(n, r.members.size())
	slab := make([]float64, w*n)
	for from := r.from; from < r.to; from += w * r.members.size() {
		columns := min(w*r.members.size(), r.to-from)
		r.grid.collect(slab, w, columns, r.q, from)
		mine := min(r.members.rank()*w, columns)
		var err error
		for l := 0; l < min(w, columns-mine) && err == nil; l++ {
			j := from + mine + l - r.from
			if r.reversed {
				j = r.to - r.from - 1 - j
			}
			err = file.WriteColumn(j, slab[l*n:(l+1)*n])
		}
		if err := agree(r.members, err); err != nil {
			return err
		}
	}
	return nil
}

func raw(x []float64) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x))
}
