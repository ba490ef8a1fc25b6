package spirv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// magic is the first word of every module. headerWords is the length of the header: the word
// `magic`, version, generator, bound (one more than the largest id), and a reserved word.
const (
	magic       = 0x07230203
	headerWords = 5
)

// instruction is one SPIR-V instruction: its opcode, and the words after the first word.
//
// The first word has the number of words in its upper half and the opcode in its lower half. The
// opcode determines the meaning of the other words. An instruction with a result has the id of the
// result's type in args[0] and the id of the result in args[1]. A declaration of a type has the id
// of the type in args[0].
type instruction struct {
	op   uint32
	args []uint32
}

// arg returns word i after the opcode's word, or 0: broken modules may lack words.
func (in instruction) arg(i int) uint32 {
	if i >= len(in.args) {
		return 0
	}
	return in.args[i]
}

func (in instruction) text(i int) string {
	var b []byte
	for ; i < len(in.args); i++ {
		b = binary.LittleEndian.AppendUint32(b, in.args[i])
	}
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// named returns an instruction with the words `args`, followed by a zero-terminated string.
func named(op uint32, text string, args ...uint32) instruction {
	b := append([]byte(text), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	for ; len(b) > 0; b = b[4:] {
		args = append(args, binary.LittleEndian.Uint32(b))
	}
	return instruction{op, args}
}

func (in instruction) append(words []uint32) []uint32 {
	return append(append(words, uint32(len(in.args)+1)<<16|in.op), in.args...)
}

// decode splits a module into its header and its instructions. It fails for code that is not
// little-endian SPIR-V, or that ends within an instruction. It does not check ids.
func decode(code []byte) (header []uint32, body []instruction, err error) {
	return decodeUntil(code, nothing)
}

func declarations(code []byte) ([]instruction, error) {
	_, body, err := decodeUntil(code, opFunction)
	return body, err
}

// SPIR-V has no opcode `nothing`. If decodeUntil gets it as `stop`, it decodes the whole module.
const nothing = ^uint32(0)

// decodeUntil decodes the instructions before the first instruction with the opcode `stop`.
func decodeUntil(code []byte, stop uint32) (header []uint32, body []instruction, err error) {
	if len(code)%4 != 0 || len(code) < 4*headerWords {
		return nil, nil, fmt.Errorf("spirv: %d bytes are no module", len(code))
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	if words[0] != magic {
		return nil, nil, errors.New("spirv: not a little-endian SPIR-V module")
	}
	for at := headerWords; at < len(words); {
		n := int(words[at] >> 16)
		if n == 0 || at+n > len(words) {
			return nil, nil, fmt.Errorf("spirv: bad instruction length %d at word %d", n, at)
		}
		if words[at]&0xffff == stop {
			break
		}
		body = append(body, instruction{words[at] & 0xffff, words[at+1 : at+n]})
		at += n
	}
	return words[:headerWords], body, nil
}

// encode is the inverse of `decode`. The bound in the header must already be larger than all ids.
func encode(header []uint32, body []instruction) []byte {
	words := append([]uint32(nil), header...)
	for _, in := range body {
		words = in.append(words)
	}
	code := make([]byte, 0, 4*len(words))
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}
