// probe_fma tells whether fma() on doubles rounds once.
//
// in:  factors  pairs x, y; x·y must not be exact in FP64
// out: fused    1 if fma(x, y, −round(x·y)) is the exact error of the product, as
//               Dekker's splitting computes it; otherwise 0
//
// Vulkan allows a driver to compute fma() as a product and a sum, each rounded. Kernels that need
// the error of a product rely on this probe, which runs once per device. The factors must be finite
// and below 1e150 in magnitude, and their product must be far from underflow. fused must not
// overlap factors.
//
// Grid: one invocation per pair, in x.
//
// Source: T. J. Dekker, A floating-point technique for extending the available precision, Numer.
// Math. 18 (1971).
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Factors { double at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Fused { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Factors factors;
	Fused fused;
	uint pairs;
} p;

// high returns x rounded to 26 bits. The product of two numbers of 26 bits is exact.
double high(double x) {
	double t = 134217729.0lf * x; // 2^27 + 1
	return t - (t - x);
}

void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= p.pairs) return;
	double x = p.factors.at[2 * i], y = p.factors.at[2 * i + 1];
	double xy = x * y;
	double xh = high(x), xl = x - xh;
	double yh = high(y), yl = y - yh;
	double dekker = ((xh * yh - xy) + xh * yl + xl * yh) + xl * yl;
	p.fused.at[i] = fma(x, y, -xy) == dekker ? 1u : 0u;
}
