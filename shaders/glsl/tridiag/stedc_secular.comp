// stedc_secular finds the roots of secular equations (LAPACK dlaed4).
//
// Each merge has k poles d in ascending order, k weights z, none of them zero, and a number rho >
// 0. Root λ_j of the equation 1/rho + Σ z_i²/(d_i − λ) = 0 is returned as λ_j = d[origin] + mu. The
// pole d[origin] is the nearer one of the two poles next to the root: origin is j if mu > 0, and j
// + 1 if mu < 0. mu has full relative accuracy.
//
// in:  merges  the merges (merge.glsl)
//      d, z    the poles and the weights
//      rho     one number per merge
// out: mu      one number per root; NaN if a root did not converge, which was never seen
//      lambda  the roots λ_j; not written if lambda is null
//
// The invocations of a workgroup share the terms of the sums. Each invocation does all other
// operations itself and gets the same bits. Package dc in stages/tridiag explains the operations.
// The kernel differs from this package only in the order of the sums. mu must not overlap the
// inputs. The inputs must be finite: the host checks this.
//
// Grid: one workgroup per root, from root number `first` of each merge on, in x and y. z covers the
// merges.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"
#include "ulp.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: a multiple of four.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;

#include "four_sums.glsl"

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals rho, d, z;
	RealsOut mu, lambda;
	uint first;
} p;

// STEP_CAP is the number of steps after which the search for a root is given up. A root needs far
// fewer steps: if three steps neither exclude the mean of the interval around the root nor reduce
// the error to a tenth, the next step is a bisection.
const uint STEP_CAP = 500;

real_t interval_mean(real_t lo, real_t hi) {
	if (hi > 4.0 * lo) return sqrt(lo) * sqrt(hi);
	return lo + (hi - lo) / 2.0;
}

// quadratic_root returns the root t of the equation c − s/t + s_far/(gap − t) = 0 in (0, gap). If
// gap < 0 < c, it returns the root above 0.
real_t quadratic_root(real_t c, real_t s, real_t s_far, real_t gap) {
	real_t b = c * gap + s + s_far;
	real_t h = c * gap - s + s_far;
	real_t r = sqrt(h * h + 4.0 * s * s_far);
	if (gap < 0.0) r = -r;
	if (b * gap > 0.0) return 2.0 * s * gap / (b + r);
	return (b - r) / (2.0 * c);
}

// store stores root k: its offset mu from the nearest pole, whose value is `origin`. It also stores
// the root itself, λ = origin + mu, unless the address p.lambda is 0.
void store(uint k, real_t mu, real_t origin) {
	if (gl_LocalInvocationIndex > 0) return;
	p.mu.at[k] = mu;
	if (uint64_t(p.lambda) != 0ul) p.lambda.at[k] = origin + mu;
}

// sums computes two parts of the sum Σ z_i²/(d_i − λ) of the secular equation at λ = shift + mu.
// psi is the sum ψ over the poles before pole `lower`, and phi is the sum φ over the poles after
// pole lower + 1. dpsi and dphi are the derivatives of ψ and φ. If `above` is true, the root is
// above all poles. Then the sum over the poles before pole `lower` is returned as φ, and ψ is 0.
void sums(Reals d, Reals z, uint k, uint lower, real_t shift, real_t mu, bool above,
		out real_t psi, out real_t dpsi, out real_t phi, out real_t dphi) {
	psi = 0.0, dpsi = 0.0, phi = 0.0, dphi = 0.0;
	for (uint j = gl_LocalInvocationIndex; j < lower; j += LOCAL_SIZE) {
		real_t zj = z.at[j], x = zj / ((d.at[j] - shift) - mu);
		psi += zj * x;
		dpsi += x * x;
	}
	for (uint j = lower + 2 + gl_LocalInvocationIndex; j < k; j += LOCAL_SIZE) {
		uint far = k + lower + 1 - j; // the terms of the farthest poles, usually the smallest ones, are added first
		real_t zj = z.at[far], x = zj / ((d.at[far] - shift) - mu);
		phi += zj * x;
		dphi += x * x;
	}
	four_sums(psi, dpsi, phi, dphi);
	if (above) {
		phi = psi, dphi = dpsi;
		psi = 0.0, dpsi = 0.0;
	}
}

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint k = p.first + workgroup();
	if (k >= m.k) return;
	Reals d = Reals(uint64_t(p.d) + REAL_BYTES * m.lo);
	Reals z = Reals(uint64_t(p.z) + REAL_BYTES * m.lo);
	real_t rho = p.rho.at[gl_WorkGroupID.z];
	uint top = m.k - 1;
	if (top == 0) {
		store(m.lo, rho * z.at[0] * z.at[0], d.at[0]);
		return;
	}
	uint lower = min(k, top - 1);
	uint other = 2 * lower + 1 - k;
	bool above = k == top;
	real_t near = z.at[k] * z.at[k], far = z.at[other] * z.at[other], gap = d.at[other] - d.at[k];

	real_t hi = gap / 2.0;
	if (above) hi = 2.0 * rho;
	uint origin = k;
	real_t side = 1.0;
	real_t psi, dpsi, phi, dphi;
	sums(d, z, m.k, lower, d.at[k], hi, above, psi, dpsi, phi, dphi);
	if (!above && 1.0 / rho + psi + phi + (far - near) / hi < 0.0) {
		origin = k + 1;
		side = -1.0;
		real_t swap = near;
		near = far, far = swap;
		swap = psi;
		psi = -phi, phi = -swap;
	}
	real_t shift = d.at[origin], flat_ = side / rho;
	real_t lo = near / (max(flat_, 0.0) + max(phi + far / (gap - hi), 0.0)) / 2.0;
	real_t noise = EPS * (8.0 + sqrt(real_t(m.k)));
	real_t old_mean = interval_mean(lo, hi), old_g = real_t(1) / real_t(0);
	real_t t = quadratic_root(flat_ + psi + phi, near, far, gap);
	uint steps = 2;
	for (; steps < STEP_CAP; steps++) {
		if (!(lo < t && t < hi)) t = interval_mean(lo, hi);
		sums(d, z, m.k, lower, shift, side * t, above, psi, dpsi, phi, dphi);
		if (side < 0.0) {
			real_t a = psi, da = dpsi;
			psi = -phi, dpsi = dphi;
			phi = -a, dphi = da;
		}
		real_t down = near / t, up = far / (gap - t);
		real_t g = (flat_ + psi + phi) + (up - down);
		if (abs(g) <= noise * (abs(flat_) - psi + abs(phi) + down + abs(up))) break;
		if (g < 0.0) lo = t;
		else hi = t;
		real_t mean = interval_mean(lo, hi);
		if (!(lo < mean && mean < hi)) break;
		real_t s = near + t * t * dpsi, s_far = far + (gap - t) * (gap - t) * dphi;
		t = quadratic_root(flat_ + (psi + t * dpsi) + (phi - (gap - t) * dphi), s, s_far, gap);
		if (steps % 3 == 0) {
			if (lo < old_mean && old_mean < hi && abs(g) > old_g / 10.0) t = mean;
			old_mean = mean, old_g = abs(g);
		}
	}
	if (steps == STEP_CAP) t = JOIN(uvec2(0u, 0x7ff80000u));
	store(m.lo + k, side * t, shift);
}
