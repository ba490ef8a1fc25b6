package matio

import (
	"io"
	"os"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
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
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return o.ReadStacks(f, path)
}

// ReadStacks reads many matrices from a stream, as ReadStacksFile does from a file. `name` stands
// for the file's name in errors.
func (o Options) ReadStacks(r io.Reader, name string) (*Stacks, error) {
	return readEither(r, name, o.stacks, func(in *input) (*Stacks, error) {
		if err := o.hasNoArrays(name); err != nil {
			return nil, err
		}
		s, err := readStack(in)
		if err != nil {
			return nil, err
		}
		return oneStack(s), nil
	})
}

// oneStack returns Stacks with one stack, which has no name.
func oneStack(s *Stack) *Stacks { return &Stacks{All: []NamedStack{{Dims: 3, Stack: *s}}} }

// stacks reads the array that the options name, or all arrays of the archive if they name none.
func (o Options) stacks(r io.ReaderAt, size int64, name string) (*Stacks, error) {
	z, err := openArchive(r, size, name)
	if err != nil {
		return nil, err
	}
	if o.Array != "" {
		return z.oneStack(o.Array)
	}
	if z.isSparse() {
		return nil, &FormatError{name, 0, "a sparse matrix of scipy, not an archive of many matrices"}
	}
	all := &Stacks{Named: true}
	for _, member := range z.files {
		array, npy := strings.CutSuffix(member.Name, npyEnding)
		if !npy {
			continue
		}
		if err := z.open(member, func(in *input) error {
			s, err := readMatrices(in)
			if err == nil {
				s.Name = array
				all.All = append(all.All, *s)
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	if len(all.All) == 0 {
		return nil, &FormatError{name, 0, z.noArrays()}
	}
	return all, nil
}

// oneStack reads the array with the given name, which must be a stack of matrices.
func (z *archive) oneStack(array string) (*Stacks, error) {
	member, complaint := z.findArray(array)
	if complaint != "" {
		return nil, &FormatError{z.name, 0, complaint}
	}
	var s *Stack
	err := z.open(member, func(in *input) (err error) {
		s, err = readStack(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return oneStack(s), nil
}

// readMatrices reads an array of two dimensions as one matrix, and of three dimensions as a stack.
func readMatrices(in *input) (*NamedStack, error) {
	a, err := readArray(in, memory.MostElements, isMatrixOrStack)
	if err != nil {
		return nil, err
	}
	return &NamedStack{Dims: a.dims, Stack: a.Stack}, nil
}
