package farm

import (
	"encoding/csv"
	"flag"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

var update = flag.Bool("update", false, "write the table anew")

const document = "../../docs/data/amd.csv"

// columns are the columns of the table after the first ones: the compiler's name of each statistic,
// and the heading of its column.
var columns = []struct{ statistic, head string }{
	{"VGPRs", "VGPRs"}, {"SGPRs", "SGPRs"}, {"Spilled SGPRs", "spilled SGPRs"}, {"LDS size", "LDS"}, {"Subgroups per SIMD", "subgroups"},
	{"Code size", "code"}, {"Latency", "latency"}, {"Inverse Throughput", "inverse throughput"},
}

// TestTable compares docs/data/amd.csv with the statistics of the installed compiler. It does so
// only if the table was made with the same version of the compiler.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	by := "# " + compileFor(t, chips[0].name).Driver + "\n"
	if line, _, _ := strings.Cut(want, "\n"); !*update && line+"\n" != by {
		t.Skipf("%s was made by another compiler: it has %q, installed is %q. The numbers are not compared.", document, line, strings.TrimSpace(by))
	}
	heads := []string{"chip", "subgroup", "kernel", "sizes", "tables"}
	for _, col := range columns {
		heads = append(heads, col.head)
	}
	rows := [][]string{heads}
	for _, c := range chips {
		rows = append(rows, section(c, compileFor(t, c.name))...)
	}
	var b strings.Builder
	b.WriteString(by)
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(document, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	differences(t, strings.Split(want, "\n"), strings.Split(b.String(), "\n"))
}

// differences reports up to ten lines of each text that the other text does not contain.
func differences(t *testing.T, want, got []string) {
	t.Helper()
	const most = 10 // lines of each kind
	all := 0
	only := func(what string, here, there []string) {
		in, seen := map[string]bool{}, 0
		for _, line := range there {
			in[line] = true
		}
		for _, line := range here {
			if seen < most && !in[line] {
				t.Errorf("%s %s", what, line)
				seen++
			}
		}
		all += seen
	}
	only("only in the document:", want, got)
	only("only compiled:       ", got, want)
	if all > 0 {
		t.Error("go test ./tests/farm -update accepts what the compiler says; look at the difference")
	} else if !slices.Equal(want, got) {
		t.Error("the lines of the document have another order; go test ./tests/farm -update")
	}
}

// section returns the rows of one GPU.
func section(c chip, r report) (rows [][]string) {
	kernels, tables := merge(r)
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		k := kernels[name]
		_, sizes, _ := strings.Cut(name, " ")
		row := []string{c.name, strconv.Itoa(r.Subgroup), k.Kernel, strings.ReplaceAll(sizes, ",", ", "), strings.Join(tables[name], ", ")}
		for _, col := range columns {
			value, _ := statistic(k, col.statistic)
			row = append(row, strconv.FormatInt(int64(value), 10))
		}
		rows = append(rows, row)
	}
	return rows
}

// merge combines the statistics of all tuning tables for one chip. The keys are pairs of a kernel
// and its specialization constants. The result `tables` has, for each such pair, the names of the
// tuning tables that choose it, or "all".
func merge(r report) (kernels map[string]vk.KernelStatistics, tables map[string][]string) {
	kernels, tables = map[string]vk.KernelStatistics{}, map[string][]string{}
	for i, made := range r.Variants {
		for _, k := range made.Kernels {
			name := k.String()
			kernels[name] = k
			tables[name] = append(tables[name], variants[i].name)
		}
	}
	for name, list := range tables {
		if len(list) == len(variants) {
			tables[name] = []string{"all"}
		}
	}
	return kernels, tables
}
