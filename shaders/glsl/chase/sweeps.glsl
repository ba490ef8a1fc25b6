// How the sweeps of a bulge chasing, each run by one workgroup, are claimed and wait for each
// other.
//
// The kernels whose sweeps wait for each other include this header, after flags.glsl, after the
// constant LEAD, and after their push block p. p must have n, first, last, polls, flags, ticket,
// info and abort_word.
#ifndef SWEEPS_GLSL
#define SWEEPS_GLSL

// The sweep of the workgroup.
shared uint sweep;
// Whether step j can begin, in go[j % 2].
shared bool go[2];

// The flag of sweep s−1, as the waiting invocation last saw it.
uint seen;

// reaches waits until the flag of sweep s−1 is at least need, and returns false if the wait was
// given up.
//
// Why no wait lasts for ever: a sweep waits only for the one before it. That one either ended in an
// earlier dispatch, or was claimed before by a workgroup that is therefore running. By induction it
// comes to its end, because the oldest sweep waits for none. This needs a device on which started
// workgroups make progress.
bool reaches(uint s, uint need) {
	if (seen < need) seen = await(p.flags, s - 1, need, p.info, p.abort_word, p.polls);
	return seen >= need;
}

// claim takes the next sweep of this dispatch for the workgroup, and waits until its first x can be
// read. It sets sweep to p.last if there is no more, or if the wait was given up. One invocation
// calls it.
void claim() {
	uint s = stopped(p.info, p.abort_word) ? p.last
		: p.first + atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	seen = s == p.first ? FLAG_END : 0;
	sweep = s < p.last && reaches(s, LEAD) ? s : p.last;
}
#endif
