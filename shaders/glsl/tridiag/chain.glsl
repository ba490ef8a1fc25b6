// This header declares chains: sequences of rotations of columns in a merge of divide and conquer.
// A rotation deflates a column, which means that the column becomes an eigenvector of the merged
// block. stedc_deflate or the host makes the chains, and stedc_gather applies them. The header
// defines Chain, Chains and ChainsOut.
#ifndef CHAIN_GLSL
#define CHAIN_GLSL

// A Chain is the sequence of steps [first, end) of merge number `merge`. A step makes one column of
// W, the rotated vectors, from one or two columns of Q, the vectors of the two blocks (see
// merge.glsl). If first = end, the chain has no steps.
struct Chain { uint merge, first, end; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Chains { Chain at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer ChainsOut { Chain at[]; };

#endif
