// A process that is number 1 of a PID namespace loads the library, and makes a child that is number 1 of
// another namespace. Containers nest in this way. The child must get VKEVD_FORKED. The program ends
// with the status 77 if the system does not allow this.
#define _GNU_SOURCE
#include "check.h"
#include <sched.h>
#include <sys/wait.h>

static vkevd_error error;

int main(void) {
	vkevd_token token;
	pid_t child;
	int status;
	OK(vkevd_token_new(&token, &error));
	if (getpid() != 1 || unshare(CLONE_NEWPID) != 0 || (child = fork()) < 0)
		return 77;
	if (child == 0) {
		alarm(20);
		CHECK(getpid() == 1);
		WANT(VKEVD_FORKED, vkevd_token_new(&token, &error));
		WANT(VKEVD_FORKED, vkevd_devices(NULL, 0, NULL, &error));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	OK(vkevd_token_free(token, &error));
	return 0;
}
