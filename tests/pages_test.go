package tests

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated parts of documents anew")

// madeParts matches a part of a document that TestPages writes. The first group is its first line,
// the second one the name of the part.
var madeParts = regexp.MustCompile(`(?ms)^(<!-- generated: ([\w-]+) -->\n).*?^<!-- end -->$`)

// byCode are the parts that are made from source code or, of the devices, from docs/data/devices. Of
// the first only the first column must be up to date, so that not every changed comment changes a
// document. All other parts are tables in docs/data/tables.json.
var byCode = map[string]func(t *testing.T) string{"packages": packageTable, "kernels": kernelTable, "devices": deviceTable}

// withoutAge leaves out of the table of devices which results are old: a changed kernel makes all old.
func withoutAge(part string) string { return strings.ReplaceAll(part, ", old", "") }

// TestPages compares the generated parts of documents with the code and the figures in docs/data
// from which they are made. With -update it writes them.
func TestPages(t *testing.T) {
	var tables map[string]table
	readJSON(t, "docs/data/tables.json", &tables)
	runs, used := measurements(t), map[string]bool{}
	for _, name := range pages(t) {
		old := read(t, name)
		same := true
		text := madeParts.ReplaceAllStringFunc(old, func(part string) string {
			m := madeParts.FindStringSubmatch(part)
			used[m[2]] = true
			made, compared := "", func(part string) string { return part }
			if code, ok := byCode[m[2]]; ok {
				if made = code(t); m[2] == "devices" {
					compared = withoutAge
				} else {
					compared = firstColumn
				}
			} else if spec, ok := tables[m[2]]; ok {
				made = spec.text(t, runs)
			} else {
				t.Fatalf("%s: docs/data/tables.json has no table %q", name, m[2])
			}
			made = m[1] + made + "<!-- end -->"
			same = same && compared(made) == compared(part)
			return made
		})
		if *update {
			if err := os.WriteFile(filepath.Join("..", name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if !same {
			t.Errorf("%s differs from what it is made of; look at the difference after: go test ./tests -run TestPages -update", name)
		}
	}
	for name := range tables {
		if !used[name] {
			t.Errorf("no document shows the table %q", name)
		}
	}
}

// firstColumn returns a text in which each line of a table has only its first cell.
func firstColumn(table string) string {
	return regexp.MustCompile(`(?m)^(\| [^|]*\|).*`).ReplaceAllString(table, "$1")
}

// A measurement is an object of the files docs/data/*.json: rows of one run of `vkevd bench`, of a
// test that measures, or of another program on the same device.
type measurement struct {
	Device, Driver, Date, Commit, Command, Note string

	By        string // the measured program, "" for vkevd
	Precision string // "f32", "c64" and "c128" (complex numbers), or ""
	Devices   int    // 0 for one

	// Rows have the names of evd/bench.Row.
	Rows []struct {
		Stage             string
		N, M, B, K, Count int
		Seconds           float64 `json:"seconds_median"`
		Wall              float64 `json:"wall_seconds_median"`
		GFlops            float64
		Memory            float64 `json:"memory_gbytes"` // what `vkevd plan` prints, or the workspace of another program
	}
}

// measurements returns all figures, the oldest first.
func measurements(t *testing.T) (all []measurement) {
	files, err := filepath.Glob("../docs/data/*.json")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if filepath.Base(file) == "tables.json" {
			continue
		}
		var runs []measurement
		readJSON(t, inModule(file), &runs)
		for _, run := range runs {
			if run.Device == "" || len(run.Rows) == 0 {
				t.Errorf("%s: a run without device or rows: %+v", file, run)
			}
		}
		all = append(all, runs...)
	}
	slices.SortStableFunc(all, func(a, b measurement) int { return cmp.Compare(a.Date, b.Date) })
	return all
}

// A table is a table of figures in a document. In each field it has the newest figure.
type table struct {
	CSV string // a file in docs/data that has the whole table; then only Show and Only may be set, too

	// Show lists the columns of the CSV file that the document shows. The field Only is a list of
	// regular expressions. The document shows a row if one of them matches the row's fields, joined
	// by "|". The test fails if an expression matches no row. Without Show the document shows all
	// columns, and without Only all rows.
	Show, Only []string

	Device, Precision string // of all columns that name none
	Head              string // of the first column
	Row               string // the first column, with {n} and the like for sizes; rows with other sizes are left out
	Unit              string // ms, s, TFLOP/s or GB, of all columns that name none
	From              int    // the least n
	Orders            []int  // the values of n, if not all
	Least             int    // rows with fewer figures are left out
	Quiet             bool   // without the lines that say where the figures come from
	Columns           []struct {
		Head, Stage, By, Device, Precision, Unit string
		Devices                                  int
		Wall                                     bool
	}
}

func (tb table) text(t *testing.T, runs []measurement) string {
	if tb.CSV != "" {
		return tb.file(t)
	}
	sizes := regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(tb.Row, -1)
	type row struct {
		key    [5]int // n, m, b, k, count, as far as Row names them
		name   string
		fields []string
	}
	rows, sources := map[string]*row{}, map[string]bool{}
	for i, c := range tb.Columns {
		newest := map[string]string{} // the source of the newest figure of a row
		for _, run := range runs {
			if run.Device != cmp.Or(c.Device, tb.Device) || run.By != c.By || run.Precision != cmp.Or(c.Precision, tb.Precision) || run.Devices != c.Devices {
				continue
			}
			for _, f := range run.Rows {
				values := map[string]int{"n": f.N, "m": f.M, "b": f.B, "k": f.K, "count": f.Count}
				seconds := f.Seconds
				if c.Wall {
					seconds = f.Wall
				}
				figure := digits(map[string]float64{"ms": 1e3 * seconds, "s": seconds, "TFLOP/s": f.GFlops / 1e3, "GB": f.Memory}[cmp.Or(c.Unit, tb.Unit)])
				if f.Stage != c.Stage || figure == "" || f.N < tb.From || len(tb.Orders) > 0 && !slices.Contains(tb.Orders, f.N) {
					continue
				}
				name := tb.Row
				for _, s := range sizes {
					if values[s[1]] != 0 {
						name = strings.ReplaceAll(name, s[0], strconv.Itoa(values[s[1]]))
					}
					delete(values, s[1])
				}
				if strings.Contains(name, "{") || values["m"] != 0 && values["m"] != f.N || values["count"] != 0 {
					continue // another kind of problem
				}
				if rows[name] == nil {
					rows[name] = &row{key: [5]int{f.N, f.M, f.B, f.K, f.Count}, name: name, fields: make([]string, len(tb.Columns))}
				}
				rows[name].fields[i], newest[name] = figure, run.source()
			}
		}
		if len(newest) == 0 {
			t.Errorf("docs/data has no figure for the column %+v", c)
		}
		for _, s := range newest {
			sources[s] = true
		}
	}
	list := []*row{}
	for _, r := range rows {
		filled := 0
		for _, f := range r.fields {
			if f != "" {
				filled++
			}
		}
		if filled >= tb.Least {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *row) int { return slices.Compare(a.key[:], b.key[:]) })
	heads := []string{tb.Head}
	for _, c := range tb.Columns {
		heads = append(heads, c.Head)
	}
	lines := [][]string{}
	for _, r := range list {
		lines = append(lines, append([]string{r.name}, r.fields...))
	}
	text := markdown(heads, lines)
	if tb.Quiet {
		return text
	}
	text += "\n"
	for _, s := range slices.Sorted(maps.Keys(sources)) {
		text += s
	}
	return text
}

// digits returns a figure rounded to three significant digits, or "" for 0, which means no figure.
func digits(x float64) string {
	if x == 0 {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// source returns a line that says where the figures of a run come from.
func (m measurement) source() string {
	s := "- " + cmp.Or(m.By, "vkevd")
	for i, part := range []string{m.Device, m.Driver, m.Date, m.Commit} {
		if part != "" {
			s += [...]string{", ", ", driver ", ", ", ", commit "}[i] + part
		}
	}
	if m.Devices > 1 {
		s += fmt.Sprintf(", %d of them", m.Devices)
	}
	if m.Command != "" {
		s += ": `" + m.Command + "`"
	}
	if m.Note != "" {
		s += " (" + m.Note + ")"
	}
	return s + "\n"
}

// file returns, in Markdown, the columns and the rows of a CSV file that the table selects.
func (tb table) file(t *testing.T) string {
	reader := csv.NewReader(strings.NewReader(read(t, "docs/data/"+tb.CSV)))
	reader.Comment = '#'
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatal(tb.CSV, err)
	}
	var columns []int
	for i, head := range records[0] {
		if len(tb.Show) == 0 || slices.Contains(tb.Show, head) {
			columns = append(columns, i)
		}
	}
	found := make([]bool, len(tb.Only))
	lines := [][]string{}
	for k, record := range records {
		fields, all, kept := []string{}, strings.Join(record, "|"), k == 0 || len(tb.Only) == 0
		for _, i := range columns {
			fields = append(fields, record[i])
		}
		for i, expression := range tb.Only {
			if k > 0 && regexp.MustCompile(expression).MatchString(all) {
				found[i], kept = true, true
			}
		}
		if kept {
			lines = append(lines, fields)
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		t.Errorf("no row of %s matches %s", tb.CSV, tb.Only[i])
	}
	return markdown(lines[0], lines[1:])
}

func markdown(heads []string, rows [][]string) string {
	text := "| " + strings.Join(heads, " | ") + " |\n" + strings.Repeat("|---", len(heads)) + "|\n"
	for _, r := range rows {
		for i := range r {
			r[i] = cmp.Or(r[i], "–")
		}
		text += "| " + strings.Join(r, " | ") + " |\n"
	}
	return text
}

// TestWordsByHand limits what a reader has to read, and the author to keep true.
func TestWordsByHand(t *testing.T) {
	const most = 25_000
	sum := 0
	for _, name := range pages(t) {
		n := len(strings.Fields(byHand(t, name)))
		t.Logf("%6d %s", n, name)
		sum += n
	}
	const first = 1300 // words of the page that a stranger reads first, with its table
	if n := len(strings.Fields(read(t, "README.md"))); n > first {
		t.Errorf("README.md has %d words, more than %d", n, first)
	}
	_, changes, _ := strings.Cut(read(t, "CHANGELOG.md"), "\n## ")
	changes, _, _ = strings.Cut(changes, "\n## ")
	if n := strings.Count(changes, "\n"); n > 30 {
		t.Errorf("the first entry of CHANGELOG.md has %d lines, more than 30", n)
	}
	if sum > most {
		t.Errorf("%d words by hand in the documents, more than %d", sum, most)
	}
}

// TestLongTablesAreGenerated refuses long tables by hand, which nobody keeps true.
func TestLongTablesAreGenerated(t *testing.T) {
	const most = 25 // rows
	for _, name := range pages(t) {
		rows := 0
		for i, line := range strings.Split(byHand(t, name), "\n") {
			if rows++; !strings.HasPrefix(line, "|") {
				rows = -2 // head and rule
			}
			if rows == most+1 {
				t.Errorf("%s: a table of more than %d rows around %q, line %d of the text by hand", name, most, line, i+1)
			}
		}
	}
}

// byHand returns a document without its generated parts.
func byHand(t *testing.T, name string) string {
	return madeParts.ReplaceAllString(read(t, name), "")
}

// pages returns the names of the documents for readers: in the root and in docs.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../docs/*.md")
	root, more := filepath.Glob("../*.md")
	if err != nil || more != nil || len(found) < 5 || len(root) < 3 {
		t.Fatal(found, root, err, more)
	}
	for i, f := range found {
		found[i] = inModule(f)
	}
	for _, f := range root {
		found = append(found, inModule(f))
	}
	return found
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatal(name, err)
	}
}
