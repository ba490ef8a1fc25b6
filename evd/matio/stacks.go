package matio

import (
	"fmt"
	"io"
	"strings"
)

// Stacks holds the matrices of a file, as ReadStacks reads them.
type Stacks struct {
	// Named is true if All has every array of a .npz file. If it is false, All has one stack
	// without a name: a .npy file, or the array of a .npz file that the caller chose.
	Named bool

	// All has the arrays of the file, in the order of the file.
	All []NamedStack
}

// NamedStack is one array of a file: a stack of matrices, and the name of the array in the file.
type NamedStack struct {
	// Name is the name of the array in a .npz file. It is "" if Stacks.Named is false.
	Name string

	// Dims is the number of dimensions of the array: 3 for a stack, 2 for one matrix. The Count of
	// one matrix is 1.
	Dims int

	Stack
}

// ReadStacksFile reads many matrices from a file, compressed with gzip or not:
//
//	FILE.npy         a stack: an array of three dimensions, count×rows×cols
//	FILE.npz         all arrays of the archive, each a matrix of two dimensions or a stack
//	FILE.npz:ARRAY   one array of the archive, a stack
//
// Options.Array means the same as ARRAY in the path. The errors are those of ReadFile. Two arrays
// with the same name, and a matrix that scipy.sparse.save_npz wrote, are errors, too.
func (o Options) ReadStacksFile(path string) (*Stacks, error) {
	path, o = o.arrayOf(path)
	return fromFile(path, o.ReadStacks)
}

// ReadStacks reads many matrices from a stream, as ReadStacksFile does from a file. `name` stands
// for the file's name in errors.
func (o Options) ReadStacks(r io.Reader, name string) (*Stacks, error) {
	return packedOrPlain(r, name, o.stacks, func(in *input) (*Stacks, error) {
		if err := o.hasNoArrays(in); err != nil {
			return nil, err
		}
		return o.readOneStack(in)
	})
}

// ReadEitherStacksFile does the same as ReadStacksFile, and takes complex matrices, too. They are
// in Stack.Complex.
func (o Options) ReadEitherStacksFile(path string) (*Stacks, error) {
	o.complexToo = true
	return o.ReadStacksFile(path)
}

// ReadEitherStacks does the same as ReadStacks, and takes complex matrices, too.
func (o Options) ReadEitherStacks(r io.Reader, name string) (*Stacks, error) {
	o.complexToo = true
	return o.ReadStacks(r, name)
}

func (o Options) readOneStack(in *input) (*Stacks, error) {
	a, err := o.readStacked(in, isStack)
	if err != nil {
		return nil, err
	}
	return &Stacks{All: []NamedStack{{Dims: 3, Stack: a.Stack}}}, nil
}

func (o Options) readStacked(in *input, fits func(shape []int) string) (*array, error) {
	a, err := readArray(in, fits, o.complexToo)
	if err == nil && in.complex {
		if a.Complex = pairsOf(a.Data); a.Complex == nil {
			a.Complex = []complex128{} // an empty stack is complex, too
		}
		a.Data = nil
	}
	return a, err
}

func (o Options) stacks(z *archive) (*Stacks, error) {
	if o.Array != "" {
		member, err := z.findArray(o)
		if err != nil {
			return nil, err
		}
		return inside(z, member, o.readOneStack)
	}
	if z.isSparse() {
		return nil, z.errorf("a sparse matrix of scipy, not an archive of many matrices")
	}
	all := &Stacks{Named: true}
	for _, member := range z.files {
		name, npy := strings.CutSuffix(member.Name, npyEnding)
		if !npy {
			continue
		}
		a, err := inside(z, member, func(in *input) (*array, error) { return o.readStacked(in, isMatrixOrStack) })
		if err != nil {
			return nil, err
		}
		all.All = append(all.All, NamedStack{name, a.dims, a.Stack})
	}
	if len(all.All) == 0 {
		return nil, z.noArrays()
	}
	return all, nil
}

// Stack is Count matrices of Rows×Cols elements, each stored by columns. Element (i, j) of matrix k
// is Data[k·Rows·Cols + i + j·Rows], where i, j and k count from 0. The caller owns Data.
type Stack struct {
	Count, Rows, Cols int
	Data              []float64

	// Complex has the elements of complex matrices, and Data is nil then.
	Complex []complex128

	Single bool
}

// ReadStackFile reads a .npy file of three dimensions, count×rows×cols, compressed with gzip or
// not. NumPy's save writes such a file for a stack of matrices. A stack in Fortran order needs
// memory for two copies while it is read. The errors are those of ReadFile.
func ReadStackFile(path string) (*Stack, error) {
	return fromFile(path, ReadStack)
}

// ReadStack reads a stack of matrices from a stream, as ReadStackFile does from a file. `name`
// stands for the file's name in errors.
func ReadStack(r io.Reader, name string) (*Stack, error) {
	return opened(r, name, func(in *input) (*Stack, error) {
		a, err := readArray(in, isStack, false)
		if err != nil {
			return nil, err
		}
		return &a.Stack, nil
	})
}

// WriteStack writes count×rows×cols elements as a .npy file (version 1.0, C order, of the type T),
// which numpy.load reads as an array of three dimensions. The function matrix(k) returns matrix k,
// stored by columns with leading dimension rows. WriteStack does not keep the slice. The errors are
// those of w. A matrix with another number of elements is an error, too.
func WriteStack[T float32 | float64 | complex64 | complex128](w io.Writer, count, rows, cols int, matrix func(k int) []T) error {
	g := newGather(w)
	g.npyArray(descr[T](), false, fmt.Sprintf("(%d, %d, %d)", count, rows, cols))
	var turned []T
	for k := 0; k < count && g.err == nil; k++ {
		a := matrix(k)
		if len(a) != rows*cols {
			return fmt.Errorf("matio: matrix %d has %d elements, not %d", k, len(a), rows*cols)
		}
		if k == 0 {
			turned = make([]T, len(a))
		}
		for i := range rows {
			for j := range cols {
				turned[i*cols+j] = a[i+j*rows]
			}
		}
		npyElements(g, turned)
	}
	return g.flush()
}

// WriteRows writes a .npy file of two dimensions in C order, one row after another. Each row must
// have cols elements. Otherwise WriteRows returns an error.
func WriteRows[T float32 | float64](w io.Writer, cols int, rows [][]T) error {
	g := newGather(w)
	g.npyArray(descr[T](), false, fmt.Sprintf("(%d, %d)", len(rows), cols))
	for k, row := range rows {
		if len(row) != cols {
			return fmt.Errorf("matio: row %d has %d elements, not %d", k, len(row), cols)
		}
		npyElements(g, row)
	}
	return g.flush()
}
