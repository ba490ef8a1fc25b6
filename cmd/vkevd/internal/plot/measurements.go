package plot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/svd"
)

func tunePlot() plotKind {
	order := 0
	return plotKind{
		"tune",
		func(cmd *cobra.Command) {
			cmd.Flags().IntVarP(&order, "n", "n", 0, "only rows of order `N`")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			rows, err := readRows(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			if some := slices.DeleteFunc(slices.Clone(rows), isWhole); len(some) > 0 {
				rows = some
			}
			n, rows, err := ofOrder(rows, order)
			if err != nil {
				return nil, err
			}
			seconds := Totals(rows)
			if len(seconds) == 0 {
				return nil, errors.New("no rows with b and k to draw; tune --json writes them, and bench --json of sy2sb")
			}
			return draw.Tuning(fmt.Sprintf("Stages that depend on b and k, n = %d\n%s", n, cli.Printable(rows[0].Device)), seconds)
		},
	}
}

func readRows(ctx context.Context, files []string, stdin io.Reader) (all []bench.Row, err error) {
	for _, file := range files {
		rows, err := jsonRows(ctx, file, stdin, "tune", func(number int, r bench.Row) error {
			if !(r.Median >= 0) || r.Median > 1e12 || r.B < 0 || r.K < 0 || r.N < 0 {
				return fmt.Errorf("row %d has impossible values: n = %d, b = %d, k = %d, %g s", number, r.N, r.B, r.K, r.Median)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if all = append(all, rows...); len(all) == 0 {
			return nil, fmt.Errorf("%s: no rows in it; tune --json writes them", cli.InputName(file))
		}
	}
	return all, nil
}

// jsonRows reads a file of JSON objects, which `vkevd COMMAND --json` writes. The function check
// gets the number of each row, from 1 on, and returns what is wrong with the row.
func jsonRows[R any](ctx context.Context, file string, stdin io.Reader, command string, check func(int, R) error) (rows []R, err error) {
	text, err := cli.UnlessDone(ctx, func() ([]byte, error) { return cli.ReadAll(file, stdin) })
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var r R
		if err := d.Decode(&r); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: not rows in JSON; %s --json writes them", cli.InputName(file), command)
		}
		if err := check(len(rows)+1, r); err != nil {
			return nil, fmt.Errorf("%s: %w", cli.InputName(file), err)
		}
		rows = append(rows, r)
	}
}

// Totals adds the times of all stages that depend on the half-bandwidth b, for each pair of b and
// rank k. The time of a stage that does not depend on k is added for every k. If a pair lacks a
// measurement of some stage, the pair has no total. If a measurement was repeated, the last one
// counts.
func Totals(rows []bench.Row) map[draw.Sizes]float64 {
	at := map[string]map[draw.Sizes]float64{} // seconds by stage; K is 0 for a stage that does not depend on k
	for _, r := range rows {
		if r.B == 0 || r.Stage == "symm" || r.Stage == "panel-qr" || isWhole(r) {
			continue // this row is a part of another stage, or the sum of all stages
		}
		if at[r.Stage] == nil {
			at[r.Stage] = map[draw.Sizes]float64{}
		}
		at[r.Stage][draw.Sizes{B: r.B, K: r.K}] = r.Median
	}
	points := map[draw.Sizes]float64{}
	for _, stage := range at {
		for p := range stage {
			if p.K > 0 {
				points[p] = 0
			}
		}
	}
	for p := range points {
		for _, stage := range at {
			t, found := stage[p]
			if !found {
				t, found = stage[draw.Sizes{B: p.B}]
			}
			if !found {
				delete(points, p)
				break
			}
			points[p] += t
		}
	}
	return points
}

// isWhole tells whether a row measures whole solves. vkevd tune measures whole solves of several
// orders, to find those from which another method is faster.
func isWhole(r bench.Row) bool {
	return r.Stage == "values" || r.Stage == "vectors" || r.Stage == "batch"
}

// ofOrder selects the rows of one order. If `order` is 0, all rows must have the same order.
func ofOrder(rows []bench.Row, order int) (int, []bench.Row, error) {
	var orders []int
	rows = slices.DeleteFunc(rows, func(r bench.Row) bool { return r.N == 0 || order > 0 && r.N != order })
	for _, r := range rows {
		orders = append(orders, r.N)
	}
	slices.Sort(orders)
	orders = slices.Compact(orders)
	switch len(orders) {
	case 0:
		return 0, nil, errors.New("no rows to draw")
	case 1:
		return orders[0], rows, nil
	}
	return 0, nil, fmt.Errorf("rows of orders %v; --n selects one", orders)
}

func parallelPlot() plotKind {
	order, stage := 0, ""
	return plotKind{
		"parallel",
		func(cmd *cobra.Command) {
			cmd.Flags().IntVarP(&order, "n", "n", 0, "only rows of order `N`")
			cmd.Flags().StringVar(&stage, "stage", "", "only rows of the stage `NAME`")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			rows, err := readRows(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			n, rows, err := ofOrder(rows, order)
			if err != nil {
				return nil, err
			}
			stage, rows, err := ofStage(rows, stage)
			if err != nil {
				return nil, err
			}
			axes, variants, err := ParallelOf(rows)
			if err != nil {
				return nil, err
			}
			return draw.Parallel(fmt.Sprintf("%s, n = %d\n%s", cli.Printable(stage), n, cli.Printable(rows[0].Device)), axes, variants), nil
		},
	}
}

// ofStage selects the rows of one stage. If `stage` is empty, all rows must be of the same stage.
func ofStage(rows []bench.Row, stage string) (string, []bench.Row, error) {
	rows = slices.DeleteFunc(rows, func(r bench.Row) bool { return stage != "" && r.Stage != stage })
	var names []string
	for _, r := range rows {
		if !slices.Contains(names, r.Stage) {
			names = append(names, r.Stage)
		}
	}
	switch len(names) {
	case 0:
		return "", nil, fmt.Errorf("no rows of the stage %q", stage)
	case 1:
		return names[0], rows, nil
	}
	return "", nil, fmt.Errorf("rows of the stages %s; --stage selects one", strings.Join(names, ", "))
}

// fromTable is the value of a size that a variant of --tuning does not set.
const fromTable = "table"

// ParallelOf returns the axes on which rows differ, and the rows as variants. If a combination of
// sizes was measured several times, the last row counts.
func ParallelOf(rows []bench.Row) (axes []draw.Axis, variants []draw.Variant, err error) {
	var sizes []map[string]string // by row
	names := map[string]bool{}
	for _, r := range rows {
		of := map[string]string{}
		for name, value := range map[string]int{"b": r.B, "k": r.K, "m": r.M} {
			if value > 0 {
				of[name] = strconv.Itoa(value)
			}
		}
		if err := tunedSizes(r.Tuning, of); err != nil {
			return nil, nil, err
		}
		for name := range of {
			names[name] = true
		}
		sizes = append(sizes, of)
	}
	at := func(of map[string]string, name string) string {
		if value, set := of[name]; set {
			return value
		}
		return fromTable
	}
	var used []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var values []string
		for _, of := range sizes {
			if v := at(of, name); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) < 2 {
			continue
		}
		slices.SortFunc(values, bySize)
		axes, used = append(axes, draw.Axis{Name: name, Values: values}), append(used, name)
	}
	if len(axes) == 0 {
		return nil, nil, errors.New("all rows have the same sizes; bench --json with several --band, --block or --tuning writes others")
	}
	known := map[string]int{} // index in variants, by sizes
	for i, r := range rows {
		v := draw.Variant{Seconds: r.Median}
		key := ""
		for a, name := range used {
			k := slices.Index(axes[a].Values, at(sizes[i], name))
			v.At, key = append(v.At, k), key+fmt.Sprint(k, " ")
		}
		if old, measured := known[key]; measured {
			variants[old] = v
			continue
		}
		known[key] = len(variants)
		variants = append(variants, v)
	}
	return axes, variants, nil
}

// tunedSizes adds the fields that the name of a variant sets to `sizes`. The name of a variant of
// bench --tuning is its JSON. A field of a field has both names, such as Chase.Own. A variant
// without a name sets nothing.
func tunedSizes(variant string, sizes map[string]string) error {
	if variant == "" {
		return nil
	}
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(variant))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return fmt.Errorf("a row of the variant %s, which is no JSON of --tuning", cli.Printable(strconv.Quote(variant)))
	}
	var add func(prefix string, fields map[string]any)
	add = func(prefix string, fields map[string]any) {
		for name, value := range fields {
			if inner, is := value.(map[string]any); is {
				add(prefix+name+".", inner)
				continue
			}
			sizes[prefix+name] = cli.Printable(fmt.Sprint(value))
		}
	}
	add("", fields)
	return nil
}

// bySize orders values of a size: "table" first, then numbers by size, then other texts.
func bySize(a, b string) int {
	rank := func(s string) (int, float64) {
		if s == fromTable {
			return 0, 0
		}
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			return 1, x
		}
		return 2, 0
	}
	ra, xa := rank(a)
	rb, xb := rank(b)
	return cmp.Or(ra-rb, cmp.Compare(xa, xb), strings.Compare(a, b))
}

func accuracyPlot() plotKind {
	band := 0
	return plotKind{
		"accuracy",
		func(cmd *cobra.Command) {
			cmd.Flags().IntVar(&band, "band", 0, "only bands of `B` superdiagonals")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			rows, err := readErrors(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			rows = slices.DeleteFunc(rows, func(r accuracy.Row) bool { return band > 0 && r.B != band })
			if len(rows) == 0 {
				return nil, fmt.Errorf("no rows of bands with %d superdiagonals", band)
			}
			return draw.Accuracy("Errors of singular values by precision of the band\n"+cli.Printable(rows[0].Device), boxesOf(rows))
		},
	}
}

func boxesOf(rows []accuracy.Row) (boxes []draw.Box) {
	for _, c := range accuracy.Cells(rows) {
		ulp := ulps[c.Precision]
		boxes = append(boxes, draw.Box{
			N: c.N, B: c.B, Precision: c.Precision, Ulp: ulp,
			Least: c.Least / ulp, Lower: c.Lower / ulp, Median: c.Median / ulp, Upper: c.Upper / ulp, Most: c.Most / ulp,
		})
	}
	return boxes
}

// ulps are the distances from 1 to the next number, by the names of precisions in rows.
var ulps = map[string]float64{
	svd.Double.String(): svd.Double.Ulp(), svd.Single.String(): svd.Single.Ulp(), svd.Half.String(): svd.Half.Ulp(),
}

func readErrors(ctx context.Context, files []string, stdin io.Reader) (all []accuracy.Row, err error) {
	for _, file := range files {
		rows, err := jsonRows(ctx, file, stdin, "accuracy", func(_ int, r accuracy.Row) error {
			if !(r.Error >= 0 && r.Error < math.MaxFloat32) || r.N < 1 || r.B < 1 || ulps[r.Precision] == 0 {
				return fmt.Errorf("a row with impossible values: n = %d, b = %d, precision %q, error %g", r.N, r.B, r.Precision, r.Error)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s: no rows in it; accuracy --json writes them", cli.InputName(file))
		}
		all = append(all, rows...)
	}
	return all, nil
}
