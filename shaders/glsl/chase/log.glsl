// This header writes a log of a bulge chasing, for tests and pictures. Kernels with LOG include it,
// after flags.glsl.
#ifndef LOG_GLSL
#define LOG_GLSL

// A Log has one entry per step: the position of the step in the order in which the steps began, and
// the number of the workgroup that ran the step.
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Log { uvec2 at[]; };

// note writes to entry `at` of the log that a step begins. `counter` numbers the steps in the order
// in which they begin. It is zero before the dispatch.
void note(Flags counter, Log log, uint at) {
	uint when = atomicAdd(counter.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	log.at[at] = uvec2(when, gl_WorkGroupID.x);
}
#endif
