package emulated

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/ref"
)

// TestKernelsHaveTheConstants checks that the tables in moduli.glsl and moduli_complex.glsl have
// the numbers that package moduli computes.
func TestKernelsHaveTheConstants(t *testing.T) {
	t.Run("real", func(t *testing.T) { testConstants(t, "moduli.glsl", moduli.Counts(), moduli.New) })
	t.Run("complex", func(t *testing.T) { testConstants(t, "moduli_complex.glsl", moduli.ComplexCounts(), moduli.NewComplex) })
	if bits := uint32(shaders.ShiftsNotFiniteBits); int32(bits) != ref.NotFinite {
		t.Errorf("rows that cannot be scaled have the shift %d", int32(bits))
	}
}

func testConstants(t *testing.T, file string, counts []int, system func(count int) *moduli.System) {
	text, err := os.ReadFile("../../../shaders/glsl/emulated/" + file)
	if err != nil {
		t.Fatal(err)
	}
	table := func(name string) (numbers []int64) {
		found := regexp.MustCompile(`(?s)` + name + `\[[^=]*=[^(]*\((.*?)\);`).FindSubmatch(text)
		if found == nil {
			t.Fatalf("no table %s", name)
		}
		for field := range strings.FieldsFuncSeq(string(found[1]), func(r rune) bool { return strings.ContainsRune(", \n\t", r) }) {
			n, err := strconv.ParseInt(strings.TrimSuffix(field, "u"), 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, n)
		}
		return numbers
	}
	check := func(name string, want []int64) {
		if have := table(name); fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s: %v\nwant %v", name, have, want)
		}
	}
	// weights returns the table of the residues of 256ᵏ·q(i) for each modulus i of s.
	weights := func(s *moduli.System, q func(i int) int64) []int64 {
		all := make([]int64, 2*moduli.Most)
		for i, p := range s.Moduli {
			low, high := moduli.Weights(p, q(i))
			all[2*i], all[2*i+1] = int64(low), int64(high)
		}
		return all
	}
	whole := system(moduli.Most)
	var fractions []int64
	for _, p := range whole.Moduli {
		for _, l := range moduli.Limbs(p) {
			fractions = append(fractions, int64(l))
		}
	}
	check("MODULI", whole.Moduli)
	check("FRACTIONS", fractions)
	check("LEFT", weights(whole, func(int) int64 { return 1 }))
	if whole.Roots != nil {
		check("ROOTS", whole.Roots)
		check("LEFT_TURNED", weights(whole, func(i int) int64 { return whole.Roots[i] }))
	}
	for _, n := range counts {
		s := system(n)
		check(fmt.Sprint("RIGHT_", n), weights(s, s.Right))
		if s.Roots != nil {
			check(fmt.Sprintf("RIGHT_%d_TURNED", n), weights(s, func(i int) int64 { return s.Right(i) * s.Roots[i] }))
		}
	}
}

// TestOrders checks the functions pack and unpack, which describe in which order the invocations
// hold the elements of a matrix unit's result. pack must accept an order in which the bits of row +
// 16·column are a permutation of the bits of an element's number, and unpack must return the same
// order. pack must refuse other orders.
func TestOrders(t *testing.T) {
	identity := make([]uint32, 256)
	for e := range identity {
		identity[e] = uint32(e)
	}
	if packed, linear := pack(identity); !linear || packed != dots.Order {
		t.Errorf("%#x, %t", packed, linear)
	}
	// This is the order on NVIDIA's matrix units: component c of invocation `lane` of a 16×16
	// fragment is in row lane/4 + 8·(c/2%2) and column 2·(lane%4) + c%2 + 8·(c/4).
	mixed := make([]uint32, 256)
	for e := range mixed {
		lane, c := e/8, e%8
		row, col := lane/4+8*(c/2%2), 2*(lane%4)+c%2+8*(c/4)
		mixed[e] = uint32(row + 16*col)
	}
	packed, linear := pack(mixed)
	for e, place := range mixed {
		if !linear || unpack(packed, e) != place {
			t.Fatalf("element %d", e)
		}
	}
	mixed[3], mixed[200] = mixed[200], mixed[3]
	if _, linear := pack(mixed); linear {
		t.Error("an irregular order is accepted")
	}
}
