// This header has the slots and the chunks of ormtr_q2. A slot keeps a row of a vector from one
// block of reflectors to the next. A chunk is the set of reflectors that are in shared memory at a
// time.
//
// ormtr_q2.comp includes this header, after q2_blocks.glsl and after the declarations of shared
// memory.
#ifndef Q2_CHUNKS_GLSL
#define Q2_CHUNKS_GLSL

// slot_of returns the index in shared memory of this invocation's slot k. A slot keeps a row of the
// vector from one block of reflectors to the next.
uint slot_of(uint k) { return k * LOCAL_SIZE + gl_LocalInvocationIndex; }

// slot and set_slot load and store this invocation's slot k. A slot keeps a row of the vector from
// one block of reflectors to the next.
work_t slot(uint k) { return PRIVATE ? memory_slot[k] : shared_slot[slot_of(k)]; }

void set_slot(uint k, work_t value) {
	if (PRIVATE) memory_slot[k] = value;
	else shared_slot[slot_of(k)] = value;
}

// held returns where the reflectors of this team of invocations begin in the arrays `chunk` and
// `factor` of all teams, counted in reflectors.
uint held() { return team() * CHUNK; }

// v_of returns the index in shared memory of element q of reflector i, counted from the first
// reflector in shared memory. The window is the rows in registers. If the reflector begins at row w
// of the window, element q belongs to row w+q of the window.
uint v_of(uint i, uint q) {
	uint after = i % SHARE + q;
	return ((held() + i) * SHARE + after % SHARE) * V + after / SHARE;
}

// Shared memory has space for more elements of a vector v than a reflector has rows. `clear` sets
// these extra elements to zero, and no later load overwrites them.
void clear() {
	for (uint e = gl_LocalInvocationIndex; e < PIPE * CHUNK * SHARE; e += LOCAL_SIZE) {
		uint after = e / SHARE % SHARE, h = e % SHARE;
		if (after > 0) chunk[e * V + (h < after ? 0 : ROWS)] = work_t(0);
	}
}

// request starts to load the CHUNK reflectors of chunk number at.c to registers, for this team of
// invocations. It loads nothing if the team has no block. Element q of reflector i of the chunk
// belongs to row ρ = c·CHUNK + i + q of the block of reflectors.
void request(Place at) {
	if (at.q >= p.groups || !works(at)) return;
	uint j = step_of(at), s0 = sweep_of(at.q + team());
	// The reflectors of sweep s0 begin at element `begin` of v. Those of sweep s0+d begin
	// d·(n−1−s0) − d·(d−1)/2 elements later.
	uint64_t begin = uint64_t(s0) * (p.n - 1) - (uint64_t(s0) * s0 - s0) / 2;
	MatrixIn v = MatrixIn(element(uint64_t(p.v), begin + j * B, 0, 0));
	[[unroll]] for (uint a = 0; a < OWN; a++) {
		uint e = lane() + a * LANES;
		uint i = at.c * CHUNK + e / B, q = TRANSPOSED ? B - 1 - e % B : e % B;
		uint d = TRANSPOSED ? G - 1 - i : i;
		coming_v[a] = work_t(0);
		if (e < CHUNK * B && s0 + d + 2 < p.n && s0 + d + 1 + j * B + q < p.n) {
			coming_v[a] = v.at[d * (p.n - 1 - s0) - d * (d - 1) / 2 + q];
		}
	}
	MatrixIn tau = MatrixIn(element(uint64_t(p.tau), j, s0, steps(0)));
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES, i = at.c * CHUNK + e, d = TRANSPOSED ? G - 1 - i : i;
		coming_tau[a] = work_t(0);
		if (e < CHUNK && s0 + d + 2 < p.n && s0 + d + 1 + j * B < p.n) {
			coming_tau[a] = conjugated(tau.at[d * steps(0)], TRANSPOSED ? SIGN_BIT : 0u);
		}
	}
}

// receive waits for the elements of reflectors that the function `request` has started to load, and
// stores these elements to shared memory.
void receive() {
	barrier(); // no invocation needs the previous chunk any more
	[[unroll]] for (uint a = 0; a < OWN; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK * B) chunk[v_of(e / B, e % B)] = coming_v[a];
	}
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK) factor[held() + e] = coming_tau[a];
	}
	barrier();
}

#endif
