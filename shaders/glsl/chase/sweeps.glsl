// This header lets workgroups claim the sweeps of a bulge chasing, and lets sweeps wait for each
// other. Each sweep is run by one workgroup.
//
// A kernel whose sweeps wait for each other includes this header, after flags.glsl, after the
// constant LEAD, and after its push block p. p must have the members n, first, last, polls, flags,
// ticket, info and abort_word.
#ifndef SWEEPS_GLSL
#define SWEEPS_GLSL

// `sweep` is the number of the sweep that the workgroup runs.
shared uint sweep;
// `go[j % 2]` tells whether step j of the sweep can begin. It is false if a wait was given up.
shared bool go[2];

// `seen` is the last value of the flag of sweep s−1 that the waiting invocation has loaded.
uint seen;

// reaches waits until the flag of sweep s−1 is at least `need`. It returns false if the wait was
// given up. The kernel that includes this header explains what a flag counts.
//
// Every wait ends, for this reason. A sweep waits only for the previous sweep. The previous sweep
// either ended in an earlier dispatch, or a workgroup claimed it earlier, so that workgroup has
// started. The oldest sweep of the dispatch waits for no other sweep. So by induction every
// workgroup reaches the end of its sweep, if the device lets workgroups that have started make
// progress.
bool reaches(uint s, uint need) {
	if (seen < need) seen = await(p.flags, s - 1, need, p.info, p.abort_word, p.polls);
	return seen >= need;
}

// claim takes the next sweep of this dispatch for the workgroup, and waits until the vector x of
// the sweep's first reflector can be read. The result is in the variable `sweep`: the number of the
// sweep, or p.last if no sweep is left or if the wait was given up. Only one invocation calls
// claim.
void claim() {
	uint s = stopped(p.info, p.abort_word) ? p.last
		: p.first + atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	seen = s == p.first ? FLAG_END : 0;
	sweep = s < p.last && reaches(s, LEAD) ? s : p.last;
}
#endif
