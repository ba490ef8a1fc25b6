/* parts.h has functions for some of the drivers. It is included twice, as drivers.h is. */

/* part sets the part of the spectrum in *p. It returns 0 if LAPACK would refuse these arguments. */
static int SIZED(part)(enum routine r, struct vkevd_problem *p, const char *range, const void *vl,
	const void *vu, const INT *il, const INT *iu)
{
	p->range = toupper((unsigned char)*range);
	switch (p->range) {
	case 'A':
		return 1;
	case 'I':
		p->il = *il;
		p->iu = *iu;
		return 1 <= p->il && p->il <= p->iu && p->iu <= p->n;
	case 'V':
		p->vl = number(r, vl);
		p->vu = number(r, vu);
		return p->vl < p->vu;
	}
	return 0;
}

/* support fills isuppz, as LAPACK does, only if the call asks for all values by range A, or by
 * range I with il = 1 and iu = n. Otherwise isuppz may have no memory, even if all values lie
 * between vl and vu. Each vector may have nonzero components from 1 to n. */
static void SIZED(support)(INT *isuppz, const struct vkevd_problem *p)
{
	if (p->range == 'V' || p->found != p->n)
		return;
	for (int64_t i = 0; i < p->n; i++) {
		isuppz[2 * i] = 1;
		isuppz[2 * i + 1] = p->n;
	}
}
