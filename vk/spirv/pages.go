package spirv

import (
	"errors"
	"fmt"
	"slices"
)

// Virtual tells whether an address is virtual: not the address of memory on a device, but a number
// that a page table maps to such an address. A virtual address has the two highest bits 01. No
// device has such addresses, because the highest bits of a device address are all equal.
func Virtual(address uint64) bool { return address>>virtualShift == 1 }

// VirtualBase is the first virtual address. Page p begins at VirtualBase + p·(bytes of a page).
const (
	VirtualBase  = 1 << virtualShift
	virtualShift = 62
)

// PageTable says where a translated module finds its page table. The table is an array of 64-bit
// words. Word p is the distance, modulo 2⁶⁴, from the virtual address of page p to the device
// address of the page's memory. Word 0 is 0, and no memory has virtual addresses in page 0. Pages
// begin at multiples of 256 bytes on the device.
type PageTable struct {
	// Shift is log₂ of the size of a page in bytes, at least 8.
	Shift uint32

	// Address is the device address of the table. If Address is 0, the module reads the table's
	// address from its push block at the offset Push. Push is a multiple of 8 bytes and lies past
	// the members of the block.
	Address uint64
	Push    int
}

// TranslateAddresses returns the module with a translation at every access by device address. An
// access to a virtual address goes to the memory that the page table gives. An access to any other
// address is not changed. The arithmetic of the module is not changed either.
//
// In the result no access lies in two pages. For this purpose, TranslateAddresses splits the load
// or store of a struct, array or vector that is larger than its alignment.
//
// The arguments `fields` and `data` are the values of the specialization constants, as for the
// function Guard. TranslateAddresses returns an error for an instruction whose memory access it
// cannot translate, such as the load of a cooperative matrix.
func TranslateAddresses(code []byte, fields []SpecField, data []byte, t PageTable) ([]byte, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	p := &paging{addresses: followAddresses(header, body, fields, data), table: t}
	p.translate = p.id()
	if body, err = p.rewrite(body); err == nil && p.translated {
		body, err = p.push(body)
	}
	if err != nil {
		return nil, fmt.Errorf("spirv: translating addresses: %w", err)
	}
	if !p.translated {
		return code, nil
	}
	body = append(body, p.function()...)
	return p.encode(header, p.withInt64(body)), nil
}

type paging struct {
	*addresses
	table      PageTable
	translate  uint32 // id of the function that every access calls
	translated bool   // there is an access
	block      uint32 // id of the variable that holds the push block
	member     uint32 // number of the block's member that holds the address of the table
}

func (p *paging) rewrite(body []instruction) ([]instruction, error) {
	out := make([]instruction, 0, len(body))
	for _, in := range body {
		p.follow(in)
		touched := p.operands(in)
		for _, t := range touched {
			if _, err := p.target(in.arg(t.pointer)); err != nil {
				return nil, err
			}
		}
		split, err := p.split(in, touched)
		if err != nil {
			return nil, err
		}
		p.translated = p.translated || len(touched) > 0
		if split != nil {
			out = append(out, split...)
			continue
		}
		for _, t := range touched {
			in, out = p.redirect(in, t, out, p.translate)
		}
		out = append(out, in)
	}
	return out, nil
}

// push adds a member for the address of the table to the push block of the module, unless the
// address is a constant.
func (p *paging) push(body []instruction) ([]instruction, error) {
	if p.table.Address != 0 {
		return body, nil
	}
	for _, id := range p.order {
		if v := p.defs[id]; v.op == opVariable && v.arg(2) == storagePushConstant {
			p.block = id
		}
	}
	of := p.defs[p.defs[p.block].arg(0)].arg(2)
	if p.block == 0 || p.defs[of].op != opTypeStruct {
		return nil, errors.New("the module has no push block for the address of the page table")
	}
	end, err := p.extent(of, 0)
	if err != nil || p.table.Push < end || p.table.Push%8 != 0 {
		return nil, fmt.Errorf("a push block of %d bytes, with the address of the page table at %d: %w", end, p.table.Push, err)
	}
	p.member = uint32(len(p.defs[of].args) - 1)
	mark := instruction{opMemberDecorate, []uint32{of, p.member, decorationOffset, uint32(p.table.Push)}}
	body = slices.Insert(body, annotationsEnd(body), mark)
	long := p.uint(64)
	body = p.hoist(body, long)
	for i, in := range body {
		if in.op == opTypeStruct && in.arg(0) == of {
			body[i].args = append(slices.Clone(in.args), long)
		}
	}
	return body, nil
}

// hoist moves the declaration of a scalar type before all other declarations, because a type must
// be declared before the struct that contains it. The declaration may still be among the additions.
func (p *paging) hoist(body []instruction, typ uint32) []instruction {
	declares := func(in instruction) bool { return in.op == opTypeInt && in.arg(0) == typ }
	list := &body
	if slices.ContainsFunc(p.declared, declares) {
		list = &p.declared
	}
	at := slices.IndexFunc(*list, declares)
	declaration := (*list)[at]
	*list = slices.Delete(*list, at, at+1)
	return slices.Insert(body, annotationsEnd(body), declaration)
}

// function returns the SPIR-V function that every access calls. It is equivalent to this GLSL:
//
//	uint64_t translate(uint64_t address) {
//		uint64_t page = address >> 62 == 1 ? (address ^ BASE) >> SHIFT : 0;
//		return address + table[page];
//	}
//
// The function has no branch. Addresses that are not virtual also read the table, whose word 0 is
// 0.
func (p *paging) function() []instruction {
	const inline, pure = 1, 4 // function control
	long := p.uint(64)
	f := &writer{additions: p.additions}
	address := p.id()
	f.do(opFunction, long, p.translate, inline|pure, p.declare(opTypeFunction, long, long))
	f.do(opFunctionParameter, long, address)
	f.do(opLabel, p.id())
	table := p.long(p.table.Address)
	if p.block != 0 {
		pointer := p.declare(opTypePointer, storagePushConstant, long)
		table = f.make(opLoad, long, f.make(opAccessChain, pointer, p.block, p.word(p.member)))
	}
	mark := f.make(opShiftRightLogical, long, address, p.word(virtualShift))
	virtual := f.make(opIEqual, p.declare(opTypeBool), mark, p.long(1))
	inside := f.make(opBitwiseXor, long, address, p.long(VirtualBase))
	page := f.make(opShiftRightLogical, long, inside, p.word(p.table.Shift))
	page = f.make(opSelect, long, virtual, page, p.long(0))
	at := f.make(opIAdd, long, table, f.make(opShiftLeftLogical, long, page, p.word(3)))
	f.do(opReturnValue, f.make(opIAdd, long, address, f.read(64, at)))
	f.do(opFunctionEnd)
	return f.body
}
