package farm

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

var update = flag.Bool("update", false, "write the table anew")

const (
	document = "../../docs/amd-static.md"

	// begin is a line of the document docs/amd-static.md. All text after this line is generated.
	begin = "<!-- go test ./tests/farm -update writes what follows -->\n"
)

// columns are the columns of the table in docs/amd-static.md: the compiler's name of each
// statistic, and the heading of its column.
var columns = []struct{ statistic, head string }{
	{"VGPRs", "VGPRs"}, {"SGPRs", "SGPRs"}, {"Spilled SGPRs", "spilled SGPRs"}, {"LDS size", "LDS"}, {"Subgroups per SIMD", "subgroups"},
	{"Code size", "code"}, {"Latency", "latency"}, {"Inverse Throughput", "inverse throughput"},
}

// TestTable compares docs/amd-static.md with the statistics of the installed compiler. It does so
// only if the table was made with the same version of the compiler.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	hand, want, found := strings.Cut(string(text), begin)
	if !found {
		t.Fatalf("%s lacks the line %q", document, begin)
	}
	by := "Compiler: " + compileFor(t, chips[0].name).Driver + "\n"
	if line, _, _ := strings.Cut(strings.TrimSpace(want), "\n"); !*update && line+"\n" != by {
		t.Skipf("%s was made by another compiler: it has %q, installed is %q. The numbers are not compared.", document, line, strings.TrimSpace(by))
	}
	got := "\n" + by
	for _, c := range chips {
		got += section(c, compileFor(t, c.name))
	}
	if *update {
		if err := os.WriteFile(document, []byte(hand+begin+got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	differences(t, strings.Split(want, "\n"), strings.Split(got, "\n"))
}

// differences reports the lines that only one of the two texts contains.
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

// section returns the part of docs/amd-static.md about one GPU.
func section(c chip, r report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s (%s)\n\nSubgroups of %d.\n\n| kernel | sizes | tables |", c.name, c.what, r.Subgroup)
	for _, col := range columns {
		fmt.Fprintf(&b, " %s |", col.head)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("--:|", len(columns)) + "\n")
	kernels, tables := merge(r)
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		k := kernels[name]
		_, sizes, _ := strings.Cut(name, " ")
		fmt.Fprintf(&b, "| %s | %s | %s |", k.Kernel, strings.ReplaceAll(sizes, ",", ", "), strings.Join(tables[name], ", "))
		for _, col := range columns {
			value, _ := statistic(k, col.statistic)
			fmt.Fprintf(&b, " %v |", int64(value))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// merge combines the statistics of all tuning tables for one chip. The keys are pairs of a kernel
// and its specialisation constants. The result `tables` has, for each such pair, the names of the
// tuning tables that choose it.
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
