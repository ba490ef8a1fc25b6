// This header describes those columns of a symmetric or Hermitian matrix that one device has.
//
// The columns of the n×n matrix are divided into blocks of `width` columns; the last block may have
// fewer. The device has some of the blocks. Of a block that begins with column j, the device stores
// the rows from row j on, so that the leading dimension is n − j. The diagonal block is stored in
// full.
//
// An element (i, k) belongs to the device if the device has column min(i, k). Consider the rows
// that have the numbers of the columns of one block. In these rows the device's elements lie in two
// sets of columns: the device's columns in this block and before it, and, if the device has the
// block, all columns after it. The product of these rows has these columns as its inner dimension,
// in ascending order, without the columns before column `top`, where the trailing matrix begins.
//
// The kernels symm_columns and symm_columns_sum include this header. It defines OwnBlock, Words,
// own_blocks, own_block, Inner, inner and pieces_of.
#ifndef OWN_COLUMNS_GLSL
#define OWN_COLUMNS_GLSL

// The table of the device's blocks has WORDS words for each block of the matrix, and WORDS more.
// These are the words of entry i:
//
//	BEFORE  the number of the device's blocks among the blocks 0 … i−1
//	NUMBER  the number that the device's block i (counted from 0) has among all blocks
//	AT      the index of the first element of this block in the memory of the device's columns,
//	        the low word first
//
// If the device has i blocks or fewer, NUMBER and AT are not used.
#pragma host WORDS
const uint WORDS = 4;
#pragma host BEFORE
const uint BEFORE = 0;
#pragma host NUMBER
const uint NUMBER = 1;
#pragma host AT
const uint AT = 2;
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

// own_blocks returns how many of the blocks 0 … block−1 the device has.
uint own_blocks(Words own, uint block) { return own.at[block * WORDS + BEFORE]; }

// An OwnBlock is one of the device's blocks: its number, and the index of its first element.
struct OwnBlock { uint number; uint64_t at; };

// own_block returns the l-th block that this device stores: its number in the matrix, and where it
// begins in the memory of the device's columns.
OwnBlock own_block(Words own, uint l) {
	uint i = l * WORDS;
	return OwnBlock(own.at[i + NUMBER], uint64_t(own.at[i + AT]) | uint64_t(own.at[i + AT + 1]) << 32);
}

// An Inner is the inner dimension of the product of the rows of one block.
//
//	before  number of the device's blocks before this block
//	along   number of the device's columns from `top` on, in this block and before it
//	across  number of columns after this block if the device has the block, otherwise 0
struct Inner { uint before, along, across; };

// inner returns the inner dimension of the product of the rows of block number `block`. `passed` is
// the number of the device's columns before column `top`.
Inner inner(Words own, uint block, uint n, uint width, uint passed) {
	uint before = own_blocks(own, block), to = min((block + 1) * width, n);
	Inner x = Inner(before, before * width - passed, 0u);
	if (own_blocks(own, block + 1) > before) {
		x.along += to - block * width;
		x.across = n - to;
	}
	return x;
}

// pieces_of returns the number of pieces of an inner dimension, at least 1, if each piece has
// `stretch` columns.
uint pieces_of(uint columns, uint stretch) { return columns == 0 ? 1 : (columns - 1) / stretch + 1; }

#endif
