package matio

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// A sheet is a random matrix as a program writes it to text. The functions below do what these
// programs do; TestProgramsWriteSheets compares them with the programs.
type sheet struct {
	*rand.Rand
	rows, cols int
	values     [][]float64
	cells      [][]string // the values as the program prints them, with decimal points
	header     []string   // names of columns, nil for none
	names      []string   // names of rows, nil for none
	corner     string     // above the names of rows
	text       strings.Builder
	o          Options // how a user would say that the text must be read
	// limits says why the text cannot be told from one with another meaning (docs/formats.md), or
	// is empty.
	limits string
	// missing says that a number is missing.
	missing bool
	// code is what the program is told, with %[1]q for the path of the file. It is empty if no free
	// program writes such a file.
	code string
}

// newSheet returns a random matrix. The function `value` changes its elements to others that the
// program may have.
func newSheet(r *rand.Rand, value func(float64) float64) *sheet {
	s := &sheet{Rand: r, rows: 1 + r.IntN(5), cols: 1 + r.IntN(5)}
	if r.IntN(4) == 0 {
		s.cols = s.rows
	}
	kind, symmetric, zeros := r.IntN(5), s.rows == s.cols && r.IntN(2) == 0, r.IntN(3)
	for i := range s.rows {
		var row []float64
		for j := range s.cols {
			if symmetric && j < i {
				row = append(row, s.values[j][i])
				continue
			}
			if zeros > 0 && r.IntN(3) == 0 {
				row = append(row, 0)
				continue
			}
			row = append(row, value(s.number(kind)))
		}
		s.values = append(s.values, row)
	}
	return s
}

// lose makes a number missing.
func (s *sheet) lose() {
	s.values[s.IntN(s.rows)][s.IntN(s.cols)] = nan
	s.missing = true
}

// print fills the cells. A missing number is printed as `missing`.
func (s *sheet) print(missing string, print func(float64) string) {
	for _, values := range s.values {
		var row []string
		for _, x := range values {
			if math.IsNaN(x) {
				row = append(row, missing)
			} else {
				row = append(row, print(x))
			}
		}
		s.cells = append(s.cells, row)
	}
}

func (s *sheet) number(kind int) float64 {
	switch kind {
	case 0:
		return s.NormFloat64()
	case 1:
		return math.Round(s.NormFloat64()*1e6) / 1e3
	case 2:
		return math.Ldexp(s.NormFloat64(), s.IntN(200)-100)
	case 3:
		return float64(s.IntN(4_000_000) - 1_000_000)
	}
	return math.Round(s.NormFloat64()*1e9) / 1e2
}

func unchanged(x float64) float64 { return x }

// oneColumn is the value of sheet.limits for one column of numbers with decimal commas: the text
// could also be two columns.
const oneColumn = "one column of decimal commas"

// unseen is the value of sheet.limits for a table without header and names, in which all rows lack
// the same number. A reader cannot see this if the number is the last one, or if blanks separate.
const unseen = "missing numbers that are not seen"

// `whole` reports whether all numbers are whole and written without a decimal mark.
func (s *sheet) whole() bool { return strings.IndexAny(fmt.Sprint(s.cells), ".e") < 0 }

// labels returns n names, of a random kind. Some look like numbers.
func (s *sheet) labels(n int, kinds string) []string {
	all := make([]string, n)
	first := 1950 + s.IntN(80)
	kind := kinds[s.IntN(len(kinds))]
	for i := range all {
		switch kind {
		case '0':
			all[i] = strconv.Itoa(i)
		case '1':
			all[i] = strconv.Itoa(i + 1)
		case 'y':
			all[i] = strconv.Itoa(first + i)
		case 'c':
			all[i] = strconv.Itoa(100000 + s.IntN(900000))
		case 'd':
			all[i] = fmt.Sprintf("%d-%02d-01", first, 1+i)
		case 'w':
			all[i] = []string{"x", "Sepal Length", "y [m]", "a,b", "c;d", `say "hi"`, "Größe", "e1", "3rd"}[s.IntN(9)] + string(rune('A'+i))
		}
	}
	return all
}

// quoted puts a name in quotes.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// write writes the sheet: the fields of each line between separators. The functions change names
// and numbers.
func (s *sheet) write(sep, end string, name, number func(string) string) {
	line := func(fields []string) {
		text := strings.Join(fields, sep)
		if text == "" {
			text = `""` // otherwise the line would be blank
		}
		s.text.WriteString(text + end)
	}
	if s.header != nil {
		var fields []string
		if s.names != nil {
			fields = append(fields, name(s.corner))
		}
		for _, h := range s.header {
			fields = append(fields, name(h))
		}
		line(fields)
	}
	for i, row := range s.cells {
		var fields []string
		if s.names != nil {
			fields = append(fields, name(s.names[i]))
		}
		for _, cell := range row {
			fields = append(fields, number(cell))
		}
		line(fields)
	}
	s.o.Header, s.o.Names, s.o.Format = choice(s.header != nil), choice(s.names != nil), TextTable
}

// entries returns the elements that are not zero, by columns: row, column, value; and their number.
// Rows and columns are counted from `base`.
func (s *sheet) entries(base int) (text string, count int) {
	for j := range s.cols {
		for i := range s.rows {
			if s.values[i][j] != 0 {
				text += fmt.Sprintf("%d %d %s\n", i+base, j+base, s.cells[i][j])
				count++
			}
		}
	}
	return text, count
}

// halfEmpty reports whether more than half of the rows or columns have only zeros. The last row and
// the last column do not count as such.
func (s *sheet) halfEmpty() bool {
	rows, cols := map[int]bool{s.rows - 1: true}, map[int]bool{s.cols - 1: true}
	for i, row := range s.values {
		for j, x := range row {
			if x != 0 {
				rows[i], cols[j] = true, true
			}
		}
	}
	return 2*len(rows) < s.rows || 2*len(cols) < s.cols
}

// python prints a number as Python's repr does.
func python(x float64) string {
	if x == 0 || math.Abs(x) >= 1e-4 && math.Abs(x) < 1e16 {
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	return strconv.FormatFloat(x, 'e', -1, 64)
}

func joined[T any](items []T, print func(T) string) string {
	var texts []string
	for _, item := range items {
		texts = append(texts, print(item))
	}
	return strings.Join(texts, ",")
}

// list prints items as a list of Python.
func list[T any](items []T, print func(T) string) string { return "[" + joined(items, print) + "]" }

// rowsOf prints the values as a list of lists of Python.
func (s *sheet) rowsOf(print func(float64) string) string {
	return list(s.values, func(row []float64) string { return list(row, print) })
}

// label prints a name as pandas may have it: numbers are integers.
func label(name string) string {
	if isDigits(name) {
		return name
	}
	return strconv.Quote(name)
}

func boolean(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// pandas writes as pandas.DataFrame.to_csv.
func pandas(r *rand.Rand) *sheet {
	integers := r.IntN(4) == 0
	number, value := python, unchanged
	if integers {
		value = func(x float64) float64 { return math.Mod(math.Round(x*1e6), 1e15) + 0 }
		number = func(x float64) string { return strconv.Itoa(int(x)) }
	}
	s := newSheet(r, value)
	sep := []string{",", ";", "\t", " "}[r.IntN(4)]
	columns, index := "None", "None"
	if r.IntN(4) != 0 {
		s.header = s.labels(s.cols, "001ycdw")
		columns = list(s.header, label)
	}
	if r.IntN(4) != 0 {
		s.names = s.labels(s.rows, "0001ydw")
		index = list(s.names, label)
		if r.IntN(3) == 0 {
			s.corner = []string{"id", "index", "date"}[r.IntN(3)]
		}
	}
	comma := r.IntN(3) == 0
	fixed := r.IntN(5) == 0 && !integers
	missing := !integers && r.IntN(8) == 0
	if missing {
		s.lose()
	}
	decimal, format := ".", "None"
	if comma {
		decimal = ","
	}
	source := s.rowsOf(number)
	if fixed {
		format = `"%%.3f"`
		number = func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
	}
	s.print("", number)
	all, words := r.IntN(5) == 0, r.IntN(5) == 0
	quoting := "csv.QUOTE_MINIMAL"
	if all {
		quoting = "csv.QUOTE_ALL"
	} else if words {
		quoting = "csv.QUOTE_NONNUMERIC"
	}
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	corner := ""
	if s.corner != "" {
		corner = fmt.Sprintf(", index_label=%q", s.corner)
	}
	s.code = fmt.Sprintf("pandas.DataFrame(%s, columns=%s, index=%s).to_csv(%%[1]q, sep=%q, header=%s, index=%s, decimal=%q, float_format=%s, quoting=%s, lineterminator=%q%s)",
		source, columns, index, sep, boolean(s.header != nil), boolean(s.names != nil), decimal, format, quoting, end, corner)
	quotes := func(text string) bool {
		return strings.Contains(text, sep) || strings.ContainsAny(text, "\"\r\n")
	}
	s.write(sep, end, func(name string) string {
		_, err := strconv.Atoi(name)
		if all || words && err != nil || quotes(name) {
			return quoted(name)
		}
		return name
	}, func(cell string) string {
		if comma {
			cell = strings.Replace(cell, ".", ",", 1)
		}
		text := !integers && (comma || fixed || cell == "") // such a number is a string before it is written
		if all || words && text || quotes(cell) {
			return quoted(cell)
		}
		return cell
	})
	numbered := s.header != nil && isDigits(s.header[0])
	s.missing = s.missing || s.cols == 1 && (comma || s.names == nil) // the separator cannot be seen
	switch named := s.names != nil && isDigits(s.names[0]); {
	case missing && s.header == nil && (sep == " " || sep == "\t") && s.names == nil, missing && s.rows == 1 && (sep == " " || sep == "\t"):
		s.limits = unseen
	case sep == " " && s.names == nil && numbered && s.whole():
		s.limits = "blanks: whole numbers below whole numbers"
	case sep == " " && s.header == nil && named:
		s.limits = "blanks: a first column of numbers"
	case comma && s.cols == 1 && s.names == nil:
		s.limits = oneColumn
	case numbered && len(s.header[0]) == 6 && s.whole():
		s.limits = "codes above whole numbers"
	case s.cols == 1 && numbered && s.names == nil && s.header[0] != "0":
		s.limits = "one column below a number"
	case sep == " " && numbered && s.names == nil && s.cols == 1:
		s.limits = "blanks: one column below a number"
	case sep == " " && numbered && s.names == nil && len(s.header[0]) == 6:
		s.limits = "blanks: codes"
	case named && s.corner == "" && s.header == nil && s.rows == 1, named && s.rows == 1 && s.header == nil:
		s.limits = "one row"
	}
	return s
}

func isDigits(text string) bool { return number.Digits([]byte(text)) }

// inR writes a random matrix as one of R's functions write.table, write.csv and write.csv2 does.
func inR(r *rand.Rand) *sheet {
	s := newSheet(r, func(x float64) float64 { // R rounds halves at digit 16 in its own way
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 13, 64), 64)
		return x
	})
	sep := []string{" ", ",", ";", "\t"}[r.IntN(4)]
	dec := r.IntN(3) == 0 && sep != ","
	quotes := r.IntN(3) != 0
	s.header = s.labels(s.cols, "w1y")
	if r.IntN(2) == 0 {
		for j := range s.header {
			s.header[j] = fmt.Sprintf("V%d", j+1)
		}
	}
	if r.IntN(3) != 0 {
		s.names = s.labels(s.rows, "111w")
	}
	if r.IntN(8) == 0 {
		s.lose()
	}
	s.print("NA", printR)
	// A table without quotes cannot have separators or quotes in names.
	if !quotes {
		for _, all := range [][]string{s.header, s.names} {
			for i := range all {
				all[i] = strings.NewReplacer(" ", ".", ",", ".", ";", ".", "\"", "", "[", ".", "]", ".").Replace(all[i])
			}
		}
	}
	escape := r.IntN(2) == 0 // as write.table does, but not write.csv
	write := func(name string) string {
		switch {
		case !quotes:
			return name
		case escape:
			return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
		}
		return quoted(name)
	}
	s.missing = s.missing || dec && (s.cols == 1 || !quotes) // a comma may separate
	corner := s.names != nil && r.IntN(2) == 0               // col.names = NA, as write.csv
	s.code = s.codeR(sep, dec, quotes, escape, corner)
	names, firstLabel := s.names, s.header[0]
	if s.names != nil && !corner { // the header has no field above the names
		for j, h := range s.header {
			if j > 0 {
				s.text.WriteString(sep)
			}
			s.text.WriteString(write(h))
		}
		s.text.WriteString("\n")
		s.header = nil
	}
	s.write(sep, "\n", write, func(cell string) string {
		if dec {
			cell = strings.Replace(cell, ".", ",", 1)
		}
		return cell
	})
	s.o.Header = Yes
	numbered := isDigits(firstLabel)
	switch {
	case dec && s.cols == 1 && names == nil:
		s.limits = oneColumn
	case !quotes && numbered && sep == " ":
		s.limits = "blanks: numbers above numbers"
	case !quotes && corner && sep == " ":
		s.limits = "blanks: an empty corner that is not seen"
	case !quotes && s.cols == 1 && numbered && names == nil:
		s.limits = "one column below a number"
	}
	return s
}

// codeR returns the call of write.table that writes the sheet.
func (s *sheet) codeR(sep string, dec, quotes, escape, corner bool) string {
	yes := map[bool]string{true: "TRUE", false: "FALSE"}
	names, columns, point, method := "NULL", "TRUE", ".", "double"
	if s.names != nil {
		names = "c(" + joined(s.names, strconv.Quote) + ")"
	}
	if corner {
		columns = "NA"
	}
	if dec {
		point = ","
	}
	if escape {
		method = "escape"
	}
	// R reads decimal numbers with small errors, so the numbers are hexadecimal.
	values := joined(s.values, func(row []float64) string {
		return joined(row, func(x float64) string {
			if math.IsNaN(x) {
				return "NA"
			}
			return strconv.FormatFloat(x, 'x', -1, 64)
		})
	})
	return fmt.Sprintf("write.table(matrix(c(%s), %d, byrow=TRUE, dimnames=list(%s, c(%s))), %%[1]q, sep=%q, dec=%q, quote=%s, row.names=%s, col.names=%s, qmethod=%q)",
		values, s.rows, names, joined(s.header, strconv.Quote), sep, point, yes[quotes], yes[s.names != nil], columns, method)
}

// printR prints a number as R does: rounded to 15 digits, without zeros at the end, and with an
// exponent if this is shorter.
func printR(x float64) string {
	e := strconv.FormatFloat(x, 'e', 14, 64)
	digits, exponent, _ := strings.Cut(e, "e")
	digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	power, _ := strconv.Atoi(exponent)
	decimals := max(0, len(strings.TrimPrefix(strings.Replace(digits, ".", "", 1), "-"))-1-power)
	if fixed := strconv.FormatFloat(x, 'f', decimals, 64); len(fixed) <= len(digits+"e"+exponent) {
		return fixed
	}
	return digits + "e" + exponent
}

// excel writes a random matrix as a spreadsheet saves it as CSV, in a country with decimal points
// or in one with decimal commas.
func excel(r *rand.Rand) *sheet {
	s := newSheet(r, unchanged)
	s.print("", func(x float64) string { return strings.ToUpper(strconv.FormatFloat(x, 'g', 9, 64)) })
	german, grouped := r.IntN(2) == 0, r.IntN(4) == 0
	sep := ","
	if german {
		sep = ";"
	}
	if r.IntN(3) != 0 {
		s.header = s.labels(s.cols, "wyw")
	}
	if r.IntN(3) == 0 {
		s.names = s.labels(s.rows, "wy1")
	}
	if r.IntN(4) == 0 {
		s.text.WriteString(byteOrderMark)
	}
	if r.IntN(4) == 0 {
		s.text.WriteString("sep=" + sep + "\r\n")
	}
	s.missing = grouped || s.cols == 1 && s.names == nil
	s.write(sep, "\r\n", func(name string) string {
		if strings.ContainsAny(name, sep+`"`) {
			return quoted(name)
		}
		return name
	}, func(cell string) string {
		if grouped && !strings.Contains(cell, "E") {
			cell = thousands(cell)
		}
		if german {
			cell = strings.NewReplacer(".", ",", ",", ".").Replace(cell)
		}
		if strings.Contains(cell, sep) {
			return quoted(cell)
		}
		return cell
	})
	if grouped {
		s.o.Format = AnyFormat
	}
	switch numbered := s.header != nil && isDigits(s.header[0]); {
	case german && s.cols == 1 && s.names == nil:
		s.limits = oneColumn
	case numbered && s.cols == 1 && s.names == nil:
		s.limits = "one column below a number"
	case s.names != nil && s.rows == 1:
		s.limits = "one row"
	}
	return s
}

func thousands(cell string) string {
	head, tail, _ := strings.Cut(cell, ".")
	sign := ""
	if strings.HasPrefix(head, "-") {
		sign, head = "-", head[1:]
	}
	for k := len(head) - 3; k > 0; k -= 3 {
		head = head[:k] + "," + head[k:]
	}
	if tail != "" {
		head += "." + tail
	}
	return sign + head
}

// savetxt writes as numpy.savetxt.
func savetxt(r *rand.Rand) *sheet {
	kind := r.IntN(4)
	s := newSheet(r, func(x float64) float64 { return math.Mod(x, 1e15) })
	s.print("", []func(float64) string{
		func(x float64) string { return fmt.Sprintf("%.18e", x) },
		func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) },
		func(x float64) string { return fmt.Sprintf("%.3f", x) },
		func(x float64) string { return fmt.Sprintf("%d", int64(x)) },
	}[kind])
	var header []string
	for range r.IntN(3) {
		header = append(header, []string{"a, b; c", "", "1 2 3"}[r.IntN(3)])
	}
	if all := strings.Join(header, "\n"); all != "" {
		s.text.WriteString("# " + strings.ReplaceAll(all, "\n", "\n# ") + "\n")
	}
	sep := []string{" ", ",", "\t", ";", ", "}[r.IntN(5)]
	s.code = fmt.Sprintf("numpy.savetxt(%%[1]q, numpy.array(%s), fmt=%q, delimiter=%q, header=%q)",
		s.rowsOf(python), []string{"%%.18e", "%%g", "%%.3f", "%%d"}[kind], sep, strings.Join(header, "\n"))
	same := func(text string) string { return text }
	s.write(sep, "\n", same, same)
	return s
}

// octaveText writes a random matrix as one of Octave's functions does, chosen at random: dlmwrite,
// save -text of a full matrix, or save -text of a sparse matrix.
func octaveText(r *rand.Rand) *sheet {
	s := newSheet(r, unchanged)
	digits := 17
	kind := r.IntN(3)
	if kind == 0 {
		digits = 16 // of dlmwrite
	}
	s.print("", func(x float64) string { return strconv.FormatFloat(x, 'g', digits, 64) })
	same := func(text string) string { return text }
	matrix := "[" + strings.ReplaceAll(joined(s.values, func(row []float64) string { return joined(row, python) + ";" }), ";,", ";") + "]"
	switch kind {
	case 0:
		sep := []string{",", "\t", " "}[r.IntN(3)]
		s.code = fmt.Sprintf("dlmwrite(%%[1]q, %s, %q)", matrix, sep)
		s.write(sep, "\n", same, same)
	case 1:
		s.code = fmt.Sprintf(`A = %s; save("-text", %%[1]q, "A")`, matrix)
		fmt.Fprint(&s.text, "# Created by Octave 9.2.0, Sat Nov 28 02:05:49 2026 UTC <me@here>\n# name: A\n")
		if s.rows*s.cols == 1 {
			fmt.Fprintf(&s.text, "# type: scalar\n%s\n\n\n", s.cells[0][0])
			break
		}
		fmt.Fprintf(&s.text, "# type: matrix\n# rows: %d\n# columns: %d\n", s.rows, s.cols)
		for _, row := range s.cells {
			s.text.WriteString(" " + strings.Join(row, " ") + "\n")
		}
		s.text.WriteString("\n\n")
	default:
		s.code = fmt.Sprintf(`x = sparse(%s); save("-text", %%[1]q, "x")`, matrix)
		entries, count := s.entries(1)
		fmt.Fprintf(&s.text, "# name: x\n# type: sparse matrix\n# nnz: %d\n# rows: %d\n# columns: %d\n%s\n\n", count, s.rows, s.cols, entries)
	}
	return s
}

// armadilloText writes a random matrix in one of Armadillo's formats of text, chosen at random:
// arma_ascii, raw_ascii, csv_ascii, ssv_ascii or coord_ascii.
func armadilloText(r *rand.Rand) *sheet {
	s := newSheet(r, unchanged)
	s.print("", func(x float64) string { return fmt.Sprintf("%.16e", x) })
	same := func(text string) string { return text }
	kind := r.IntN(5)
	target := "%[1]q, arma::" + []string{"arma", "raw", "csv", "ssv", "coord"}[kind] + "_ascii"
	switch kind {
	case 0:
		fmt.Fprintf(&s.text, "ARMA_MAT_TXT_FN008\n%d %d\n", s.rows, s.cols)
		fallthrough
	case 1:
		for _, row := range s.cells {
			for _, cell := range row {
				fmt.Fprintf(&s.text, " %24s", cell)
			}
			s.text.WriteString("\n")
		}
	case 2:
		s.header = s.labels(s.cols, "w")
		for j := range s.header {
			s.header[j] = strings.NewReplacer(",", "", "\"", "", " ", "").Replace(s.header[j])
		}
		target = fmt.Sprintf(`arma::csv_name(std::string(%%[1]q), arma::field<std::string>(std::vector<std::string>{%s}))`, joined(s.header, strconv.Quote))
		s.write(",", "\n", same, same)
	case 3:
		s.write(";", "\n", same, same)
	case 4:
		entries, count := s.entries(0)
		s.text.WriteString(entries)
		if s.values[s.rows-1][s.cols-1] == 0 { // this line tells the shape
			fmt.Fprintf(&s.text, "%d %d 0\n", s.rows-1, s.cols-1)
			count++
		}
		s.o.Format = Triplets
		if count <= 3 || s.halfEmpty() {
			s.limits = "few entries"
		}
	}
	s.code = fmt.Sprintf("arma::mat(\"%s\").save(%s);", strings.ReplaceAll(joined(s.values, func(row []float64) string { return strings.ReplaceAll(joined(row, python), ",", " ") + ";" }), ";,", ";"), target)
	return s
}

// sheetWriters are the writers of sheets, and the programs that they imitate. There is no free
// program that writes as Excel.
var sheetWriters = []struct {
	write   func(*rand.Rand) *sheet
	program string
}{{pandas, "pandas"}, {inR, "R"}, {excel, ""}, {savetxt, "numpy"}, {octaveText, "octave"}, {armadilloText, "armadillo"}}

func newSheetOf(seed uint64, writer int) *sheet {
	return sheetWriters[writer%len(sheetWriters)].write(rand.New(rand.NewPCG(seed, 1)))
}

// FuzzTextOfOtherPrograms writes random matrices as other programs do, and reads them. The numbers
// must be the same, or the file must be refused. If the options say how to read the file, the file
// must not be refused, unless a number is missing or thousands are separated.
func FuzzTextOfOtherPrograms(f *testing.F) {
	limitFuzzer(f)
	for seed := range uint64(200) {
		f.Add(seed, byte(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, writer byte) { readBack(t, seed, writer) })
}

// readBack writes a random matrix as one of the programs, and reads it.
func readBack(t *testing.T, seed uint64, writer byte) {
	s := newSheetOf(seed, int(writer))
	if s.limits == oneColumn || s.limits == unseen {
		return
	}
	want := make([]float64, s.rows*s.cols)
	for k := range want {
		x, err := strconv.ParseFloat(s.cells[k%s.rows][k/s.rows], 64)
		if want[k] = x; err != nil {
			want[k] = nan
		}
	}
	for _, c := range []struct {
		o      Options
		refuse bool // whether the file may be refused
	}{{Options{}, true}, {Options{Square: true}, true}, {s.o, s.missing}} {
		if s.limits != "" && c.o != s.o {
			continue
		}
		if c.o.Square && (s.rows != s.cols || !isSymmetric(want, s.rows)) {
			continue
		}
		text := s.text.String()
		d, err := boundedRead(t, []byte(text), func() (*Dense, error) { return c.o.Read(strings.NewReader(text), "f") })
		switch {
		case err != nil && (!c.refuse || !errors.As(err, new(*FormatError)) && !errors.As(err, new(*AmbiguousError))):
			t.Fatalf("%q\n%+v: %v", text, c.o, err)
		case err == nil && (d.Rows != s.rows || d.Cols != s.cols || !same(d.Data, want)):
			t.Fatalf("%q\n%+v: %v, want %v", text, c.o, d, want)
		}
	}
}

func isSymmetric(a []float64, n int) bool {
	for i := range n {
		for j := range n {
			if !(a[i+j*n] == a[j+i*n]) {
				return false
			}
		}
	}
	return true
}
