package matio_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vkevd/vkevd/evd/matio"
)

func ExampleRead() {
	const file = `%%MatrixMarket matrix coordinate real symmetric
% the lower triangle; the upper one is filled in
2 2 3
1 1  2.0
2 1 -1.0
2 2  2.0D+00
`
	d, err := matio.Read(strings.NewReader(file), "laplace.mtx")
	fmt.Println(d.Rows, d.Cols, d.Data, err)
	// Output: 2 2 [2 -1 -1 2] <nil>
}

func ExampleDense_Symmetric() {
	d := &matio.Dense{Rows: 2, Cols: 2, Data: []float64{1, 0.5, 0.25, 1}}
	err := d.Symmetric()
	fmt.Println(err)

	// A caller who knows how large rounding errors in the matrix can be may accept this difference.
	var pair *matio.NotSymmetricError
	if errors.As(err, &pair) && pair.Diff < 1e-15 {
		fmt.Println("close enough")
	}
	// Output: matrix is not symmetric: |a(2,1) − a(1,2)| = 0.25 is the largest difference (rows and columns from 1)
}

func ExampleAtomicFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	save := func(path string, values []float64) error {
		f, err := matio.CreateAtomic(path)
		if err != nil {
			return err
		}
		defer f.Abort()
		if err := matio.WriteValues(f, values); err != nil {
			return err
		}
		return f.Commit()
	}
	path := filepath.Join(dir, "values.txt")
	fmt.Println(save(path, []float64{0.5, 1}))
	fmt.Println(matio.ReadVectorFile(path))
	// Output:
	// <nil>
	// [0.5 1] <nil>
}
