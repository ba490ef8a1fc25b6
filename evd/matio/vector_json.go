package matio

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// readJSON reads one array of numbers. It takes the array apart itself: json.Decoder would hold a
// file of one endless element in memory before it looks at it.
func readJSON(in *input) ([]float64, error) {
	r := &jsonArray{input: in}
	if word, err := r.next(); err != nil {
		return nil, err
	} else if string(word) != "[" {
		return nil, r.errorf("not an array of numbers")
	}
	a := []float64{}
	for {
		word, err := r.next()
		if err != nil {
			return nil, err
		}
		if len(a) == 0 && string(word) == "]" {
			return r.end(a)
		}
		x, err := r.number(word, len(a)+1)
		if err != nil {
			return nil, err
		}
		if err := in.push(&a, x, len(a)+1, 1); err != nil {
			return nil, err
		}
		switch word, err := r.next(); {
		case err != nil:
			return nil, err
		case string(word) == "]":
			return r.end(a)
		case string(word) != ",":
			return nil, r.errorf("no comma before element %d of the array", len(a)+1)
		}
	}
}

type jsonArray struct {
	*input
	word []byte // the memory of the word that `next` returned last
}

// next returns the next word: a bracket, a comma, or all characters up to the next of them or a
// blank. A longer word is cut after longestField+1 characters, and is no number. The result is
// valid until the next call.
func (r *jsonArray) next() ([]byte, error) {
	r.word = r.word[:0]
	for len(r.word) <= longestField {
		c, err := r.ReadByte()
		if err == io.EOF && len(r.word) > 0 {
			break
		} else if err == io.EOF {
			return nil, r.errorf("the file ends inside the array")
		} else if err != nil {
			return nil, r.failed(err)
		}
		ends := c == '[' || c == ']' || c == ','
		if len(r.word) > 0 && (ends || jsonBlank(c)) {
			r.UnreadByte() // never an error after ReadByte
			break
		}
		if !jsonBlank(c) {
			r.word = append(r.word, c)
		}
		if ends {
			break
		}
	}
	return r.word, nil
}

func jsonBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func (r *jsonArray) number(word []byte, k int) (float64, error) {
	if len(word) > longestField {
		return 0, r.errorf("element %d of the array has more than %d bytes", k, longestField)
	}
	if !bytes.Contains([]byte("-0123456789"), word[:1]) || !json.Valid(word) {
		return 0, r.errorf("element %d of the array is not a number, but %s", k, number.Quote(word))
	}
	x, complaint := number.Parse(word)
	if complaint != "" {
		return 0, r.errorf("element %d of the array: %s", k, complaint)
	}
	return x, nil
}

func (r *jsonArray) end(a []float64) ([]float64, error) {
	for {
		c, err := r.ReadByte()
		switch {
		case err == io.EOF:
			return a, nil
		case err != nil:
			return nil, r.failed(err)
		case !jsonBlank(c):
			return nil, r.errorf("%s after the array", number.Quote([]byte{c}))
		}
	}
}

func (r *jsonArray) errorf(format string, args ...any) *FormatError {
	return r.input.errorf("JSON: "+format, args...)
}
