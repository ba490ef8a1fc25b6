package tuning_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestLimitsOfTunings sets each integer of some rows of the tuning to many values, from −1 to 2³³.
// It compares with a golden file from which values on a device accepts or refuses the tuning, and
// the texts of the refusals.
func TestLimitsOfTunings(t *testing.T) {
	info := vk.Info{
		Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 64,
		Features: []string{"shaderFloat64", "shaderBufferInt64Atomics"},
	}
	values := []int64{-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 128, 256, 512, 1023, 1024, 1025, 2048, 1 << 14, 1 << 17, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 33}

	const accepted = "accepted"
	var text strings.Builder
	tune := tuning.On(info)
	tune.Sytrd = reduce.TridiagonalisationTuning{LocalSize: 64, Groups: 4, Rows: 5, Kept: 20, Block: 4}
	const b, n = 32, 20
	for _, c := range []struct {
		name string
		of   any
		fits func() error
	}{
		{"Products", &tune.Products, func() error { return tune.Products.Fits(info) }},
		{"Panel", &tune.Panel, func() error { return tune.Panel.Fits(info) }},
		{"Sytrd", &tune.Sytrd, func() error { return reduce.Fits[float64](tune.Sytrd, info, n) }},
		{"Chase", &tune.Chase, func() error { return tune.Chase.Fits(info, b) }},
		{"ApplyQ2", &tune.ApplyQ2, func() error { return tune.ApplyQ2.Fits(info, b) }},
		{"Bisection", &tune.Bisection, func() error { return tune.Bisection.Fits(info) }},
		{"DivideConquer", &tune.DivideConquer, func() error { return tune.DivideConquer.Fits(info) }},
		{"MRRR", &tune.MRRR, func() error { return tune.MRRR.Fits(info) }},
		{"Batch", &tune.Batch, func() error { return tune.Batch.Fits(info) }},
	} {
		if err := c.fits(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var visit func(name string, of reflect.Value)
		visit = func(name string, of reflect.Value) {
			switch of.Kind() {
			case reflect.Struct:
				for i := range of.NumField() {
					visit(name+"."+of.Type().Field(i).Name, of.Field(i))
				}
			case reflect.Slice:
				for i := range min(of.Len(), 1) {
					visit(fmt.Sprintf("%s[%d]", name, i), of.Index(i))
				}
			case reflect.Int, reflect.Uint32:
				was := reflect.New(of.Type()).Elem()
				was.Set(of)
				last := ""
				fmt.Fprintf(&text, "%s = %v\n", name, was)
				for _, x := range values {
					switch {
					case of.Kind() == reflect.Int:
						of.SetInt(x)
					case x < 0 || x >= 1<<32:
						continue
					default:
						of.SetUint(uint64(x))
					}
					answer := accepted
					if err := unlessPanics(t, c.fits); err != nil {
						answer, _, _ = strings.Cut(err.Error(), "{") // without the whole tuning
					}
					if (answer == accepted) != (last == accepted) || last == "" {
						fmt.Fprintf(&text, "  from %d: %s\n", x, answer)
					}
					last = answer
				}
				of.Set(was)
			}
		}
		visit(c.name, reflect.ValueOf(c.of).Elem())
	}
	stagetest.Golden(t, "limits.golden", text.String())
}

func unlessPanics(t *testing.T, call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("a panic: %v", r)
		}
	}()
	return call()
}

// TestSizesRefused compares the texts of refusals of sizes. For most limits it also checks that the
// last size before the limit is accepted (an empty text).
func TestSizesRefused(t *testing.T) {
	d := roomtest.Dry()
	tune := tuning.On(d.Info())
	w := stages.Waiting{}
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	band := func(text string, n, b, k int) {
		add(text, func() error {
			_, err := reduce.NewBandReduction(d, reduce.BandSize{N: n, B: b, K: k}, ops, w, tune.Panel)
			return err
		})
	}
	const multiple = ": want b ≥ 1, k a multiple of b"
	band("stages: band reduction of order -1 to half-bandwidth 4 by updates of rank 8"+multiple, -1, 4, 8)
	band("", 0, 4, 8)
	band("stages: band reduction of order 9 to half-bandwidth 0 by updates of rank 8"+multiple, 9, 0, 8)
	band("", 9, 1, 8)
	band("stages: band reduction of order 9 to half-bandwidth 4 by updates of rank 3"+multiple, 9, 4, 3)
	band("stages: band reduction of order 9 to half-bandwidth 4 by updates of rank 6"+multiple, 9, 4, 6)
	band("", 9, 4, 4)
	band("stages: panels of 129 columns: 1 to 128 can be factored", 900, 129, 258)
	band("", 900, 128, 256)
	share := func(text string, n, b, k int, blocks reduce.ColumnBlocks) {
		add(text, func() error {
			parts := []float64{0.5, 1}
			ops := reduce.ShareOps[float64]{Products: ops, Updates: ops}
			_, err := reduce.NewBandShare(d, reduce.BandSize{N: n, B: b, K: k}, blocks, 0, parts, ops, w, tune.Panel)
			return err
		})
	}
	nine := reduce.DivideColumns(9, 4, []float64{1, 1})
	share("", 9, 2, 4, nine)
	for _, c := range []struct {
		n, b, k int
		blocks  reduce.ColumnBlocks
	}{{0, 2, 4, nine}, {9, 0, 4, nine}, {9, 8, 4, nine}, {9, 3, 4, nine}, {8, 2, 4, nine}, {9, 2, 8, nine}} {
		share(fmt.Sprintf("stages: share of a band reduction of order %d to half-bandwidth %d by updates of rank %d, in blocks of 4 columns of 9: "+
			"want b ≥ 1, k a multiple of b, blocks of k columns", c.n, c.b, c.k), c.n, c.b, c.k, c.blocks)
	}
	general := func(text string, m, n, b, k int) {
		add(text, func() error {
			_, err := reduce.NewGeneralBandReduction(d, reduce.GeneralSize{M: m, N: n, B: b, K: k}, ops, ops, w, tune.Panel)
			return err
		})
	}
	general("", 9, 9, 4, 4)
	for _, c := range [][4]int{{9, -1, 4, 8}, {8, 9, 4, 8}, {9, 9, 0, 8}, {9, 9, 4, 3}, {9, 9, 4, 6}} {
		general(fmt.Sprintf("stages: reduction of %d×%d to %d superdiagonals by blocks of %d columns: want m ≥ n, b ≥ 1, k a multiple of b", c[0], c[1], c[2], c[3]), c[0], c[1], c[2], c[3])
	}
	tall := func(text string, m, n, b int) {
		add(text, func() error { _, err := panel.NewTallQR(d, m, n, b, ops, w, tune.Panel); return err })
	}
	tall("", 9, 9, 1)
	tall("", 1, 1, 1)
	for _, c := range [][3]int{{9, 0, 1}, {8, 9, 1}, {9, 9, 0}} {
		tall(fmt.Sprintf("stages: QR of %d×%d by panels of %d columns: want m ≥ n ≥ 1, b ≥ 1", c[0], c[1], c[2]), c[0], c[1], c[2])
	}
	qr := func(text string, b int) {
		add(text, func() error { _, err := panel.NewQR[float64](d, b, w, tune.Panel); return err })
	}
	qr("stages: panels of 0 columns: 1 to 128 can be factored", 0)
	qr("", 1)
	qr("", 128)
	qr("stages: panels of 129 columns: 1 to 128 can be factored", 129)
	q1 := func(text string, n, b, m, width int) {
		add(text, func() error {
			_, err := back.NewApplyQ1InBlocks(d, back.Size{N: n, B: b, M: m}, width, ops, tune.Panel)
			return err
		})
	}
	q1("", 0, 4, 0, 0)
	q1("", 9, 4, 3, 8)
	q1("", 9, 4, 3, 9)
	for _, c := range [][4]int{{-1, 4, 3, 8}, {9, 0, 3, 8}, {9, 4, -1, 8}, {9, 4, 3, 0}, {9, 4, 3, 6}} {
		q1(fmt.Sprintf("stages: Q1 of order %d, half-bandwidth %d, for %d vectors, in blocks of %d", c[0], c[1], c[2], c[3]), c[0], c[1], c[2], c[3])
	}
	panels := func(text string, rows, cols, b, m int) {
		add(text, func() error {
			_, err := back.NewApplyPanels(d, "a phase", back.PanelsSize{Rows: rows, Cols: cols, B: b, M: m}, ops, tune.Panel)
			return err
		})
	}
	panels("", 6, 9, 4, 0)
	for _, c := range [][4]int{{5, 9, 4, 0}, {9, -1, 4, 3}, {9, 9, 0, 3}, {-1, 0, 4, 3}, {9, 9, 4, -1}} {
		panels(fmt.Sprintf("stages: panels of %d, %d reflectors of %d elements, for %d vectors", c[2], c[1], c[0], c[3]), c[0], c[1], c[2], c[3])
	}
	reduction := func(text string, n int, w stages.Waiting) {
		add(text, func() error { _, err := reduce.NewTridiagonalisation(d, n, ops, w, tune.Sytrd); return err })
	}
	reduction(fmt.Sprintf("stages: tridiagonalisation of order 0, waiting: %+v", stages.Waiting{Allowed: true}), 0, stages.Waiting{Allowed: true})
	reduction(fmt.Sprintf("stages: tridiagonalisation of order 9, waiting: %+v", stages.Waiting{}), 9, stages.Waiting{})
	reduction(fmt.Sprintf("stages: tridiagonalisation of order 9, waiting: %+v", stages.Waiting{Allowed: true, Crowded: true}), 9, stages.Waiting{Allowed: true, Crowded: true})
	columns := func(text string, n, width int) {
		add(text, func() error {
			_, err := product.NewSymmColumns(d, ops, product.Columns{N: n, Width: width})
			return err
		})
	}
	columns("product: blocks of 4 columns of 0", 0, 4)
	columns("product: blocks of 0 columns of 9", 9, 0)
	variant := func(text, fields string) {
		add(text, func() error { _, err := tuning.Variants(d.Info(), nil, []string{fields}); return err })
	}
	variant("", `{"ApplyQ2":{"Group":32}}`)
	variant(`tuning "{": unexpected end of JSON input; it takes a JSON object with fields of tuning.Tuning, for example {"ApplyQ2":{"Group":32}}`, "{")
	variant(`tuning "{\"More\": 1}": unknown field "More"; it takes a JSON object with fields of tuning.Tuning, for example {"ApplyQ2":{"Group":32}}`, `{"More": 1}`)
	stagetest.Refusals(t, rows)
}
