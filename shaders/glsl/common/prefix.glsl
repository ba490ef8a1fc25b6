// This header computes prefix sums over a workgroup, through shared memory. Kernels include this
// header after the declaration of LOCAL_SIZE. The header defines the function `before`.
#ifndef PREFIX_GLSL
#define PREFIX_GLSL

// counted holds, for each invocation, the partial sums of the scan in the function `before`.
shared uvec4 counted[LOCAL_SIZE];

// before returns prefix sums: for each component of `count`, the sum over the invocations before
// this one. `all` gets the sums over all invocations. Every invocation must call the function
// `before`.
uvec4 before(uvec4 count, out uvec4 all) {
	uint t = gl_LocalInvocationIndex;
	uvec4 sum = count;
	counted[t] = sum;
	barrier();
	for (uint width = 1; width < LOCAL_SIZE; width *= 2) {
		uvec4 more = t < width ? uvec4(0) : counted[t - width];
		barrier();
		counted[t] = sum += more;
		barrier();
	}
	all = counted[LOCAL_SIZE - 1];
	barrier();
	return sum - count;
}

#endif
