// Package numpy knows the headers and the elements of .npy files.
package numpy

import (
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// A Header is the dictionary before the elements of a .npy file.
type Header struct {
	Descr        string
	FortranOrder bool
	Shape        []int
}

// ParseHeader reads the dictionary, a Python literal such as
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// The three keys may come in any order, and other keys are refused. `shape` is () for a single
// number and (n,) for a vector. The result `complaint` says what is wrong, and is empty if the
// dictionary is correct.
//
// NumPy evaluates the dictionary with Python's parser. ParseHeader accepts only the part of
// Python's literals that NumPy and other writers use: strings without escapes, True and False, and
// tuples of integers.
func ParseHeader(text string) (h Header, complaint string) {
	p := &literal{rest: text}
	seen := map[string]bool{}
	p.expect("{")
	for p.complaint == "" && !p.accept("}") {
		key := p.quoted()
		p.expect(":")
		switch key {
		case "descr":
			h.Descr = p.elementType()
		case "fortran_order":
			h.FortranOrder = p.boolean()
		case "shape":
			h.Shape = p.tuple()
		default:
			p.fail(fmt.Sprintf("unknown key %s", number.Quote([]byte(key))))
		}
		seen[key] = true
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	if p.skip(); p.rest != "" {
		p.fail("text after the closing brace")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			p.fail("no " + key)
		}
	}
	return h, p.complaint
}

// A literal parses Python literals. `rest` has not been read yet, and `complaint` is the first
// error, after which results have no meaning.
type literal struct{ rest, complaint string }

func (p *literal) fail(complaint string) {
	if p.complaint == "" {
		p.complaint = complaint
	}
}

func (p *literal) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *literal) accept(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *literal) expect(token string) {
	if !p.accept(token) {
		p.fail(fmt.Sprintf("expected %s before %s", token, number.Quote([]byte(p.rest))))
	}
}

func (p *literal) elementType() string {
	if p.accept("[") {
		p.fail(`arrays of records are not supported: save A["FIELD"] instead`)
	}
	if !p.accept("(") {
		return p.quoted()
	}
	name := p.quoted()
	p.expect(",")
	if !p.accept("()") { // the shape of one element
		p.expect("{")
		_, rest, ok := strings.Cut(p.rest, "})")
		if !ok {
			p.fail("the metadata of the element type do not end")
		}
		p.rest = rest
		return name
	}
	p.expect(")")
	return name
}

// quoted reads a string without escapes in single or double quotes. Python 2 may have the letter u
// before it.
func (p *literal) quoted() string {
	p.accept("u")
	mark := "'"
	if !p.accept(mark) {
		mark = `"`
		p.expect(mark)
	}
	s, rest, ok := strings.Cut(p.rest, mark)
	if !ok {
		p.fail("a string does not end")
	}
	p.rest = rest
	return s
}

func (p *literal) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads sizes in parentheses. A comma may follow the last one. The letter L may follow each
// of them, because Python 2 wrote long integers with it.
func (p *literal) tuple() (sizes []int) {
	p.expect("(")
	for p.complaint == "" && !p.accept(")") {
		p.skip()
		digits := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "0123456789"))]
		n, ok := number.Count([]byte(digits), memory.MostElements)
		if !ok {
			p.fail(fmt.Sprintf("a dimension is not an integer from 0 to %d", memory.MostElements))
		}
		sizes = append(sizes, n)
		p.rest = p.rest[len(digits):]
		p.accept("L")
		if !p.accept(",") {
			p.expect(")")
			break
		}
	}
	return sizes
}
