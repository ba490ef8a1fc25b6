// float64 only
//
// stedc_secular finds the roots of secular equations (LAPACK dlaed4).
//
// Each merge has poles d in ascending order, weights z without zeros, and rho > 0. Root j of 1/rho
// + Σ z_i²/(d_i − λ) is returned as λ = d[origin] + mu, to full accuracy relative to the pole that
// is nearer to it. That pole is the origin: j if mu > 0, j + 1 if mu < 0.
//
// in:  merges, d, z
//      rho           one number per merge
// out: mu            NaN if a root did not converge; no such root was ever seen
//
// The invocations of a workgroup share the work of the sums. Each of them does the rest, and gets
// the same bits. Package dc in stages/tridiag explains the operations, which differ from those of
// the kernel only in the order of the sums. mu must not overlap the inputs. The inputs must be
// finite: the host refuses others.
//
// Grid: one workgroup per root. x and y together cover the largest k of a merge, and z the merges.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "merge.glsl"
#include "ulp.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: a multiple of four.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;

#include "four_sums.glsl"

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals rho, d, z;
	RealsOut mu;
} p;

// STEP_CAP is the number of steps after which a root is given up. It is far more than are needed,
// because the interval halves at least every third step.
const uint STEP_CAP = 500;

// interval_mean returns a point between lo and hi: their geometric mean if they differ by more than
// a factor of four.
double interval_mean(double lo, double hi) {
	if (hi > 4.0lf * lo) return sqrt(lo) * sqrt(hi);
	return lo + (hi - lo) / 2.0lf;
}

// quadratic_root returns the root of c − s/t + s_far/(gap − t) in (0, gap), or above 0 if gap < 0 <
// c.
double quadratic_root(double c, double s, double s_far, double gap) {
	double b = c * gap + s + s_far;
	double h = c * gap - s + s_far;
	double r = sqrt(h * h + 4.0lf * s * s_far);
	if (gap < 0.0lf) r = -r;
	if (b * gap > 0.0lf) return 2.0lf * s * gap / (b + r);
	return (b - r) / (2.0lf * c);
}

// sums computes ψ and ψ' over the poles before pole lower, and φ and φ' over the poles after pole
// lower + 1, at shift + mu. If above is true, the root is above all poles, and the first sum is
// returned as φ.
void sums(Reals d, Reals z, uint k, uint lower, double shift, double mu, bool above,
		out double psi, out double dpsi, out double phi, out double dphi) {
	psi = 0.0lf, dpsi = 0.0lf, phi = 0.0lf, dphi = 0.0lf;
	for (uint j = gl_LocalInvocationIndex; j < lower; j += LOCAL_SIZE) {
		double zj = z.at[j], x = zj / ((d.at[j] - shift) - mu);
		psi += zj * x;
		dpsi += x * x;
	}
	for (uint j = lower + 2 + gl_LocalInvocationIndex; j < k; j += LOCAL_SIZE) {
		uint far = k + lower + 1 - j; // small terms first
		double zj = z.at[far], x = zj / ((d.at[far] - shift) - mu);
		phi += zj * x;
		dphi += x * x;
	}
	four_sums(psi, dpsi, phi, dphi);
	if (above) {
		phi = psi, dphi = dpsi;
		psi = 0.0lf, dpsi = 0.0lf;
	}
}

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint k = workgroup();
	if (k >= m.k) return;
	Reals d = Reals(uint64_t(p.d) + REAL_BYTES * m.lo);
	Reals z = Reals(uint64_t(p.z) + REAL_BYTES * m.lo);
	double rho = p.rho.at[gl_WorkGroupID.z];
	uint top = m.k - 1;
	if (top == 0) {
		if (gl_LocalInvocationIndex == 0) p.mu.at[m.lo] = rho * z.at[0] * z.at[0];
		return;
	}
	uint lower = min(k, top - 1);
	uint other = 2 * lower + 1 - k;
	bool above = k == top;
	double near = z.at[k] * z.at[k], far = z.at[other] * z.at[other], gap = d.at[other] - d.at[k];

	double hi = gap / 2.0lf;
	if (above) hi = 2.0lf * rho;
	uint origin = k;
	double side = 1.0lf;
	double psi, dpsi, phi, dphi;
	sums(d, z, m.k, lower, d.at[k], hi, above, psi, dpsi, phi, dphi);
	if (!above && 1.0lf / rho + psi + phi + (far - near) / hi < 0.0lf) {
		origin = k + 1;
		side = -1.0lf;
		double swap = near;
		near = far, far = swap;
		swap = psi;
		psi = -phi, phi = -swap;
	}
	double shift = d.at[origin], flat_ = side / rho;
	double lo = near / (max(flat_, 0.0lf) + max(phi + far / (gap - hi), 0.0lf)) / 2.0lf;
	double noise = EPS * (8.0lf + sqrt(double(m.k)));
	double old_mean = interval_mean(lo, hi), old_g = 1.0lf / 0.0lf;
	double t = quadratic_root(flat_ + psi + phi, near, far, gap);
	uint steps = 2;
	for (; steps < STEP_CAP; steps++) {
		if (!(lo < t && t < hi)) t = interval_mean(lo, hi);
		sums(d, z, m.k, lower, shift, side * t, above, psi, dpsi, phi, dphi);
		if (side < 0.0lf) {
			double a = psi, da = dpsi;
			psi = -phi, dpsi = dphi;
			phi = -a, dphi = da;
		}
		double down = near / t, up = far / (gap - t);
		double g = (flat_ + psi + phi) + (up - down);
		if (abs(g) <= noise * (abs(flat_) - psi + abs(phi) + down + abs(up))) break;
		if (g < 0.0lf) lo = t;
		else hi = t;
		double mean = interval_mean(lo, hi);
		if (!(lo < mean && mean < hi)) break;
		double s = near + t * t * dpsi, s_far = far + (gap - t) * (gap - t) * dphi;
		t = quadratic_root(flat_ + (psi + t * dpsi) + (phi - (gap - t) * dphi), s, s_far, gap);
		if (steps % 3 == 0) {
			if (lo < old_mean && old_mean < hi && abs(g) > old_g / 10.0lf) t = mean;
			old_mean = mean, old_g = abs(g);
		}
	}
	if (steps == STEP_CAP) t = packDouble2x32(uvec2(0u, 0x7ff80000u));
	if (gl_LocalInvocationIndex == 0) p.mu.at[m.lo + k] = side * t;
}
