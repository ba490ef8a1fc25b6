// sb2st chases the bulges of a band matrix, B = Q2·T·Q2ᵀ (LAPACK dsytrd_sb2st).
//
// in/out: band  compact, 2·B rows a column: element (row, col) lies at
//               row + col·(2B−1); rows past the band zero before and after
// out:    v     packed reflectors, and their factors: see package stages. Neither
//         tau   is written unless VECTORS
//
// variant: sb2st_chase FLAGS
// variant: sb2st_wave
//
// sb2st_chase is one dispatch for sweeps [first, last): workgroups stay and
// take sweep after sweep. sb2st_wave is one dispatch for the steps with
// stride·s + j = t, a workgroup each. Both give the same bits: each dot product
// is summed in an order fixed by LOCAL_SIZE and B, whoever runs the step when.
//
// Step (s, j) acts on rows and columns r … r+len−1, r = s+1+j·B:
//
//	        r−width   r       r+len
//	          ┌───┬─────┬────────┐          width = B, or 1 for j = 0
//	r         │ x │  A  │   D    │ len      x becomes β·e1 = H·x
//	          └───┴─────┼────────┤          A becomes H·A, D H·D·H, C C·H
//	r+len               │   C    │ low      C is the next step's x and A
//	                    └────────┘
//
// Who must wait for whom. Sweep s reads and writes, in step j, rows r … r+B−1 of
// columns from r−B on, and rows r+B … r+2B−1 of columns up to r+B−1. The steps of
// sweep s−1 stand one row higher. Its steps up to j+1 overlap this one; of step
// j+2 only one element does, row r+2B−1 of column r+B−1: there x of that step has
// its head and leaves its β. So D and C may be read when (s−1, j+1) is complete and
// the β of (s−1, j+2) is in place, and nothing that sweep s−1 does afterwards
// touches them. A flag counts the steps whose β is in place: as a sweep stores all
// of a step before the next one's β, the condition is flag(s−1) ≥ j+1+LEAD, LEAD =
// 2, or that sweep s−1 has ended. Sweep s−2 is further by the same rule. The
// wave form knows whole steps only: (s−1, j+2) must be in an earlier wave than (s, j),
// so stride = 1 + LEAD.
//
// Between its steps sb2st_chase keeps C on chip. What memory then holds of C is
// read by nobody: sweep s+1 comes to C's elements in its step j, when step j+1 of
// sweep s has stored them as its A.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "scale.glsl"
#include "flags.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64; // at least B
layout(constant_id = 1) const uint B = 4;
layout(constant_id = 2) const uint TILES = 2; // 1: D takes turns with A in one tile, at the price of three barriers
layout(constant_id = 3) const bool VECTORS = true;
layout(constant_id = 4) const uint LEAD = 2;

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Band { nonprivate real_t at[]; };

layout(push_constant, scalar) uniform Push {
	Band band;
	MatrixOut v, tau;
	uint n;
#ifdef FLAGS
	uint first, last; // sweeps of this dispatch
	uint polls;       // before a wait is given up
	Flags flags;      // one a sweep, all zero before the first dispatch
	Flags ticket;     // zero before this dispatch
	Flags info;       // 0; 1 + the sweep that was waited for in vain
	Flags abort_word;
#else
	uint wave, stride;
	uint newest, count; // workgroup i takes sweep newest − i, i < count
#endif
} p;

const uint COLUMN = 2 * B - 1; // from (i, j) to (i, j+1) in the compact band
const uint LD = B | 1u;        // of a tile: odd, so that neighbours in a row lie in different banks
const uint TILE = B * LD;
const uint PARTS = LOCAL_SIZE / B < B ? LOCAL_SIZE / B : B; // invocations that share a row
const uint OWN = (B + PARTS - 1) / PARTS;                   // columns of that row that are an invocation's own
const int SAFE = 400;                                       // squares of numbers near 2^±SAFE neither overflow nor vanish

// The three dot products of a step: vᵀA, C·v, D·v.
const uint A_V = 0, C_V = 1, D_V = 2;

shared work_t tile[TILES * TILE];  // A; D in the last one
shared work_t part[3 * PARTS * B]; // of the dot products
shared work_t dots[3 * B];         // τ times them
shared work_t v[B];
shared work_t vdv[(B + 3) / 4 * 4]; // terms of τ·vᵀDv, padded with zeros
shared work_t tau;

uint at(uint row, uint col) { return row + col * COLUMN; }

uint steps(uint s) { return (p.n - 1 - s + B - 1) / B; }

work_t x(uint i, uint len, work_t scale) { return i < len ? tile[i] * scale : work_t(0); }

// tail returns Σ (scale·x_i)², i ≥ 1, and the largest |scale·x_i| of them.
work_t tail(uint len, work_t scale, out work_t top) {
	work_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	work_t t0 = 0, t1 = 0;
	[[dont_unroll]] for (uint i = 1; i < len; i += 4) { // rolled: a tenth faster on an H200
		work_t x0 = x(i, len, scale), x1 = x(i + 1, len, scale), x2 = x(i + 2, len, scale), x3 = x(i + 3, len, scale);
		s0 = fma(x0, x0, s0);
		s1 = fma(x1, x1, s1);
		s2 = fma(x2, x2, s2);
		s3 = fma(x3, x3, s3);
		t0 = max(t0, max(abs(x0), abs(x1)));
		t1 = max(t1, max(abs(x2), abs(x3)));
	}
	top = max(t0, t1);
	return (s0 + s1) + (s2 + s3);
}

// reflect finds β, τ and element t of v from x = tile[0 … len) (LAPACK dlarfg). Where
// the squares might overflow or vanish, it begins again with x scaled by a power of two.
void reflect(uint t, uint len, out work_t beta, out work_t factor, out work_t vt) {
	work_t head = tile[0], up = 1, down = 1, top;
	work_t squares = tail(len, up, top);
	int e = exponent_of(max(top, abs(head)));
	if (top != 0 && abs(e) > SAFE) {
		up = power_of_two(-e);
		down = power_of_two(e);
		squares = tail(len, up, top);
		head *= up;
	}
	if (top == 0) { // H = I; the tail may have vanished just now
		beta = head * down;
		factor = 0;
		vt = t == 0 ? 1 : 0;
		return;
	}
	work_t norm = sqrt(fma(head, head, squares));
	if (head >= 0) norm = -norm; // away from head, so that head − norm does not cancel
	beta = norm * down;
	factor = (norm - head) / norm;
	vt = t == 0 ? work_t(1) : tile[t] * up / (head - norm);
}

// combine sums the parts of dot products [kind, end) and multiplies by τ.
void combine(uint kind, uint end, uint len) {
	for (uint a = kind * B + gl_LocalInvocationIndex; a < end * B; a += LOCAL_SIZE) {
		uint i = a % B;
		work_t sum = 0;
		for (uint g = 0; g < PARTS; g++) sum += part[(a - i) * PARTS + g * B + i];
		sum *= tau;
		dots[a] = sum;
		if (a - i == D_V * B) vdv[i] = i < len ? sum * v[i] : work_t(0);
	}
}

// part_of_d is what the columns first, first + PARTS … of row i add to D·v. The
// last tile holds D's lower triangle.
work_t part_of_d(uint i, uint first, uint len) {
	work_t sum = 0;
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first + m * PARTS;
		if (k < len && i < len) sum = fma(tile[(TILES - 1) * TILE + max(i, k) + min(i, k) * LD], v[k], sum);
	}
	return sum;
}

void chase_step(uint s, uint j) {
	uint t = gl_LocalInvocationIndex;
	uint i = t % B, g = t / B;
	uint first = g < PARTS ? g : B; // own columns of row i: first, first + PARTS …; none for who is spare
	uint r = s + 1 + j * B;
	uint len = min(B, p.n - r), low = min(B, p.n - r - len), width = j > 0 ? B : 1;
	uint at_a = at(r + i, r - width), at_d = at(r + i, r), at_c = at_d + B; // if there is a C, len = B
	bool keeps = false; // C stays on chip
#ifdef FLAGS
	keeps = true;
#endif

	if (!keeps || j == 0) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			uint k = first + m * PARTS;
			if (k < width && i < len) tile[i + k * LD] = p.band.at[at_a + k * COLUMN];
		}
	}
	// D and C are on their way while the reflector is formed.
	work_t c[OWN], d[OWN];
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first + m * PARTS;
		c[m] = 0;
		d[m] = 0;
		if (k < B && i < low) c[m] = p.band.at[at_c + k * COLUMN];
		if (k <= i && i < len) d[m] = p.band.at[at_d + k * COLUMN];
	}
	if (!keeps || j == 0) barrier();

	if (t < len) {
		work_t beta, factor, vt;
		reflect(t, len, beta, factor, vt);
		v[t] = vt;
		if (VECTORS) {
			uint64_t at_v = uint64_t(s) * (p.n - 1) - (uint64_t(s) * s - s) / 2 + j * B;
			MatrixOut(element(uint64_t(p.v), at_v, 0, 0)).at[t] = vt;
		}
		if (t == 0) {
			tau = factor;
			p.band.at[at_a] = beta;
			if (VECTORS) MatrixOut(element(uint64_t(p.tau), j, s, steps(0))).at[0] = factor;
		}
	}
	if (TILES > 1) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			uint k = first + m * PARTS;
			if (k <= i && i < len) tile[(TILES - 1) * TILE + i + k * LD] = d[m];
		}
	}
#ifdef FLAGS
	meet();
	if (t == 0) publish(p.flags, s, j + 1); // the step before is stored, and this one's β
#else
	barrier();
#endif

	if (g < PARTS) {
		work_t a_v = 0, c_v = 0;
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			uint k = first + m * PARTS;
			if (k < len) {
				if (i < width) a_v = fma(tile[k + i * LD], v[k], a_v);
				c_v = fma(c[m], v[k], c_v);
			}
		}
		part[(A_V * PARTS + g) * B + i] = a_v;
		part[(C_V * PARTS + g) * B + i] = c_v;
		if (TILES > 1) part[(D_V * PARTS + g) * B + i] = part_of_d(i, first, len);
	}
	barrier();
	combine(A_V, TILES > 1 ? D_V + 1 : D_V, len);
	barrier();

	// From here to the end each invocation touches its own elements of the tile only.
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first + m * PARTS;
		if (k < width && i < len) {
			if (k > 0) p.band.at[at_a + k * COLUMN] = fma(-v[i], dots[A_V * B + k], tile[i + k * LD]);
			else if (i > 0) p.band.at[at_a] = 0;
		}
		if (k < B && i < low) c[m] = fma(-dots[C_V * B + i], v[k], c[m]);
	}
	if (TILES == 1) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			uint k = first + m * PARTS;
			if (k <= i && i < len) tile[i + k * LD] = d[m];
		}
		barrier();
		if (g < PARTS) part[(D_V * PARTS + g) * B + i] = part_of_d(i, first, len);
		barrier();
		combine(D_V, D_V + 1, len);
		barrier();
	}
	// D − v·qᵀ − q·vᵀ, q = τ·Dv − ½τ·(τ·vᵀDv)·v
	work_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	[[unroll]] for (uint a = 0; a < B; a += 4) {
		s0 += vdv[a];
		s1 += vdv[a + 1];
		s2 += vdv[a + 2];
		s3 += vdv[a + 3];
	}
	work_t half_ = work_t(0.5) * tau * ((s0 + s1) + (s2 + s3));
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first + m * PARTS;
		if (k <= i && i < len) {
			work_t qi = fma(-half_, v[i], dots[D_V * B + i]), qk = fma(-half_, v[k], dots[D_V * B + k]);
			p.band.at[at_d + k * COLUMN] = fma(-v[i], qk, fma(-qi, v[k], d[m]));
		}
		if (k < B && i < low) {
			if (keeps) tile[i + k * LD] = c[m];
			else p.band.at[at_c + k * COLUMN] = c[m];
		}
	}
}

#ifdef FLAGS
shared uint sweep;
shared bool go;

// Why no wait lasts for ever: a sweep waits only for the one before it, which
// either ended in an earlier dispatch or was claimed before, by a workgroup that is
// therefore running; by induction that one comes to its end, as the oldest sweep
// waits for none. It takes a device that lets started workgroups go on.
void main() {
	uint t = gl_LocalInvocationIndex;
	if (t >= B && t < (B + 3) / 4 * 4) vdv[t] = 0;
	for (;;) {
		if (t == 0) {
			sweep = stopped(p.info, p.abort_word) ? p.last
				: p.first + atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
		}
		barrier();
		uint s = sweep;
		if (s >= p.last) return;
		uint seen = s == p.first ? FLAG_END : 0; // the flag of sweep s−1, as lane 0 last saw it
		for (uint j = 0; j < steps(s); j++) {
			if (t == 0) {
				uint need = j + 1 + LEAD;
				if (seen < need) seen = await(p.flags, s - 1, need, p.info, p.abort_word, p.polls);
				go = seen >= need;
			}
			meet();
			if (!go) return;
			chase_step(s, j);
		}
		meet();
		if (t == 0) publish(p.flags, s, FLAG_END);
	}
}
#else
void main() {
	uint t = gl_LocalInvocationIndex;
	if (t >= B && t < (B + 3) / 4 * 4) vdv[t] = 0;
	uint i = workgroup();
	if (i >= p.count) return;
	uint s = p.newest - i;
	chase_step(s, p.wave - p.stride * s);
}
#endif
