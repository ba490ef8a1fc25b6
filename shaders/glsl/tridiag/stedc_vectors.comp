// stedc_vectors computes eigenvectors of diag(d) + rho·z·zᵀ (LAPACK dlaed3). Column j of S has the
// entries ẑ_i/(d_i − λ_j), scaled to norm 1. ẑ are the weights that stedc_weights has recomputed,
// and λ_j is root j. The entry of pole i is in row row[i] of S.
//
// If LEFT is true, the kernel computes the left vectors of the bidiagonal divide and conquer
// instead (LAPACK dlasd3). Then d has the squares of the poles, and d_0 = 0. The entry of pole 0 is
// −1. The entry of every other pole i is √d_i·ẑ_i/(d_i − λ_j).
//
// in:  merges  the merges (merge.glsl)
//      d       the poles
//      mu      the offset of each root from its nearest pole (secular.glsl)
//      zhat    the weights ẑ
//      row     the row of S for each pole
// out: s       S of each merge, at the place that merge.glsl defines. If columns ≠ 0, there is only
//              one merge, and s gets only the wanted columns [first, first + columns), from
//              element 0 of s on
//
// The order of the sum depends on LOCAL_SIZE alone. s must not overlap the inputs. The inputs must
// be finite: the host checks this.
//
// Grid: one workgroup per column. x and y together cover the largest number of columns of a merge,
// and z the merges.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"
#include "secular.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: a power of two.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const bool LEFT = false;

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals d, mu, zhat;
	Ints row;
	RealsOut s;
	// `columns` is the number of wanted eigenvectors (columns of S) to compute in each merge, and
	// `first` the number of wanted ones before them. If `columns` is 0, all wanted columns are
	// computed, and `first` is 0.
	uint first, columns;
} p;

shared acc_t partial[LOCAL_SIZE];

// entry returns the element of pole i before the vector is scaled to norm 1. `di` is the pole d_i,
// and z is the weight ẑ_i. The eigenvalue is `pole` + mu.
real_t entry(uint i, real_t di, real_t z, real_t pole, real_t mu) {
	if (LEFT) {
		if (i == 0) return -1.0;
		z *= sqrt(di);
	}
	return z / ((di - pole) - mu);
}

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint column = workgroup(), t = gl_LocalInvocationID.x;
	bool whole = p.columns == 0;
	if (column >= (whole ? m.to - m.from : p.columns)) return;
	uint j = m.from + p.first + column;
	Reals d = Reals(uint64_t(p.d) + REAL_BYTES * m.lo);
	Reals zhat = Reals(uint64_t(p.zhat) + REAL_BYTES * m.lo);
	Ints row = Ints(uint64_t(p.row) + 4ul * m.lo);
	RealsOut s = RealsOut(element(uint64_t(p.s), whole ? at_s(m) : 0ul, column, m.k));
	real_t mu = p.mu.at[m.lo + j], pole = d.at[root_pole(mu, j)];
	acc_t sum = acc_t(0);
	for (uint i = t; i < m.k; i += LOCAL_SIZE) {
		real_t x = entry(i, d.at[i], zhat.at[i], pole, mu);
		sum += x * x;
	}
	partial[t] = sum;
	barrier();
	for (uint width = LOCAL_SIZE / 2; width > 0; width /= 2) {
		if (t < width) partial[t] += partial[t + width];
		barrier();
	}
	real_t scale = 1.0 / sqrt(partial[0]);
	for (uint i = t; i < m.k; i += LOCAL_SIZE) s.at[row.at[i]] = entry(i, d.at[i], zhat.at[i], pole, mu) * scale;
}
