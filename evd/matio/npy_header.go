package matio

import (
	"fmt"
	"strings"
)

// An npyHeader is the dictionary in front of the elements of a .npy file.
type npyHeader struct {
	descr        string // element type
	fortranOrder bool   // first index fastest: columns one after the other
	shape        []int
}

// parseHeader reads the dictionary, a Python literal such as
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// with its keys in any order. The complaint is empty when it can.
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

// A literal is the unread rest of a Python literal. Its first complaint stays.
type literal struct{ rest, complaint string }

func (p *literal) fail(complaint string) {
	if p.complaint == "" {
		p.complaint = complaint
	}
}

func (p *literal) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept reads a token if it is next.
func (p *literal) accept(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *literal) expect(token string) {
	if !p.accept(token) {
		p.fail(fmt.Sprintf("expected %s before %s", token, quote([]byte(p.rest))))
	}
}

// quoted reads a string between single or double quotes; the ones here hold no escapes.
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

func (p *literal) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads sizes between parentheses. Python 2 wrote long ones with an L.
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
