// This header defines lists of sweeps of QL iteration, which steqr_batch writes and lasr_batch
// reads.
//
// The two kernels include this header, after problem.glsl.
#ifndef ROTATIONS_GLSL
#define ROTATIONS_GLSL

// A Sweep is the rotations of one sweep. Rotation k < count rotates columns first + k·step and
// first + (k + 1)·step of V; step is 1 or −1.
struct Sweep { uint first, step, count; };

// A list of sweeps has one word for each sweep, and at most n of them. A list of less than n sweeps
// ends with the word 0. The rotations of the sweeps follow one another.
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer SweepsIn { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer SweepsOut { uint at[]; };

// packed returns the word of a sweep of a matrix of order below 2^15. It is not 0.
uint packed(Sweep s) { return s.first | s.count << 15 | (s.step == 1 ? 1u << 30 : 0u); }

#endif
