package gonumlapack_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/gonumlapack"
	"github.com/vkevd/vkevd/vk"
)

func Example() {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	impl := gonumlapack.New(dev)
	defer impl.Close()
	impl.Report = func(err error) { log.Print(err) }
	lapack64.Use(impl)                         // from now on gonum uses the device
	defer lapack64.Use(gonum.Implementation{}) // must run before the device is closed

	// From here on the program uses only gonum's API. gonum solves such a small matrix on the host.
	a := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	var eig mat.EigenSym
	fmt.Println(eig.Factorize(a, true))
	fmt.Printf("%.3f\n", eig.Values(nil))
	// Output:
	// true
	// [1.000 3.000]
}
