package matio

import (
	"fmt"
	"strings"
)

// An npyHeader is the dictionary in front of the elements of a .npy file.
type npyHeader struct {
	// descr is the type of the elements, such as "<f8".
	descr string
	// fortranOrder says that the elements are stored by columns. If it is false, they are stored by
	// rows.
	fortranOrder bool
	// shape has the size of each dimension.
	shape []int
}

// parseHeader reads the dictionary, a Python literal such as
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// Its three keys may come in any order; other keys are refused. shape is () for a single number and
// (n,) for a vector. descr is a string; a list, which describes records, is refused. The complaint
// says what is wrong; it is empty if nothing is.
//
// NumPy evaluates the dictionary with Python's parser. This parser accepts what NumPy and other
// writers produce, which is a small part of Python's literals: strings without escapes, True and
// False, and tuples of integers.
func parseHeader(text string) (h npyHeader, complaint string) {
	p := &literal{rest: text}
	seen := map[string]bool{}
	p.expect("{")
	for p.complaint == "" && !p.accept("}") {
		key := p.quoted()
		p.expect(":")
		switch key {
		case "descr":
			if p.accept("[") {
				p.fail("arrays of records are not supported")
			}
			h.descr = p.quoted()
		case "fortran_order":
			h.fortranOrder = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			p.fail(fmt.Sprintf("unknown key %s", quote([]byte(key))))
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

// A literal parses a Python literal. rest is the text that is not yet read. Only the first
// complaint is kept. After it, results have no meaning.
type literal struct{ rest, complaint string }

// fail sets the complaint, if there is none yet.
func (p *literal) fail(complaint string) {
	if p.complaint == "" {
		p.complaint = complaint
	}
}

// skip skips white space.
func (p *literal) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept reads a token if it comes next, and tells whether it did.
func (p *literal) accept(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

// expect reads a token, which must come next.
func (p *literal) expect(token string) {
	if !p.accept(token) {
		p.fail(fmt.Sprintf("expected %s before %s", token, quote([]byte(p.rest))))
	}
}

// quoted reads a string between single or double quotes. Strings here have no escapes.
func (p *literal) quoted() string {
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

// boolean reads True or False.
func (p *literal) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads sizes between parentheses, each from 0 to mostElements. A comma may follow the last
// one. After a single one Python requires the comma, but tuple does not. An L may follow a number,
// because Python 2 wrote long integers so.
func (p *literal) tuple() (sizes []int) {
	p.expect("(")
	for p.complaint == "" && !p.accept(")") {
		p.skip()
		digits := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "0123456789"))]
		n, ok := count([]byte(digits), mostElements)
		if !ok {
			p.fail(fmt.Sprintf("a dimension is not an integer from 0 to %d", mostElements))
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
