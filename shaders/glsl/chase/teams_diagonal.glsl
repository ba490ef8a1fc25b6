// This header has the parts of a step of sb2st_teams that its team D computes: the diagonal block D
// becomes H·D·H, where H is the reflector of the step.
//
// sb2st_teams.comp includes this header after the declarations of its shared memory and after the
// functions that all teams use. The top of sb2st_teams.comp explains teams and steps.
#ifndef TEAMS_DIAGONAL_GLSL
#define TEAMS_DIAGONAL_GLSL

// fetch_d loads this invocation's elements of the rows of the diagonal block D. D is symmetric:
// fetch_d reads the stored lower triangle.
void fetch_d(Step q, uint t) {
	Band corner = Band(band(q.r, q.r));
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		if (row(t, r) < q.len) {
			[[unroll]] for (uint m = 0; m < OWN; m++) {
				uint k = first(t) + m * LANES;
				own[r * OWN + m] = inside(k) ? corner.at[mirrored(row(t, r), k)] : work_t(0);
			}
		}
	}
}

// multiply_d stores the vector γ·D·u to shared memory, where D is the diagonal block and H = I −
// γ·u·uᵀ the reflector. In the next step, all invocations of the team read this vector in the
// function finish_d.
void multiply_d(Step q, uint t) {
	work_t y[ROWS];
	times(q, t, y);
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		// Rows of the diagonal block D past the end of the matrix were not loaded, so their
		// elements of γ·D·u are set to zero.
		if (first(t) == 0 && (whole() || row(t, r) < B)) d_u[row(t, r)] = row(t, r) < q.len ? y[r] : work_t(0);
	}
}

// finish_d stores the diagonal block H·D·H = D − u·wᵀ − w·uᵀ with w = γ·Du − ½γ·(γ·uᵀDu)·u. If
// `any` is false, step q does not exist, and finish_d stores nothing. finish_d has no branch before
// its shuffles, because NVIDIA's compiler makes shuffles after a branch slow (see reflector.glsl).
// Each subgroup computes uᵀDu with all its invocations. If smaller clusters of invocations computed
// uᵀDu, an invocation would need too many registers: for its elements of u, of Du and of D at the
// same time.
void finish_d(Step q, uint t, bool any) {
	work_t u_d_u = 0;
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		uint k = t % HEAD + m * HEAD;
		if (k < B) u_d_u = fma(d_u[k], u[q.slot + k], u_d_u);
	}
	work_t half_ = work_t(0.5) * gamma[q.j % 2] * sum_of(HEAD, u_d_u);
	work_t u_i[ROWS], w_i[ROWS];
	int reach[ROWS]; // distance from the first own element of a row to the diagonal; if it is negative, none is stored
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		uint i = whole() || row(t, r) < B ? row(t, r) : 0;
		u_i[r] = u[q.slot + i];
		w_i[r] = fma(-half_, u_i[r], d_u[i]);
		reach[r] = any && row(t, r) < q.len ? int(row(t, r)) - int(first(t)) : -1;
	}
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first(t) + m * LANES;
		work_t u_k = u_at(q.slot, k, inside(k)), w_k = fma(-half_, u_k, inside(k) ? d_u[k] : work_t(0));
		[[unroll]] for (uint r = 0; r < ROWS; r++) {
			work_t x = fma(-u_i[r], w_k, fma(-w_i[r], u_k, own[r * OWN + m]));
			if (reach[r] >= int(m * LANES)) Band(band(q.r + row(t, r), q.r + first(t))).at[m * LANES * COLUMN] = x;
		}
	}
}

#endif
