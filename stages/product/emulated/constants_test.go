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

// TestKernelsHaveTheConstants checks that the tables in moduli.glsl have the numbers that package
// moduli computes.
func TestKernelsHaveTheConstants(t *testing.T) {
	text, err := os.ReadFile("../../../shaders/glsl/emulated/moduli.glsl")
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
	var all, fractions, left []int64
	for i := range moduli.Most {
		all = append(all, moduli.Modulus(i))
		for _, l := range moduli.Limbs(i) {
			fractions = append(fractions, int64(l))
		}
		low, high := moduli.Weights(i, 1)
		left = append(left, int64(low), int64(high))
	}
	check("MODULI", all)
	check("FRACTIONS", fractions)
	check("LEFT", left)
	for _, n := range moduli.Counts() {
		right := make([]int64, 2*moduli.Most)
		for i, q := range moduli.New(n).Inverse {
			low, high := moduli.Weights(i, q)
			right[2*i], right[2*i+1] = int64(low), int64(high)
		}
		check(fmt.Sprint("RIGHT_", n), right)
	}
	if bits := uint32(shaders.ShiftsNotFiniteBits); int32(bits) != ref.NotFinite {
		t.Errorf("rows that cannot be scaled have the shift %d", int32(bits))
	}
}

// TestOrders checks the functions pack and unpack, which describe the order of elements in a matrix
// unit's result. pack must accept an order that is a permutation of the bits of an element's
// number, and unpack must return the same order. pack must refuse other orders.
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
