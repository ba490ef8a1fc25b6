# A user with a Go program uses the library in a module outside the repository.
module() { # NAME makes a module that gets vkevd from the repository and everything else as vkevd does
	mkdir "$1"
	cp "$REPOSITORY/go.sum" "$1"
	{
		echo "module example.org/$1"
		sed -e '/^module /d' "$REPOSITORY/go.mod"
		echo "require github.com/vkevd/vkevd v0.0.0"
	} >"$1/go.mod"
	(cd "$1" && go mod edit -replace "github.com/vkevd/vkevd=$REPOSITORY")
}
export GOFLAGS="${GOFLAGS:-} -mod=mod"

# The first program is the one in the README. It must run in a module of its own.
module readme
awk '/^```go$/ { block++; next } /^```$/ { if (block == 1) exit } block == 1' "$REPOSITORY/README.md" >readme/main.go
(cd readme && go run .) >readme.txt
cat readme.txt
# (2 1; 1 2) has the eigenvalues 1 and 3.
awk 'NR == 1 && !($1 > 0.999999 && $1 < 1.000001) || NR == 2 && !($1 > 2.999999 && $1 < 3.000001) { exit 1 }
	END { if (NR != 2) exit 1 }' readme.txt

# The second program calls gonum's own functions, which must run on the device, and computes a part
# of the spectrum with a plan.
module gonum
cat >gonum/main.go <<'END'
package main

import (
	"context"
	"log"
	"math"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/gonumlapack"
	"github.com/vkevd/vkevd/vk"
)

func main() {
	const n = 600 // more than gonumlapack leaves to the CPU
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, math.Sin(float64(i*j+i+j)))
		}
	}
	var host mat.EigenSym
	if !host.Factorize(sym, false) {
		log.Fatal("gonum failed")
	}
	want := host.Values(nil)

	dev, err := vk.Open(vk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	lapack64.Use(gonumlapack.New(dev))
	var device mat.EigenSym
	if !device.Factorize(sym, true) {
		log.Fatal("gonumlapack failed")
	}
	compare("mat.EigenSym", device.Values(nil), want)

	plan, err := evd.NewPlan[float64](dev, n, evd.Options{Vectors: true, Select: evd.Index(0, 10)})
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Close()
	res, err := plan.Solve(context.Background(), evd.FromGonum(sym))
	if err != nil {
		log.Fatal(err)
	}
	compare("Plan.Solve", res.Values, want[:10])

	// Without gonum and without a device of one's own.
	two := evd.NewSym(2, []float64{2, 1, 1, 2}, evd.Lower)
	small, err := evd.Solve(context.Background(), two, evd.Options{Vectors: true})
	if err != nil {
		log.Fatal(err)
	}
	compare("evd.Solve", small.Values, []float64{1, 3})
}

func compare(what string, got, want []float64) {
	if len(got) != len(want) {
		log.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-10) {
			log.Fatalf("%s: value %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}
END
(cd gonum && go vet . && go run .)
