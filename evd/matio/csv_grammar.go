package matio

import (
	"fmt"
	"slices"
	"strings"
)

// A headKind says what the first line of a table is, judged by its fields alone.
type headKind int

const (
	numbersHead headKind = iota // every field is a number
	wordsHead                   // a header: a field after the first one is a name, or the only field is
	cornerHead                  // a header: the first field is empty, and the others are names
	nameHead                    // a name, and then numbers
	emptyHead                   // an empty field, and then numbers
)

var headTexts = [...]string{"numbers", "names", "empty, then names", "a name, then numbers", "empty, then numbers"}

// A nameKind says what the first fields of the other lines are.
type nameKind int

const (
	noNames     nameKind = iota // there are no other lines
	numberNames                 // numbers, which may be names
	wordNames                   // names
)

var nameTexts = [...]string{"", "numbers", "names"}

// A reading says which parts of a table are not numbers of the matrix.
type reading struct{ header, names bool }

var (
	onlyNumbers = reading{}
	withHeader  = reading{header: true}
	withNames   = reading{names: true}
	withBoth    = reading{header: true, names: true}
)

func (r reading) String() string {
	header, names := "no header", "no row names"
	if r.header {
		header = "a header"
	}
	if r.names {
		names = "row names"
	}
	return header + ", " + names
}

// A condition is what must hold for a line of the grammar. If it holds, the function `holds`
// returns a text that says so, and otherwise "". docs/formats.md explains the conditions.
type condition struct {
	text  string
	holds func(*table) string
}

// grammar lists how a table may be read. The first line that fits the file applies. If none fits,
// the file is refused. A line has one reading, or several; then the file alone does not decide (see
// choose). docs/formats.md has the same table, and a test compares both.
var grammar = []struct {
	head    headKind
	names   nameKind
	shorter bool // the first line has one field less than the others
	condition
	readings []reading
}{
	{numbersHead, noNames, false, always, []reading{onlyNumbers}},
	{numbersHead, numberNames, false, labelsOnBothSides, []reading{onlyNumbers, withHeader, withNames}},
	{numbersHead, numberNames, false, labelsAbove, []reading{onlyNumbers, withHeader}},
	{numbersHead, numberNames, false, labelsBeside, []reading{onlyNumbers, withNames}},
	{numbersHead, numberNames, false, always, []reading{onlyNumbers}},
	{numbersHead, numberNames, true, countIndented, []reading{withBoth}},
	{numbersHead, wordNames, true, plainLabels, []reading{withBoth}},
	{wordsHead, numberNames, false, indexColumn, []reading{withHeader, withBoth}},
	{wordsHead, numberNames, false, always, []reading{withHeader}},
	{wordsHead, wordNames, false, always, []reading{withBoth}},
	{wordsHead, numberNames, true, rowNumbers, []reading{withBoth}},
	{wordsHead, wordNames, true, always, []reading{withBoth}},
	{cornerHead, numberNames, false, always, []reading{withBoth}},
	{cornerHead, wordNames, false, always, []reading{withBoth}},
	{nameHead, wordNames, false, idAndLabels, []reading{withBoth}},
	{nameHead, wordNames, false, labelsAbove, []reading{withNames, withBoth}},
	{nameHead, wordNames, false, always, []reading{withNames}},
	{nameHead, numberNames, false, idAndSameLabels, []reading{withBoth}},
	{nameHead, numberNames, false, idAndLabels, []reading{withHeader, withBoth}},
	{emptyHead, wordNames, false, plainLabels, []reading{withBoth}},
	{emptyHead, wordNames, false, emptyCorner, []reading{withNames, withBoth}},
	{emptyHead, numberNames, false, cornerOfLabels, []reading{withBoth}},
}

// headOf decides what the first line is. It returns an error if the line is neither a header nor a
// row, because a number or a name in it is missing or wrong.
func (t *table) headOf() (headKind, error) {
	top := &t.top
	corner := top.first == emptyCell && top.width > 1
	switch {
	case t.opt.Header == Yes && corner:
		return cornerHead, nil
	case t.opt.Header == Yes:
		return wordsHead, nil
	case top.words > 0 && t.opt.Header != No:
		// Numbers among the names of a header count the columns, or are years.
		if len(t.a) > 0 && (len(t.a) < 2 || !top.plain || sequence(t.a, 1) == "") {
			break
		}
		if top.empty > 0 {
			return 0, t.errorAtTop("column %d: the name of this column is missing; a header is one line", top.empty)
		}
		if corner {
			return cornerHead, nil
		}
		return wordsHead, nil
	case top.wrong > 0 || top.first == badCell:
	case top.first == numberCell:
		return numbersHead, nil
	case top.width == 1:
		if t.opt.Header != No && top.first == wordCell {
			return wordsHead, nil
		}
	case corner:
		return emptyHead, nil
	default:
		return nameHead, nil
	}
	return 0, t.wrongTop()
}

// wrongTop is the error about the first field of the first line that is neither a number nor a name
// in its place.
func (t *table) wrongTop() error {
	top := &t.top
	hint := ""
	if t.opt.Header == Auto && (top.words > 0 || top.first == wordCell || top.first == emptyCell) {
		hint = "; --header yes takes the line as a header"
	}
	return t.errorAtTop("column %d: %s%s%s", max(1, top.wrong), top.complaint, top.advice, hint)
}

// choose finds the line of the grammar that fits the table. Of several readings it keeps those that
// Header and Names allow, and then those with the shape that the caller wants (see fit). The error
// is an *AmbiguousError if several readings are left, and that of noReading if none is left.
func (t *table) choose() (reading, error) {
	var left []reading
	why := ""
	for _, g := range grammar {
		if g.head != t.head || g.names != t.names || g.shorter != t.shorter {
			continue
		}
		if why = g.holds(t); why != "" {
			left = g.readings
			break
		}
	}
	if left == nil {
		return onlyNumbers, t.noReading()
	}
	left = t.allowed(left)
	if len(left) == 0 {
		return onlyNumbers, t.noReading()
	}
	if t.opt.Square || t.opt.Rows > 0 {
		return slices.MaxFunc(left, func(a, b reading) int { return t.fit(a) - t.fit(b) }), nil
	}
	if len(left) == 1 {
		return left[0], nil
	}
	e := &AmbiguousError{File: t.file, Why: why}
	for _, r := range left {
		rows, cols := t.size(r)
		e.Readings = append(e.Readings, Reading{rows, cols, r.header, r.names})
	}
	return onlyNumbers, e
}

// fit says how well a reading gives the shape that the caller knows: 2 for all of it, 1 for only
// the number of rows, and 0 otherwise.
func (t *table) fit(r reading) int {
	switch rows, cols := t.size(r); {
	case t.opt.Square && rows == cols, rows == t.opt.Rows && cols == t.opt.Cols:
		return 2
	case rows == t.opt.Rows:
		return 1
	}
	return 0
}

func (t *table) allowed(all []reading) (left []reading) {
	agrees := func(c Choice, is bool) bool { return c == Auto || (c == Yes) == is }
	for _, r := range all {
		if agrees(t.opt.Header, r.header) && agrees(t.opt.Names, r.names) {
			left = append(left, r)
		}
	}
	return left
}

func (t *table) size(r reading) (rows, cols int) {
	rows, cols = t.rows, t.width
	if !r.header && t.labels > 0 {
		rows++
		cols = t.labels
	}
	if r.names && t.names == numberNames {
		cols--
	}
	return rows, cols
}

func (t *table) noReading() error {
	top := &t.top
	switch {
	case t.shorter && t.head != wordsHead:
		return t.errorAtTop("this line has one field less than the next; a number may be missing; --header yes takes it as a header")
	case t.shorter:
		return t.errorAtTop("the header has one field less than the rows, but their first fields are no names of rows: " +
			"these are words, or different whole numbers; --names yes takes them as names")
	case top.first != numberCell && (t.head == nameHead || t.head == emptyHead):
		return t.errorAtTop("column 1: %s%s; --header yes takes the line as a header", top.complaint, top.advice)
	case t.head == numbersHead:
		return t.errorAtTop("this line has only numbers, but the others begin with names; --header yes takes it as a header")
	}
	return t.errorAtTop("--header and --names leave no way to read the file")
}

// An AmbiguousError says that a table of text may be read in several ways, and that its content
// does not decide between them. The options Header and Names make the choice.
type AmbiguousError struct {
	File string // name, as the caller gave it
	Why  string // what may be names of columns or rows
	// Readings are the ways in which the table may be read, two at least.
	Readings []Reading
}

// A Reading is one way in which a table may be read: as a matrix of this shape, below a header or
// beside names of rows.
type Reading struct {
	Rows, Cols    int
	Header, Names bool
}

// Error names the readings, and the flags of the command vkevd that choose one.
func (e *AmbiguousError) Error() string {
	var all []string
	header, names := false, false
	for _, r := range e.Readings {
		all = append(all, fmt.Sprintf("%d × %d numbers, %v", r.Rows, r.Cols, reading{r.Header, r.Names}))
		header = header || r.Header != e.Readings[0].Header
		names = names || r.Names != e.Readings[0].Names
	}
	flags := "--header yes or --header no"
	switch {
	case header && names:
		flags += ", --names yes or --names no"
	case names:
		flags = "--names yes or --names no"
	}
	return fmt.Sprintf("%s: %s, so the table may be %s; %s decides", e.File, e.Why, strings.Join(all, "; or "), flags)
}
