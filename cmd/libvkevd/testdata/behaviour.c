// Tests of the C library: errors, cancelling, threads, fork, signals and leaks. The program
// values.c tests the numbers.
#include "check.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static vkevd_device device;
static vkevd_error error;

enum { N = 90 };

// diagonal is the matrix diag(N, N−1, …, 1). Its eigenvalues are 1, …, N.
static double diagonal[N * N], w[N], z[N * N];

static void check_values(const double *values) {
	for (int k = 0; k < N; k++)
		CHECK(fabs(values[k] - (k + 1)) < 1e-12);
}

static void devices(void) {
	int64_t count = -1, again = -1;
	OK(vkevd_devices(NULL, 0, &count, &error));
	CHECK(count >= 1);
	WANT(VKEVD_BAD_ARGUMENT, vkevd_devices(NULL, 0, NULL, &error));
	CHECK(strstr(error.text, "count"));
	vkevd_device_info *list = calloc((size_t)count, sizeof *list), open;
	OK(vkevd_devices(list, count, &again, &error));
	OK(vkevd_describe(device, &open, &error));
	CHECK(again == count && open.usable && open.memory > 0 && open.name[0] && open.driver[0]);
	CHECK(open.index >= 0 && open.index < count && strcmp(list[open.index].name, open.name) == 0);
	free(list);
	vkevd_device none = 7;
	WANT(VKEVD_NO_DEVICE, vkevd_open("a device with this name", &none, &error));
	CHECK(none == 0);
	CHECK(strcmp(vkevd_version(), VKEVD_VERSION) == 0);
	CHECK(strcmp(vkevd_code_text(VKEVD_CANCELLED), "cancelled") == 0);
	CHECK(strcmp(vkevd_code_text(VKEVD_NOT_POSITIVE + 1), "unknown code") == 0 && vkevd_code_text(-1));
}

static void errors(vkevd_plan plan) {
	vkevd_symmetric o = {0};
	vkevd_svd svd_options = {0};
	vkevd_plan other, svd;
	const int32_t bad = VKEVD_BAD_ARGUMENT;
	WANT(bad, vkevd_symmetric_plan(device, -1, &o, &other, &error));
	CHECK(other == 0);
	WANT(bad, vkevd_symmetric_plan(device, N, &o, NULL, &error));
	WANT(bad, vkevd_symmetric_plan(0, N, &o, &other, &error));
	WANT(bad, vkevd_symmetric_plan(device + 1000, N, &o, &other, &error));
	WANT(bad, vkevd_symmetric_plan(plan, N, &o, &other, &error)); // a plan is no device
	WANT(bad, vkevd_symmetric_plan(device, INT64_MAX, &o, &other, &error));
	o.reserved[3] = 1;
	WANT(bad, vkevd_symmetric_plan(device, N, &o, &other, &error));
	o.reserved[3] = 0, o.number = 2;
	WANT(bad, vkevd_symmetric_plan(device, N, &o, &other, &error));
	o.number = 0, o.select = 4;
	WANT(bad, vkevd_symmetric_plan(device, N, &o, &other, &error));
	o.select = VKEVD_INDEX, o.from = 2, o.to = N + 1;
	WANT(bad, vkevd_symmetric_plan(device, N, &o, &other, &error));
	o.select = VKEVD_INTERVAL, o.above = 0, o.up_to = 20, o.at_most = 5;
	OK(vkevd_symmetric_plan(device, N, &o, &other, &error));
	WANT(bad, vkevd_symmetric_solve(other, diagonal, N, w, NULL, 0, NULL, NULL, &error)); // needs found
	vkevd_found found;
	WANT(VKEVD_TOO_MANY, vkevd_symmetric_solve(other, diagonal, N, w, NULL, 0, &found, NULL, &error));
	OK(vkevd_plan_close(other, &error));
	WANT(bad, vkevd_plan_close(other, &error)); // a second time
	WANT(bad, vkevd_symmetric_solve(other, diagonal, N, w, NULL, 0, &found, NULL, &error));
	svd_options.u = 3;
	WANT(bad, vkevd_svd_plan(device, N, N, &svd_options, &svd, &error));
	svd_options.u = VKEVD_FULL, svd_options.largest = 3;
	WANT(bad, vkevd_svd_plan(device, N, N, &svd_options, &svd, &error));
	OK(vkevd_svd_plan(device, 5, 3, NULL, &svd, &error));
	WANT(bad, vkevd_symmetric_solve(svd, diagonal, N, w, z, N, NULL, NULL, &error));
	WANT(bad, vkevd_svd_solve(svd, diagonal, 4, w, NULL, 0, NULL, 0, NULL, &error)); // 4 < 5 rows
	OK(vkevd_svd_solve(svd, diagonal, 5, w, NULL, 0, NULL, 0, NULL, &error));
	OK(vkevd_plan_close(svd, &error));

	WANT(bad, vkevd_symmetric_solve(plan, NULL, N, w, z, N, NULL, NULL, &error));
	WANT(bad, vkevd_symmetric_solve(plan, diagonal, N - 1, w, z, N, NULL, NULL, &error));
	WANT(bad, vkevd_symmetric_solve(plan, diagonal, N, NULL, z, N, NULL, NULL, &error));
	WANT(bad, vkevd_symmetric_solve(plan, diagonal, N, w, NULL, N, NULL, NULL, &error));
	WANT(bad, vkevd_symmetric_solve(plan, diagonal, N, w, z, 0, NULL, NULL, &error));
	WANT(bad, vkevd_symmetric_solve(plan, diagonal, N, w, diagonal, N + 1, NULL, NULL, &error));
	WANT(bad, vkevd_symmetric_solve(plan, diagonal, INT64_MAX, w, z, N, NULL, NULL, &error));
	CHECK(vkevd_symmetric_solve(plan, NULL, N, w, z, N, NULL, NULL, NULL) == bad);
	diagonal[7 + 4 * N] = NAN; // (7, 4) of the lower triangle
	WANT(VKEVD_NOT_FINITE, vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, NULL, &error));
	CHECK(error.row == 7 && error.column == 4);
	diagonal[7 + 4 * N] = 0, diagonal[4 + 7 * N] = NAN; // the other triangle is not read
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, NULL, &error));
	diagonal[4 + 7 * N] = 0;
	check_values(w);
}

static int calls;
static double last;

static int32_t count_calls(void *user, const char *stage, double done, double total) {
	CHECK(user == &calls && stage[0] != 0 && done >= last && done <= total);
	last = done;
	calls++;
	return 0;
}

static int32_t refuse(void *user, const char *stage, double done, double total) {
	(void)user, (void)stage, (void)done, (void)total;
	return 1;
}

static vkevd_token token;

static int32_t cancel_by_token(void *user, const char *stage, double done, double total) {
	(void)user, (void)stage, (void)done, (void)total;
	vkevd_error here;
	CHECK(vkevd_cancel(token, &here) == VKEVD_OK);
	return 0;
}

static void control(vkevd_plan plan) {
	vkevd_control c = {count_calls, &calls, 0};
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	CHECK(calls > 0);
	OK(vkevd_token_new(&token, &error));
	c.token = token, last = 0;
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	c.progress = cancel_by_token; // in another thread, during the solve
	WANT(VKEVD_CANCELLED, vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	c.progress = NULL; // a token stays cancelled
	WANT(VKEVD_CANCELLED, vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	OK(vkevd_token_free(token, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_cancel(token, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	c.token = 0, c.progress = refuse;
	WANT(VKEVD_CANCELLED, vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, NULL, &error));
	check_values(w);
}

// within is a progress function. It calls functions that would wait for the end of the solve with
// outer_plan, which waits for the end of within. If middle_plan is not 0, a solve with middle_plan
// is in between: the progress function of the outer solve runs it, and within is its progress
// function.
static vkevd_plan outer_plan, middle_plan;
static int refusals;

static int32_t within(void *user, const char *stage, double done, double total) {
	(void)user, (void)stage, (void)done, (void)total;
	static double values[N], vectors[N * N];
	vkevd_error own;
	uint64_t bytes;
	const int32_t bad = VKEVD_BAD_ARGUMENT;
	CHECK(vkevd_symmetric_solve(outer_plan, diagonal, N, values, vectors, N, NULL, NULL, &own) == bad);
	CHECK(strcmp(own.text, "plan: in use by the solve whose progress function makes this call") == 0);
	CHECK(vkevd_plan_close(outer_plan, &own) == bad);
	CHECK(strcmp(own.text, "plan: in use by the solve whose progress function makes this call") == 0);
	CHECK(vkevd_close(device, &own) == bad);
	CHECK(strcmp(own.text, "device: in use by the solve whose progress function makes this call") == 0);
	if (middle_plan) // the solve of the middle plan waits, too
		CHECK(vkevd_plan_close(middle_plan, &own) == bad);
	CHECK(vkevd_plan_bytes(outer_plan, &bytes, &own) == VKEVD_OK && bytes > 0);
	refusals++;
	return 0;
}

static int32_t middle(void *user, const char *stage, double done, double total) {
	(void)user, (void)stage, (void)done, (void)total;
	static double values[N];
	static int once;
	vkevd_error own;
	vkevd_control c = {within, NULL, 0};
	if (!once++) // another plan may be used, but not outer_plan in its progress function
		CHECK(vkevd_symmetric_solve(middle_plan, diagonal, N, values, NULL, 0, NULL, &c, &own) == VKEVD_OK);
	return 0;
}

// reentry checks that calls from a progress function that would never return are refused. If they are
// not, the alarm ends the program.
static void reentry(vkevd_plan plan) {
	vkevd_control c = {within, NULL, 0};
	alarm(120);
	outer_plan = plan;
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	int direct = refusals;
	CHECK(direct > 0);
	OK(vkevd_symmetric_plan(device, N, NULL, &middle_plan, &error));
	c.progress = middle;
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
	CHECK(refusals > direct);
	check_values(w);
	OK(vkevd_plan_close(middle_plan, &error));
	alarm(0);
}

// counts checks numbers of matrices that no program can have in memory.
static void counts(void) {
	const double *a[1] = {diagonal};
	double *values[1] = {w};
	int32_t codes[1];
	vkevd_plan plan;
	OK(vkevd_batch_plan(device, 2, 1, NULL, &plan, &error));
	for (int bits = 39; bits < 63; bits++) {
		WANT(VKEVD_BAD_ARGUMENT, vkevd_batch_solve(plan, (int64_t)1 << bits, NULL, a, values, NULL, codes, NULL, &error));
		CHECK(strstr(error.text, "count"));
	}
	WANT(VKEVD_BAD_ARGUMENT, vkevd_batch_solve(plan, -1, NULL, a, values, NULL, codes, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
}

static void *solve_often(void *plan) {
	double values[N], *vectors = malloc(sizeof(double) * N * N);
	for (int i = 0; i < 5; i++) {
		vkevd_error own;
		CHECK(vkevd_symmetric_solve(*(vkevd_plan *)plan, diagonal, N, values, vectors, N, NULL, NULL, &own) == VKEVD_OK);
		check_values(values);
		CHECK(vkevd_symmetric_solve(0, diagonal, N, values, vectors, N, NULL, NULL, &own) == VKEVD_BAD_ARGUMENT);
		CHECK(strstr(own.text, "plan"));
	}
	free(vectors);
	return NULL;
}

static void threads(vkevd_plan plan) {
	pthread_t all[4];
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&all[i], NULL, solve_often, &plan) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_join(all[i], NULL) == 0);
}

// forks checks calls after fork(). In a child process each call must return VKEVD_FORKED without
// waiting. The parent process must be able to solve again.
static void forks(vkevd_plan plan) {
	pid_t child = fork();
	if (child == 0) {
		vkevd_plan none;
		int64_t count;
		uint64_t bytes;
		vkevd_token token;
		vkevd_device_info info;
		alarm(10);
		int refused = vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, NULL, &error) == VKEVD_FORKED &&
		              strstr(error.text, "fork") && vkevd_open(NULL, &device, NULL) == VKEVD_FORKED;
		const int32_t codes[] = {
			vkevd_devices(&info, 1, &count, NULL), vkevd_describe(device, &info, NULL),
			vkevd_token_new(&token, NULL), vkevd_cancel(1, NULL), vkevd_token_free(1, NULL),
			vkevd_plan_bytes(plan, &bytes, NULL), vkevd_symmetric_plan(device, N, NULL, &none, &error),
			vkevd_symmetric_solve_float32(plan, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_symmetric_solve_complex128(plan, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_symmetric_solve_complex64(plan, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_plan(device, N, NULL, &none, NULL),
			vkevd_pencil_factor(plan, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_solve(plan, NULL, N, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_check(plan, NULL, N, NULL, N, NULL, NULL, N, 0, NULL, NULL, NULL, NULL),
			vkevd_pencil_factor_float32(plan, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_solve_float32(plan, NULL, N, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_check_float32(plan, NULL, N, NULL, N, NULL, NULL, N, 0, NULL, NULL, NULL, NULL),
			vkevd_pencil_factor_complex128(plan, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_solve_complex128(plan, NULL, N, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_check_complex128(plan, NULL, N, NULL, N, NULL, NULL, N, 0, NULL, NULL, NULL, NULL),
			vkevd_pencil_factor_complex64(plan, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_solve_complex64(plan, NULL, N, NULL, N, NULL, NULL, N, NULL, NULL, NULL),
			vkevd_pencil_check_complex64(plan, NULL, N, NULL, N, NULL, NULL, N, 0, NULL, NULL, NULL, NULL),
			vkevd_svd_plan(device, N, N, NULL, &none, NULL),
			vkevd_svd_solve(plan, diagonal, N, w, NULL, N, NULL, N, NULL, NULL),
			vkevd_svd_solve_float32(plan, NULL, N, NULL, NULL, N, NULL, N, NULL, NULL),
			vkevd_svd_solve_complex128(plan, NULL, N, NULL, NULL, N, NULL, N, NULL, NULL),
			vkevd_svd_solve_complex64(plan, NULL, N, NULL, NULL, N, NULL, N, NULL, NULL),
			vkevd_batch_order(device, &count, NULL), vkevd_batch_plan(device, N, 1, NULL, &none, NULL),
			vkevd_batch_solve(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			vkevd_batch_solve_float32(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			vkevd_batch_solve_complex128(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			vkevd_batch_solve_complex64(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			vkevd_plan_close(plan, &error), vkevd_close(device, &error),
		};
		for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
			refused = refused && codes[i] == VKEVD_FORKED;
		_exit(refused ? 42 : 1);
	}
	int status = 0;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
	OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, NULL, &error));
	check_values(w);
}

// signals_are_ours checks that the library has installed no handlers for the signals that programs
// use. A signal may be ignored if it was ignored before: programs in the background, and programs
// under nohup, inherit this.
static void signals_are_ours(void) {
	const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGALRM, SIGUSR1, SIGUSR2, SIGABRT};
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
		struct sigaction now;
		CHECK(sigaction(ours[i], NULL, &now) == 0);
		CHECK(!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN));
	}
	int ends[2];
	CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR && pipe(ends) == 0 && close(ends[0]) == 0);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
	close(ends[1]);
}

static long resident_kilobytes(void) {
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	CHECK(f && fscanf(f, "%ld %ld", &pages, &resident) == 2);
	fclose(f);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// repeat makes, uses and closes plans and tokens many times, and checks that memory does not grow.
// 40 plans that are not closed would take 10 MB.
static void repeat(int times) {
	long before = 0;
	for (int i = 0; i < 2 * times; i++) {
		if (i == times)
			before = resident_kilobytes();
		vkevd_symmetric o = {0};
		o.vectors = i % 2;
		vkevd_plan plan;
		OK(vkevd_token_new(&token, &error));
		vkevd_control c = {NULL, NULL, token};
		OK(vkevd_symmetric_plan(device, N, &o, &plan, &error));
		for (int k = 0; k < 3; k++)
			OK(vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, &c, &error));
		OK(vkevd_plan_close(plan, &error));
		OK(vkevd_token_free(token, &error));
	}
	long grown = resident_kilobytes() - before;
	if (grown > 6000) {
		fprintf(stderr, "%d rounds more took %ld KB\n", times, grown);
		exit(1);
	}
}

// small_calls solves the given number of matrices of order 2, and checks that memory does not grow.
static void small_calls(long times) {
	double two[] = {2, 1, 1, 2}, values[2], vectors[4];
	vkevd_symmetric o = {0};
	vkevd_plan plan;
	o.vectors = 1;
	OK(vkevd_symmetric_plan(device, 2, &o, &plan, &error));
	long before = 0;
	for (long i = 0; i < times; i++) {
		if (i == times / 2)
			before = resident_kilobytes();
		OK(vkevd_symmetric_solve(plan, two, 2, values, vectors, 2, NULL, NULL, &error));
		CHECK(fabs(values[0] - 1) < 1e-15 && fabs(values[1] - 3) < 1e-15);
	}
	CHECK(resident_kilobytes() - before < 8000);
	OK(vkevd_plan_close(plan, &error));
}

int main(int argc, char **argv) {
	CHECK(argc == 2);
	signals_are_ours();
	for (int i = 0; i < N; i++)
		diagonal[i + i * N] = N - i;
	vkevd_symmetric o = {0};
	vkevd_plan plan;
	o.vectors = 1;
	OK(vkevd_open(NULL, &device, &error));
	OK(vkevd_symmetric_plan(device, N, &o, &plan, &error));
	devices();
	errors(plan);
	control(plan);
	reentry(plan);
	counts();
	threads(plan);
	forks(plan);
	repeat(40);
	small_calls(atol(argv[1]));
	signals_are_ours();
	OK(vkevd_close(device, &error));
	WANT(VKEVD_CLOSED, vkevd_symmetric_solve(plan, diagonal, N, w, z, N, NULL, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_close(device, &error));
	return 0;
}
