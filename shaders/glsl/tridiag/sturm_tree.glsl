// Bisection by teams of 2^LEVELS − 1 invocations, which count at once at every point
// that the next LEVELS halvings may come to: a binary tree, root 1, below node k 2k and 2k+1.
#ifndef STURM_TREE_GLSL
#define STURM_TREE_GLSL

const uint TEAM = (1u << LEVELS) - 1;
const uint TEAMS = LOCAL_SIZE / TEAM;

shared uint busy;
shared uint counted[LOCAL_SIZE]; // by team and node

work_t middle(work_t lo, work_t hi) { return work_t(0.5) * (lo + hi); }

// point is where node k of the tree over [lo, hi] counts.
work_t point(uint k, work_t lo, work_t hi) {
	for (int level = findMSB(k) - 1; level >= 0; level--) {
		if ((k >> level & 1) == 0) hi = middle(lo, hi);
		else lo = middle(lo, hi);
	}
	return middle(lo, hi);
}

// any_ says to all whether it is true of any invocation.
bool any_(bool mine) {
	barrier(); // all have seen what busy and counted were
	if (gl_LocalInvocationIndex == 0) busy = 0;
	barrier();
	if (mine) atomicOr(busy, 1);
	barrier();
	return busy != 0;
}

#endif
