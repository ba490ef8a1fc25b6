// This header says which steps of the sweeps a workgroup of ormtr_q2 applies, and to which rows and
// vectors. ormtr_q2.comp includes this header after the declarations of its push block p and the
// variable `strip`.
//
// Without SQUARES, a workgroup applies all steps to the vectors of the caller.
//
// With SQUARES, the groups of a dispatch are groups·G neighbouring sweeps. The first of them is
// sweep s0 = (group + 1 − groups)·G. A square is an orthogonal matrix U: the product of the
// reflectors of these sweeps in `height` successive steps. Square number u has the steps from
// u·height on, and the last square has all further steps. Square u acts on these rows of vectors:
//
//	top … top + order − 1,   top = s0 + 1 + u·height·B
//	order = min(height·B + groups·G − 1, n − top)
//
// The order of the last square is n − top. Blocks are applied with increasing step. Therefore the
// reflectors of the sweeps are the product ⋯U(2)·U(1)·U(0), by the proof in ormtr_q2.comp.
//
// in, out: x   for each square m×m elements with leading dimension ld; zero before the dispatch.
//              Row r of column c of square u lies at c + (u·m + r)·ld: a square is stored
//              transposed. m is at least the largest order.
//
// Each column of a square is a vector that begins as a column of the identity matrix. The work on
// zeros is left out as follows. Let rows and columns of U be counted from `top`, and the sweeps
// from s0. The last sweep is number i = groups·G − 1. At the beginning, the only element of column
// c that is not zero is its element c.
//
// - A sweep acts on rows from its own number on. So the sweeps after number c do not change
//   column c.
// - Before sweep i acts, all elements of column c ≥ i before row i + J·B, J = ⌊(c − i)/B⌋, are
//   zero. A reflector of sweep i − 1 begins one row before a reflector of sweep i. So by induction
//   all elements before row k + 1 + J·B are zero when sweep k acts. The steps before J of this
//   square do not change column c.
#ifndef Q2_SQUARES_GLSL
#define Q2_SQUARES_GLSL

// steps returns the number of steps of sweep s of the bulge chasing. It is also the number of
// blocks of a group that begins with sweep s. If s is past the last sweep, steps returns 0.
uint steps(uint s) { return s + 1 < p.n ? (p.n - 1 - s + B - 1) / B : 0; }

#ifdef SQUARES
#ifdef COMPLEX
#define square square_number // numerics_complex.glsl has a function `square`, which is not used here
#endif
uint square; // the square that the workgroup works on
uint begin; // the first step that changes a column of its strip

// top returns the first row on which the square acts.
uint top() { return (p.group + 1 - p.groups) * G + 1 + square * p.height * B; }

bool is_last() { return square + 1 == p.squares; }

// rows_end returns the row after the last row on which the square acts.
uint rows_end() { return is_last() ? p.n : top() + p.height * B + p.groups * G - 1; }

// vectors_end returns the number of columns of the square, a unitary matrix that the workgroup
// computes. These columns are the vectors that the reflectors are applied to.
uint vectors_end() { return rows_end() - top(); }

// steps_begin returns the first step that the workgroup applies. steps_end returns the step after
// the last step of sweep s that belongs to the square.
uint steps_begin() { return begin; }

uint steps_end(uint s) { return is_last() ? steps(s) : min(steps(s), (square + 1) * p.height); }

// origin returns the address of the square.
uint64_t origin() { return element(uint64_t(p.x), 0, square * p.m, p.ld); }

// begin_square sets the work of workgroup number w. `square` becomes the number of its square,
// `strip` the number of its strip (WIDTH neighbouring columns of this square), and `begin` the
// first step that changes the strip. begin_square returns false if the workgroup has nothing to do.
bool begin_square(uint w) {
	uint strips = (p.m + WIDTH - 1) / WIDTH;
	square = p.first + w / strips;
	strip = w % strips;
	if (square >= p.end || strip * WIDTH >= vectors_end()) return false;
	uint column = strip * WIDTH, i = p.groups * G - 1;
	begin = square * p.height + (column > i ? (column - i) / B : 0);
	return true;
}
#else
uint top() { return 0; }
uint rows_end() { return p.n; }
uint vectors_end() { return p.m; }
uint steps_begin() { return 0; }
uint steps_end(uint s) { return steps(s); }
uint64_t origin() { return uint64_t(p.x); }
#endif

#endif
