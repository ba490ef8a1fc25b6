// This header defines how kernels of emulated products read matrix elements: as the bits of
// doubles.
//
// The kernels that read factors include this header. If COMPLEX is defined, an element is a complex
// number and has two doubles, its real and its imaginary part. Otherwise it is one double. The
// names are macros, so that the kernels for real numbers contain nothing of the complex ones.
#ifndef ENTRIES_GLSL
#define ENTRIES_GLSL

#ifdef COMPLEX
#define entry_t u64vec2
#define ENTRY_PARTS 2
#define ENTRY_BYTES 16
#define ZERO_ENTRY u64vec2(0)
// EACH_PART repeats a statement for each part of a number, and PART_OF(x) is this part of x.
#define EACH_PART [[unroll]] for (uint part = 0; part < 2; part++)
#define PART_OF(x) x[part]
#define conjugate_entry(x) ((x) ^ u64vec2(0, 0x8000000000000000UL))
#else
#define entry_t uint64_t
#define ENTRY_PARTS 1
#define ENTRY_BYTES 8
#define ZERO_ENTRY 0UL
#define EACH_PART
#define PART_OF(x) x
#define conjugate_entry(x) (x)
#endif

layout(buffer_reference, scalar, buffer_reference_align = ENTRY_BYTES) readonly buffer Bits { entry_t at[]; };

#endif
