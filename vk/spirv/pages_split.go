package spirv

import (
	"fmt"
	"slices"
)

// split returns the instructions that replace a load or store, if the accessed bytes could lie in
// two pages, and nil otherwise. The argument `touched` lists the memory operands of the
// instruction. split fails for an access without an alignment, and for one that it would have to
// split but that is no load or store.
//
// An access of no more bytes than its alignment lies in one page, because pages begin at multiples
// of the alignment. A larger access becomes several accesses, one for each element or member.
func (p *paging) split(in instruction, touched []touch) ([]instruction, error) {
	for _, t := range touched {
		if t.kind == "" {
			return nil, fmt.Errorf("no translation for memory accesses of opcode %d", in.op)
		}
		if t.kind == "atomic" {
			continue // its address is a multiple of its size
		}
		typ := p.pointee(in.arg(t.pointer))
		bytes, err := p.extent(typ, 0)
		if err != nil {
			return nil, err
		}
		s := &splitting{writer: writer{additions: p.additions}, paging: p, how: memoryOperands(in)}
		if len(s.how) < 2 || s.how[0]&memoryAligned == 0 {
			return nil, fmt.Errorf("an access of %d bytes without an alignment", bytes)
		}
		if bytes <= s.alignment(0) {
			continue
		}
		s.base = s.make(opConvertPtrToU, p.uint(64), in.arg(t.pointer))
		switch in.op {
		case opLoad:
			err = s.load(typ, 0, in.arg(1))
		case opStore:
			err = s.store(typ, 0, in.arg(1))
		default:
			err = fmt.Errorf("opcode %d accesses %d bytes, with an alignment of %d", in.op, bytes, s.alignment(0))
		}
		return s.body, err
	}
	return nil, nil
}

// memoryOperands returns the words of an instruction from the mask of memory operands on. If the
// mask has the bit memoryAligned, the word after the mask is the alignment in bytes.
func memoryOperands(in instruction) []uint32 {
	from := 2 // of a store or copy
	if in.op == opLoad {
		from = 3
	}
	return in.args[min(from, len(in.args)):]
}

// splitting writes the accesses into which one load or store is split.
type splitting struct {
	writer
	paging *paging
	base   uint32   // id of the address of the whole access
	how    []uint32 // memory operands of the whole access
}

// alignment returns the alignment that the access at base + offset may claim: a number of bytes
// that divides base + offset for every base that the original access may have.
func (s *splitting) alignment(offset int) int {
	align := int(s.how[1])
	if offset == 0 {
		return align
	}
	return min(align, offset&-offset)
}

// load loads a value of the type `typ` at base + offset. The result gets the given id.
func (s *splitting) load(typ uint32, offset int, id uint32) error {
	parts, err := s.parts(typ, offset)
	if err != nil {
		return err
	}
	if parts == nil {
		s.loadWhole(typ, offset, id)
		return nil
	}
	construct := []uint32{typ, id}
	for _, p := range parts {
		part := s.id()
		if p.components > 0 {
			s.loadWhole(p.typ, p.offset, part)
		} else if err := s.load(p.typ, p.offset, part); err != nil {
			return err
		}
		construct = append(construct, part)
	}
	s.do(opCompositeConstruct, construct...)
	return nil
}

func (s *splitting) loadWhole(typ uint32, offset int, id uint32) {
	pointer, how := s.place(typ, offset)
	s.do(opLoad, append([]uint32{typ, id, pointer}, how...)...)
}

// store stores the value with the id `value` and the type `typ` at base + offset.
func (s *splitting) store(typ uint32, offset int, value uint32) error {
	parts, err := s.parts(typ, offset)
	if err != nil {
		return err
	}
	if parts == nil {
		s.storeWhole(typ, offset, value)
		return nil
	}
	for i, p := range parts {
		if n := p.components; n > 1 {
			shuffle := []uint32{value, value}
			for c := range n {
				shuffle = append(shuffle, uint32(i*n+c))
			}
			s.storeWhole(p.typ, p.offset, s.make(opVectorShuffle, p.typ, shuffle...))
			continue
		}
		part := s.make(opCompositeExtract, p.typ, value, uint32(i))
		if p.components > 0 {
			s.storeWhole(p.typ, p.offset, part)
		} else if err := s.store(p.typ, p.offset, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *splitting) storeWhole(typ uint32, offset int, value uint32) {
	pointer, how := s.place(typ, offset)
	s.do(opStore, append([]uint32{pointer, value}, how...)...)
}

// place translates the address base + offset. It returns a pointer of the type `typ` to the
// translated address, and the memory operands of an access to it.
func (s *splitting) place(typ uint32, offset int) (pointer uint32, how []uint32) {
	long, address := s.uint(64), s.base
	if offset != 0 {
		address = s.make(opIAdd, long, s.base, s.long(uint64(offset)))
	}
	translated := s.make(opFunctionCall, long, s.paging.translate, address)
	pointer = s.make(opConvertUToPtr, s.declare(opTypePointer, storagePhysicalStorageBuffer, typ), translated)
	how = slices.Clone(s.how)
	how[1] = uint32(s.alignment(offset))
	return pointer, how
}

// part is a part of a value in memory that one access loads or stores, unless it must be split
// again: an element of an array, a member of a struct, or some components of a vector.
type part struct {
	typ        uint32
	offset     int // in bytes, from the beginning of the access
	components int // of a part of a vector; 0 for other parts
}

// parts returns the parts of a type that are accessed one after another, or nil if the whole value
// can be accessed at once. The parts of a vector have as many components as the alignment allows,
// or one if this number does not divide the number of all components.
func (s *splitting) parts(typ uint32, offset int) (list []part, err error) {
	e := s.paging
	bytes, err := e.extent(typ, 0)
	align := s.alignment(offset)
	if err != nil || bytes <= align {
		return nil, err
	}
	misaligned := fmt.Errorf("a number with an alignment of %d bytes", align)
	switch in := e.defs[typ]; in.op {
	case opTypeVector:
		component, count := in.arg(1), int(in.arg(2))
		size := bytes / count
		if size > align {
			return nil, misaligned
		}
		n := align / size
		if count%n != 0 {
			n = 1
		}
		piece := component
		if n > 1 {
			piece = s.declare(opTypeVector, component, uint32(n))
		}
		for i := 0; i < count; i += n {
			list = append(list, part{piece, offset + i*size, n})
		}
	case opTypeArray:
		count, err := e.value(in.arg(2), 0)
		if err != nil {
			return nil, err
		}
		stride, _ := e.decoration(typ, decorationArrayStride)
		for i := range int(count) {
			list = append(list, part{in.arg(1), offset + i*int(stride), 0})
		}
	case opTypeStruct:
		for i, m := range in.args[1:] {
			at := e.decorations[decoration{member{typ, uint32(i)}, decorationOffset}]
			list = append(list, part{m, offset + int(at), 0})
		}
	default:
		return nil, misaligned
	}
	return list, nil
}
