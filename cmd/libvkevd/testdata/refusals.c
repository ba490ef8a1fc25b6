// Refusals of the C library: wrong arguments of the functions, with the text of the error, and some
// values that are still accepted.
#include "check.h"
#include <stddef.h>

static vkevd_error error;

enum { bad = VKEVD_BAD_ARGUMENT };

// SAYS checks that a call returns a code, and that the text of its error is `wanted`.
#define SAYS(code, wanted, call)                                                                   \
	do {                                                                                           \
		WANT(code, call);                                                                          \
		if (strcmp(error.text, wanted) != 0) {                                                     \
			fprintf(stderr, "%s:%d: \"%s\", want \"%s\"\n", __FILE__, __LINE__, error.text, wanted); \
			exit(1);                                                                               \
		}                                                                                          \
	} while (0)

static void texts(void) {
	const char *const codes[] = {
		"success", "bad argument", "the matrix holds a NaN or an infinity", "no usable device",
		"not supported by the device", "out of device memory", "the device failed", "cancelled",
		"closed", "more eigenvalues than allowed", "no convergence", "the result is not verified",
		"forked process", "defect of the library", "a value of the result overflows",
		"B is not positive definite",
	};
	for (int k = 0; k <= VKEVD_NOT_POSITIVE; k++)
		CHECK(strcmp(vkevd_code_text(k), codes[k]) == 0);
	CHECK(strcmp(vkevd_code_text(VKEVD_NOT_POSITIVE + 1), "unknown code") == 0);
	CHECK(strcmp(vkevd_code_text(-1), "unknown code") == 0);
}

static void handles(vkevd_device device, vkevd_plan plan) {
	vkevd_device_info info[1];
	int64_t count;
	uint64_t bytes;
	vkevd_token token, used;
	vkevd_plan none;
	SAYS(bad, "count: NULL", vkevd_devices(info, 1, NULL, &error));
	SAYS(bad, "capacity: negative", vkevd_devices(info, -1, &count, &error));
	SAYS(bad, "list: NULL", vkevd_devices(NULL, 1, &count, &error));
	OK(vkevd_devices(NULL, 0, &count, &error));
	SAYS(bad, "device: NULL", vkevd_open("", NULL, &error));
	SAYS(bad, "info: NULL", vkevd_describe(device, NULL, &error));
	SAYS(bad, "token: NULL", vkevd_token_new(NULL, &error));
	SAYS(bad, "order: NULL", vkevd_batch_order(device, NULL, &error));
	SAYS(bad, "bytes: NULL", vkevd_plan_bytes(plan, NULL, &error));
	SAYS(bad, "plan: NULL", vkevd_symmetric_plan(device, 1, NULL, NULL, &error));
	SAYS(bad, "plan: NULL", vkevd_pencil_plan(device, 1, NULL, NULL, &error));
	SAYS(bad, "plan: NULL", vkevd_tridiagonal_plan(device, 1, NULL, NULL, &error));
	SAYS(bad, "plan: NULL", vkevd_svd_plan(device, 1, 1, NULL, NULL, &error));
	SAYS(bad, "plan: NULL", vkevd_batch_plan(device, 1, 1, NULL, NULL, &error));

	OK(vkevd_token_new(&token, &error));
	OK(vkevd_token_new(&used, &error));
	OK(vkevd_token_free(used, &error));
	const vkevd_device closed[] = {0, used, UINT64_MAX};
	for (int k = 0; k < 3; k++) {
		vkevd_device h = closed[k];
		SAYS(bad, "device: not an open handle", vkevd_describe(h, info, &error));
		SAYS(bad, "device: not an open handle", vkevd_close(h, &error));
		SAYS(bad, "device: not an open handle", vkevd_batch_order(h, &count, &error));
		SAYS(bad, "device: not an open handle", vkevd_symmetric_plan(h, 1, NULL, &none, &error));
		SAYS(bad, "device: not an open handle", vkevd_pencil_plan(h, 1, NULL, &none, &error));
		SAYS(bad, "device: not an open handle", vkevd_tridiagonal_plan(h, 1, NULL, &none, &error));
		SAYS(bad, "device: not an open handle", vkevd_svd_plan(h, 1, 1, NULL, &none, &error));
		SAYS(bad, "device: not an open handle", vkevd_batch_plan(h, 1, 1, NULL, &none, &error));
		SAYS(bad, "token: not an open handle", vkevd_cancel(h, &error));
		SAYS(bad, "token: not an open handle", vkevd_token_free(h, &error));
		SAYS(bad, "plan: not an open handle", vkevd_plan_bytes(h, &bytes, &error));
		SAYS(bad, "plan: not an open handle", vkevd_plan_close(h, &error));
		SAYS(bad, "plan: not an open handle", vkevd_symmetric_solve(h, NULL, 1, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_symmetric_solve_float32(h, NULL, 1, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_symmetric_solve_complex128(h, NULL, 1, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_symmetric_solve_complex64(h, NULL, 1, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_pencil_factor(h, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_pencil_solve(h, NULL, 1, NULL, 1, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_pencil_check(h, NULL, 1, NULL, 1, NULL, NULL, 1, 0, NULL, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_tridiagonal_solve(h, NULL, NULL, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_tridiagonal_solve_float32(h, NULL, NULL, NULL, NULL, 1, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_svd_solve(h, NULL, 1, NULL, NULL, 1, NULL, 1, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_svd_solve_float32(h, NULL, 1, NULL, NULL, 1, NULL, 1, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_svd_solve_complex128(h, NULL, 1, NULL, NULL, 1, NULL, 1, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_svd_solve_complex64(h, NULL, 1, NULL, NULL, 1, NULL, 1, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_batch_solve(h, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_batch_solve_float32(h, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_batch_solve_complex128(h, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
		SAYS(bad, "plan: not an open handle", vkevd_batch_solve_complex64(h, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
	}
	SAYS(bad, "device: a handle of another kind", vkevd_describe(plan, info, &error));
	SAYS(bad, "device: a handle of another kind", vkevd_close(token, &error));
	SAYS(bad, "token: a handle of another kind", vkevd_cancel(plan, &error));
	SAYS(bad, "token: a handle of another kind", vkevd_token_free(device, &error));
	SAYS(bad, "plan: a handle of another kind", vkevd_plan_bytes(device, &bytes, &error));
	SAYS(bad, "plan: a handle of another kind", vkevd_plan_close(token, &error));
	SAYS(bad, "device: a handle of another kind", vkevd_symmetric_plan(token, 1, NULL, &none, &error));
	CHECK(none == 0);

	vkevd_control control = {NULL, NULL, used};
	double a[9] = {1}, w[3], z[9];
	SAYS(bad, "control.token: not an open handle", vkevd_symmetric_solve(plan, a, 3, w, z, 3, NULL, &control, &error));
	control.token = device;
	SAYS(bad, "control.token: a handle of another kind", vkevd_symmetric_solve(plan, a, 3, w, z, 3, NULL, &control, &error));
	OK(vkevd_cancel(token, &error));
	OK(vkevd_cancel(token, &error)); // a second time
	control.token = token;
	SAYS(VKEVD_CANCELLED, "context canceled", vkevd_symmetric_solve(plan, a, 3, w, z, 3, NULL, &control, &error));
	OK(vkevd_token_free(token, &error));
	WANT(VKEVD_NO_DEVICE, vkevd_open("a device with this name", &device, &error));
	CHECK(strstr(error.text, "none matches \"a device with this name\""));
}

static void symmetric(vkevd_device device) {
	vkevd_plan plan;
	vkevd_symmetric o;
#define REFUSED(text, ...)                                                                         \
	do {                                                                                           \
		o = (vkevd_symmetric){__VA_ARGS__};                                                        \
		plan = 7;                                                                                  \
		SAYS(bad, text, vkevd_symmetric_plan(device, 3, &o, &plan, &error));                        \
		CHECK(plan == 0);                                                                          \
	} while (0)
	REFUSED("options.reserved: must be 0", .reserved0 = 1);
	for (int k = 0; k < 6; k++) {
		o = (vkevd_symmetric){0}, o.reserved[k] = 1;
		SAYS(bad, "options.reserved: must be 0", vkevd_symmetric_plan(device, 3, &o, &plan, &error));
	}
	const int32_t wrong[] = {-1, 2};
	for (int k = 0; k < 2; k++) {
		const char *const flag = "options: a member that must be 0 or 1 is neither";
		REFUSED(flag, .vectors = wrong[k]);
		REFUSED(flag, .upper = wrong[k]);
		REFUSED(flag, .a_row_major = wrong[k]);
		REFUSED(flag, .vectors_row_major = wrong[k]);
		REFUSED(flag, .verify = wrong[k]);
	}
	REFUSED("options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_MIXED, VKEVD_COMPLEX128, VKEVD_COMPLEX64, VKEVD_MIXED_COMPLEX", .number = 6);
	REFUSED("options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_MIXED, VKEVD_COMPLEX128, VKEVD_COMPLEX64, VKEVD_MIXED_COMPLEX", .number = -1);
	const char *const all = "options.number: VKEVD_MIXED and VKEVD_MIXED_COMPLEX need vectors = 1 and select = VKEVD_ALL";
	REFUSED(all, .number = VKEVD_MIXED);
	REFUSED(all, .number = VKEVD_MIXED_COMPLEX);
	REFUSED(all, .number = VKEVD_MIXED, .vectors = 1,
	        .select = VKEVD_INDEX, .to = 3);
	REFUSED("options.select: none of VKEVD_ALL, VKEVD_INDEX, VKEVD_INTERVAL", .select = 3);
	REFUSED("options.select: none of VKEVD_ALL, VKEVD_INDEX, VKEVD_INTERVAL", .select = -1);
	REFUSED("option Index: [-1, 2) is not a range of 3 values", .select = VKEVD_INDEX, .from = -1, .to = 2);
	REFUSED("option Index: [1, 4) is not a range of 3 values", .select = VKEVD_INDEX, .from = 1, .to = 4);
	REFUSED("option Interval: (2, 1] holds no number", .select = VKEVD_INTERVAL, .above = 2, .up_to = 1);
	REFUSED("option AtMost: must not be negative", .select = VKEVD_INTERVAL, .up_to = 1, .at_most = -1);
	SAYS(bad, "order -1 is negative", vkevd_symmetric_plan(device, -1, NULL, &plan, &error));
	SAYS(bad, "order 16777216 is too large, at most 16777215", vkevd_symmetric_plan(device, 1 << 24, NULL, &plan, &error));
	o = (vkevd_symmetric){0};
	o.vectors = 1;
	WANT(VKEVD_OUT_OF_MEMORY, vkevd_symmetric_plan(device, (1 << 24) - 1, &o, &plan, &error));
	CHECK(error.need > (uint64_t)1 << 40 && error.free > 0 && error.free < error.need);

	double a[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3}, w[3], z[16]; // ld = 4
	float a32[9] = {1}, w32[3], z32[9];
	OK(vkevd_symmetric_plan(device, 3, &o, &plan, &error));
	SAYS(bad, "a: NULL", vkevd_symmetric_solve(plan, NULL, 4, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "w: NULL", vkevd_symmetric_solve(plan, a, 4, NULL, z, 4, NULL, NULL, &error));
	SAYS(bad, "z: NULL", vkevd_symmetric_solve(plan, a, 4, w, NULL, 4, NULL, NULL, &error));
	SAYS(bad, "lda: 2, must be at least 3", vkevd_symmetric_solve(plan, a, 2, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "lda: -1, must be at least 3", vkevd_symmetric_solve(plan, a, -1, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "ldz: 2, must be at least 3", vkevd_symmetric_solve(plan, a, 4, w, z, 2, NULL, NULL, &error));
	// 3 columns of more than 2⁶⁰/3 doubles have more than 2⁶³ bytes
	SAYS(bad, "lda: 384307168202282326, more than fits an address",
	     vkevd_symmetric_solve(plan, a, 384307168202282326, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "ldz: z is a, so it must be lda", vkevd_symmetric_solve(plan, z, 3, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_symmetric_solve_float32(plan, a32, 3, w32, z32, 3, NULL, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_svd_solve(plan, a, 4, w, NULL, 3, NULL, 3, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_batch_solve(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
	OK(vkevd_symmetric_solve(plan, a, 4, w, z, 4, NULL, NULL, &error));
	OK(vkevd_symmetric_solve(plan, a, 4, w, a, 4, NULL, NULL, &error)); // z is a
	a[6] = INFINITY; // (2, 1)
	SAYS(VKEVD_NOT_FINITE, "element (2, 1) is +Inf; entries must be finite (indices from 0)",
	     vkevd_symmetric_solve(plan, a, 4, w, z, 4, NULL, NULL, &error));
	CHECK(error.row == 2 && error.column == 1 && error.need == 0 && error.free == 0);
	OK(vkevd_plan_close(plan, &error));
	SAYS(bad, "plan: not an open handle", vkevd_plan_close(plan, &error));

	// no vectors: ldz and z have no meaning, also if z is a
	double d[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
	o = (vkevd_symmetric){0};
	o.select = VKEVD_INTERVAL, o.above = 0, o.up_to = 3, o.at_most = 2;
	OK(vkevd_symmetric_plan(device, 3, &o, &plan, &error));
	vkevd_found found;
	SAYS(bad, "found: NULL", vkevd_symmetric_solve(plan, d, 3, w, d, 0, NULL, NULL, &error));
	SAYS(VKEVD_TOO_MANY, "the interval holds 3 values, at most 2 were expected",
	     vkevd_symmetric_solve(plan, d, 3, w, d, 0, &found, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
	o.above = 1;
	OK(vkevd_symmetric_plan(device, 3, &o, &plan, &error));
	OK(vkevd_symmetric_solve(plan, d, 3, w, d, 0, &found, NULL, &error));
	CHECK(found.first == 1 && found.count == 2);
	OK(vkevd_plan_close(plan, &error));

	// the largest eigenvalue of this matrix is beyond the largest float
	float huge[4] = {3e38f, 3e38f, 3e38f, 3e38f};
	o = (vkevd_symmetric){0};
	o.number = VKEVD_FLOAT32;
	OK(vkevd_symmetric_plan(device, 2, &o, &plan, &error));
	SAYS(VKEVD_OVERFLOW, "eigenvalue 1 is beyond the largest float32, and is +Inf in the result (indices from 0)",
	     vkevd_symmetric_solve_float32(plan, huge, 2, w32, NULL, 0, NULL, NULL, &error));
	CHECK(error.row == 1 && error.column == -1 && isinf(w32[1]) && !isinf(w32[0]));
	OK(vkevd_plan_close(plan, &error));
#undef REFUSED
}

static void pencils(vkevd_device device) {
	vkevd_plan plan;
	vkevd_pencil o;
#define REFUSED(text, ...)                                                                         \
	do {                                                                                           \
		o = (vkevd_pencil){__VA_ARGS__};                                                           \
		SAYS(bad, text, vkevd_pencil_plan(device, 3, &o, &plan, &error));                           \
		CHECK(plan == 0);                                                                          \
	} while (0)
	// Programs that were compiled with an older header have zeros in the place of newer options.
	CHECK(sizeof o == 184 && offsetof(vkevd_pencil, threshold) == 136 && offsetof(vkevd_pencil, refine) == 144);
	REFUSED("options.reserved: must be 0", .reserved = {0, 0, 0, 1});
	REFUSED("options.reserved: must be 0", .reserved0 = 1);
	REFUSED("options.reserved: must be 0", .symmetric = {.reserved0 = 1});
	REFUSED("option Overlap: the threshold 1 is not between 0 and 1", .overlap = VKEVD_CANONICAL, .threshold = 1);
	REFUSED("option Overlap: canonical orthogonalisation is only for A·x = λ·B·x", .overlap = VKEVD_CANONICAL, .type = VKEVD_ABXLX);
	const int32_t wrong[] = {-1, 2};
	for (int k = 0; k < 2; k++) {
		const char *const flag = "options: a member that must be 0 or 1 is neither";
		REFUSED("options.overlap: neither VKEVD_CHOLESKY nor VKEVD_CANONICAL", .overlap = wrong[k]);
		REFUSED(flag, .b_upper = wrong[k]);
		REFUSED(flag, .b_row_major = wrong[k]);
		REFUSED(flag, .refine = wrong[k]);
		REFUSED(flag, .symmetric = {.vectors = wrong[k]});
		REFUSED("options.type: none of VKEVD_AXLBX, VKEVD_ABXLX, VKEVD_BAXLX", .type = k ? 3 : -1);
	}
	REFUSED("option Refine: only vectors are refined", .refine = 1);
	REFUSED("option Refine: a refinement needs a B of which no direction is dropped, so it is not for Overlap.Canonical",
	        .refine = 1, .overlap = VKEVD_CANONICAL, .symmetric = {.vectors = 1});
	for (int type = VKEVD_ABXLX; type <= VKEVD_BAXLX; type++)
		REFUSED("option Refine: only A·x = λ·B·x needs it: the residuals of the other problems do not grow with the condition number of B",
		        .refine = 1, .type = type, .symmetric = {.vectors = 1});
	for (int select = VKEVD_INDEX; select <= VKEVD_INTERVAL; select++)
		REFUSED("option Refine: a refinement is for all vectors, because it corrects each vector by multiples of all others",
		        .refine = 1, .symmetric = {.vectors = 1, .select = select, .to = 2, .up_to = 1});
	REFUSED("options.number: mixed precision is not for pairs", .symmetric = {.number = VKEVD_MIXED, .vectors = 1});
	REFUSED("options.number: mixed precision is not for pairs", .symmetric = {.number = VKEVD_MIXED_COMPLEX, .vectors = 1});
	REFUSED("options.select: none of VKEVD_ALL, VKEVD_INDEX, VKEVD_INTERVAL", .symmetric = {.select = 3});
	SAYS(bad, "order -1 is negative", vkevd_pencil_plan(device, -1, NULL, &plan, &error));

	double a[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3}, b[9] = {4, 0, 0, 0, 1, 0, 0, 0, 1}, w[3], z[16], number; // lda = 4
	float w32[3];
	const char *const no_factor = "plan: without a factor of B; vkevd_pencil_factor computes it";
	o = (vkevd_pencil){.type = VKEVD_BAXLX, .symmetric = {.vectors = 1}};
	OK(vkevd_pencil_plan(device, 3, &o, &plan, &error));
	SAYS(bad, no_factor, vkevd_pencil_solve(plan, a, 4, NULL, 0, w, z, 4, NULL, NULL, &error));
	SAYS(bad, no_factor, vkevd_pencil_check(plan, a, 4, b, 3, a, a, 4, 3, &number, NULL, NULL, &error));
	SAYS(bad, "b: NULL", vkevd_pencil_factor(plan, NULL, 3, NULL, NULL, &error));
	SAYS(bad, "ldb: 2, must be at least 3", vkevd_pencil_factor(plan, b, 2, NULL, NULL, &error));
	SAYS(bad, "ldb: 2, must be at least 3", vkevd_pencil_solve(plan, a, 4, b, 2, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "a: NULL", vkevd_pencil_solve(plan, NULL, 4, b, 3, w, z, 4, NULL, NULL, &error));
	SAYS(bad, "w: NULL", vkevd_pencil_solve(plan, a, 4, b, 3, NULL, z, 4, NULL, NULL, &error));
	SAYS(bad, "z: NULL", vkevd_pencil_solve(plan, a, 4, b, 3, w, NULL, 4, NULL, NULL, &error));
	SAYS(bad, "ldz: z is a, so it must be lda", vkevd_pencil_solve(plan, a, 4, b, 3, w, a, 3, NULL, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_pencil_solve_float32(plan, w32, 3, NULL, 3, w32, w32, 3, NULL, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number", vkevd_symmetric_solve(plan, a, 4, w, z, 4, NULL, NULL, &error));
	OK(vkevd_pencil_solve(plan, a, 4, b, 3, w, z, 4, NULL, NULL, &error));
	CHECK(fabs(w[0] - 2) < 1e-15 && fabs(w[1] - 3) < 1e-15 && fabs(w[2] - 4) < 1e-15 && fabs(z[8] - 2) < 1e-15);
	OK(vkevd_pencil_check(plan, a, 4, b, 3, w, z, 4, 3, NULL, &number, NULL, &error));
	SAYS(bad, "count: 4, must be 0 to 3", vkevd_pencil_check(plan, a, 4, b, 3, w, z, 4, 4, &number, NULL, NULL, &error));
	SAYS(bad, "count: -1, must be 0 to 3", vkevd_pencil_check(plan, a, 4, b, 3, w, z, 4, -1, &number, NULL, NULL, &error));
	SAYS(bad, "a: NULL", vkevd_pencil_check(plan, NULL, 4, b, 3, w, z, 4, 3, &number, NULL, NULL, &error));
	SAYS(bad, "b: NULL", vkevd_pencil_check(plan, a, 4, NULL, 3, w, z, 4, 3, &number, NULL, NULL, &error));
	SAYS(bad, "w: NULL", vkevd_pencil_check(plan, a, 4, b, 3, NULL, z, 4, 3, &number, NULL, NULL, &error));
	SAYS(bad, "z: NULL", vkevd_pencil_check(plan, a, 4, b, 3, w, NULL, 4, 3, &number, NULL, NULL, &error));

	a[6] = INFINITY; // (2, 1)
	SAYS(VKEVD_NOT_FINITE, "matrix A: element (2, 1) is +Inf; entries must be finite (indices from 0)",
	     vkevd_pencil_solve(plan, a, 4, NULL, 0, w, z, 4, NULL, NULL, &error));
	CHECK(error.row == 2 && error.column == 1);
	a[6] = 0, b[8] = NAN;
	SAYS(VKEVD_NOT_FINITE, "matrix B: element (2, 2) is NaN; entries must be finite (indices from 0)",
	     vkevd_pencil_factor(plan, b, 3, NULL, NULL, &error));
	CHECK(error.row == 2 && error.column == 2);
	for (int k = 0; k < 3; k++) { // the failed factor leaves none, and the plan serves the next pair
		b[8] = 1, b[4 * k] = -1;
		SAYS(bad, no_factor, vkevd_pencil_solve(plan, a, 4, NULL, 0, w, z, 4, NULL, NULL, &error));
		char text[100];
		sprintf(text, "B is not positive definite: its leading minor of order %d is not", k + 1);
		SAYS(VKEVD_NOT_POSITIVE, text, vkevd_pencil_factor(plan, b, 3, &number, NULL, &error));
		CHECK(error.row == k + 1 && error.column == -1);
		SAYS(VKEVD_NOT_POSITIVE, text, vkevd_pencil_solve(plan, a, 4, b, 3, w, z, 4, NULL, NULL, &error));
		CHECK(error.row == k + 1);
		b[4 * k] = 1;
	}
	OK(vkevd_pencil_factor(plan, b, 3, &number, NULL, &error));
	CHECK(fabs(number - 1) < 1e-15); // b is I now
	OK(vkevd_plan_close(plan, &error));
	OK(vkevd_pencil_plan(device, 3, NULL, &plan, &error)); // without vectors
	SAYS(bad, "plan: without vectors, which a check needs", vkevd_pencil_check(plan, a, 4, b, 3, w, z, 4, 3, &number, NULL, NULL, &error));
	OK(vkevd_plan_close(plan, &error));

	// The third function is four times the first one. Without it, A = [2 1; 1 2] and B = diag(4, 1).
	double h[9] = {2, 1, 8, 1, 2, 4, 8, 4, 32}, s[9] = {4, 0, 16, 0, 1, 0, 16, 0, 64};
	vkevd_found found;
	o = (vkevd_pencil){.overlap = VKEVD_CANONICAL, .symmetric = {.vectors = 1}};
	OK(vkevd_pencil_plan(device, 3, &o, &plan, &error));
	SAYS(bad, "found: NULL", vkevd_pencil_solve(plan, h, 3, s, 3, w, z, 3, NULL, NULL, &error));
	OK(vkevd_pencil_factor(plan, s, 3, &number, NULL, &error));
	CHECK(fabs(number - 2) < 1e-14);
	OK(vkevd_pencil_solve(plan, h, 3, NULL, 0, w, z, 3, &found, NULL, &error));
	CHECK(found.count == 2 && fabs(w[0] - (5 - sqrt(13)) / 4) < 1e-14 && fabs(w[1] - (5 + sqrt(13)) / 4) < 1e-14);
	double residual;
	OK(vkevd_pencil_check(plan, h, 3, s, 3, w, z, 3, 2, &residual, &number, NULL, &error));
	CHECK(residual < 4 && number < 4);
	SAYS(VKEVD_NOT_POSITIVE, "B is not positive semidefinite: its eigenvalues are between -1 and 1, if its diagonal is scaled to ones",
	     vkevd_pencil_factor(plan, (const double[]){-1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, NULL, NULL, &error));
	CHECK(error.row == -1);
	OK(vkevd_plan_close(plan, &error));
#undef REFUSED
}

static void tridiagonals(vkevd_device device) {
	vkevd_plan plan;
	vkevd_symmetric o;
#define REFUSED(text, ...)                                                                         \
	do {                                                                                           \
		o = (vkevd_symmetric){__VA_ARGS__};                                                        \
		SAYS(bad, text, vkevd_tridiagonal_plan(device, 3, &o, &plan, &error));                      \
		CHECK(plan == 0);                                                                          \
	} while (0)
	const char *const number = "options.number: neither VKEVD_FLOAT64 nor VKEVD_FLOAT32, the types of tridiagonal matrices";
	const char *const dense = "options: upper, a_row_major and verify are not for tridiagonal matrices";
	REFUSED(number, .number = VKEVD_MIXED, .vectors = 1);
	REFUSED(number, .number = VKEVD_COMPLEX128);
	REFUSED(number, .number = VKEVD_COMPLEX64);
	REFUSED(number, .number = -1);
	REFUSED(dense, .upper = 1);
	REFUSED(dense, .a_row_major = 1);
	REFUSED(dense, .verify = 1);
	REFUSED("options.reserved: must be 0", .reserved0 = 1);
	REFUSED("options: a member that must be 0 or 1 is neither", .vectors = 2);
	REFUSED("options: a member that must be 0 or 1 is neither", .vectors_row_major = -1);
	REFUSED("options.select: none of VKEVD_ALL, VKEVD_INDEX, VKEVD_INTERVAL", .select = 3);
	REFUSED("option Index: [1, 4) is not a range of 3 values", .select = VKEVD_INDEX, .from = 1, .to = 4);
	SAYS(bad, "order -1 is negative", vkevd_tridiagonal_plan(device, -1, NULL, &plan, &error));

	double d[3] = {1, 2, 3}, e[2] = {0}, w[3], z[9];
	float w32[3];
	o = (vkevd_symmetric){.vectors = 1};
	OK(vkevd_tridiagonal_plan(device, 3, &o, &plan, &error));
	SAYS(bad, "d: NULL", vkevd_tridiagonal_solve(plan, NULL, e, w, z, 3, NULL, NULL, &error));
	SAYS(bad, "e: NULL", vkevd_tridiagonal_solve(plan, d, NULL, w, z, 3, NULL, NULL, &error));
	SAYS(bad, "w: NULL", vkevd_tridiagonal_solve(plan, d, e, NULL, z, 3, NULL, NULL, &error));
	SAYS(bad, "z: NULL", vkevd_tridiagonal_solve(plan, d, e, w, NULL, 3, NULL, NULL, &error));
	SAYS(bad, "ldz: 2, must be at least 3", vkevd_tridiagonal_solve(plan, d, e, w, z, 2, NULL, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_tridiagonal_solve_float32(plan, w32, w32, w32, w32, 3, NULL, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number", vkevd_symmetric_solve(plan, z, 3, w, z, 3, NULL, NULL, &error));
	OK(vkevd_tridiagonal_solve(plan, d, e, w, z, 3, NULL, NULL, &error));
	CHECK(w[0] == 1 && w[1] == 2 && w[2] == 3 && z[0] == 1 && z[4] == 1 && z[8] == 1);
	e[1] = NAN;
	SAYS(VKEVD_NOT_FINITE, "element (2, 1) is NaN; entries must be finite (indices from 0)",
	     vkevd_tridiagonal_solve(plan, d, e, w, z, 3, NULL, NULL, &error));
	CHECK(error.row == 2 && error.column == 1);
	OK(vkevd_plan_close(plan, &error));
	o = (vkevd_symmetric){.select = VKEVD_INTERVAL, .up_to = 1};
	OK(vkevd_tridiagonal_plan(device, 3, &o, &plan, &error));
	SAYS(bad, "found: NULL", vkevd_tridiagonal_solve(plan, d, e, w, NULL, 0, NULL, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
#undef REFUSED
}

static void singular(vkevd_device device) {
	vkevd_plan plan;
	vkevd_svd o;
#define REFUSED(text, ...)                                                                         \
	do {                                                                                           \
		o = (vkevd_svd){__VA_ARGS__};                                                              \
		SAYS(bad, text, vkevd_svd_plan(device, 3, 2, &o, &plan, &error));                           \
		CHECK(plan == 0);                                                                          \
	} while (0)
	for (int k = 0; k < 6; k++) {
		o = (vkevd_svd){0}, o.reserved[k] = 1;
		SAYS(bad, "options.reserved: must be 0", vkevd_svd_plan(device, 3, 2, &o, &plan, &error));
	}
	const int32_t wrong[] = {-1, 2};
	for (int k = 0; k < 2; k++) {
		const char *const flag = "options: a member that must be 0 or 1 is neither";
		REFUSED(flag, .a_row_major = wrong[k]);
		REFUSED(flag, .vectors_row_major = wrong[k]);
		REFUSED(flag, .verify = wrong[k]);
		const char *const numbers = "options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128, VKEVD_COMPLEX64";
		REFUSED(numbers, .number = k ? VKEVD_MIXED : -1);
		const char *const sides = "options.u, options.v: none of VKEVD_NONE, VKEVD_THIN, VKEVD_FULL";
		REFUSED(sides, .u = k ? 3 : -1);
		REFUSED(sides, .v = k ? 3 : -1);
	}
	REFUSED("option Largest: 3 of 2 singular values", .largest = 3);
	REFUSED("option Largest: -1 of 2 singular values", .largest = -1);
	REFUSED("option Largest, Select: all vectors (Full) need all singular values", .u = VKEVD_FULL, .largest = 1);
	SAYS(bad, "order -1 is negative", vkevd_svd_plan(device, -1, 2, NULL, &plan, &error));
	SAYS(bad, "order -2 is negative", vkevd_svd_plan(device, 3, -2, NULL, &plan, &error));

	double a[8] = {2, 0, 0, 0, 0, 1, 0, 0}, s[2], u[12], v[4];
	float a32[6] = {1}, s32[2];
	o = (vkevd_svd){0};
	o.u = VKEVD_FULL, o.v = VKEVD_THIN;
	OK(vkevd_svd_plan(device, 3, 2, &o, &plan, &error));
	SAYS(bad, "a: NULL", vkevd_svd_solve(plan, NULL, 4, s, u, 4, v, 2, NULL, &error));
	SAYS(bad, "s: NULL", vkevd_svd_solve(plan, a, 4, NULL, u, 4, v, 2, NULL, &error));
	SAYS(bad, "u: NULL", vkevd_svd_solve(plan, a, 4, s, NULL, 4, v, 2, NULL, &error));
	SAYS(bad, "v: NULL", vkevd_svd_solve(plan, a, 4, s, u, 4, NULL, 2, NULL, &error));
	SAYS(bad, "lda: 2, must be at least 3", vkevd_svd_solve(plan, a, 2, s, u, 4, v, 2, NULL, &error));
	SAYS(bad, "ldu: 2, must be at least 3", vkevd_svd_solve(plan, a, 4, s, u, 2, v, 2, NULL, &error));
	SAYS(bad, "ldv: 1, must be at least 2", vkevd_svd_solve(plan, a, 4, s, u, 4, v, 1, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_svd_solve_float32(plan, a32, 3, s32, NULL, 3, NULL, 2, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_svd_solve_complex128(plan, a, 4, s, u, 4, v, 2, NULL, &error));
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_symmetric_solve(plan, a, 4, s, NULL, 3, NULL, NULL, &error));
	OK(vkevd_svd_solve(plan, a, 4, s, u, 4, v, 2, NULL, &error));
	a[4] = NAN; // (0, 1)
	SAYS(VKEVD_NOT_FINITE, "element (0, 1) is NaN; entries must be finite (indices from 0)",
	     vkevd_svd_solve(plan, a, 4, s, u, 4, v, 2, NULL, &error));
	CHECK(error.row == 0 && error.column == 1);
	OK(vkevd_plan_close(plan, &error));

	float huge[4] = {3e38f, 3e38f, 3e38f, 3e38f};
	o = (vkevd_svd){0};
	o.number = VKEVD_FLOAT32, o.a_row_major = 1;
	OK(vkevd_svd_plan(device, 2, 2, &o, &plan, &error));
	SAYS(VKEVD_OVERFLOW, "singular value 0 is beyond the largest float32, and is +Inf in the result (indices from 0)",
	     vkevd_svd_solve_float32(plan, huge, 2, s32, NULL, 0, NULL, 0, NULL, &error));
	CHECK(error.row == 0 && isinf(s32[0]));
	OK(vkevd_plan_close(plan, &error));
#undef REFUSED
}

static void batches(vkevd_device device) {
	vkevd_plan plan;
	vkevd_batch o;
	int64_t most;
	OK(vkevd_batch_order(device, &most, &error));
	CHECK(most > 100);
#define REFUSED(text, ...)                                                                         \
	do {                                                                                           \
		o = (vkevd_batch){__VA_ARGS__};                                                            \
		SAYS(bad, text, vkevd_batch_plan(device, 2, 2, &o, &plan, &error));                         \
		CHECK(plan == 0);                                                                          \
	} while (0)
	for (int k = 0; k < 6; k++) {
		o = (vkevd_batch){0}, o.reserved[k] = 1;
		SAYS(bad, "options.reserved: must be 0", vkevd_batch_plan(device, 2, 2, &o, &plan, &error));
	}
	const int32_t wrong[] = {-1, 2};
	for (int k = 0; k < 2; k++) {
		const char *const flag = "options: a member that must be 0 or 1 is neither";
		REFUSED(flag, .vectors = wrong[k]);
		REFUSED(flag, .upper = wrong[k]);
		REFUSED(flag, .a_row_major = wrong[k]);
		REFUSED("options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128, VKEVD_COMPLEX64", .number = wrong[k]);
	}
	char text[100];
	SAYS(bad, "order -1 is negative", vkevd_batch_plan(device, -1, 2, NULL, &plan, &error));
	SAYS(bad, "option count: must be at least 1", vkevd_batch_plan(device, 2, 0, NULL, &plan, &error));
	sprintf(text, "order %d is too large, at most %d", (int)most + 1, (int)most);
	SAYS(bad, text, vkevd_batch_plan(device, most + 1, 1, NULL, &plan, &error));
	SAYS(bad, "option count: must be at most 1073741823 for order 2", vkevd_batch_plan(device, 2, 1 << 30, NULL, &plan, &error));

	o = (vkevd_batch){0};
	o.vectors = 1;
	OK(vkevd_batch_plan(device, 2, 2, &o, &plan, &error));
	double one[4] = {1, 0, 0, 2}, two[4] = {3, 1, 1, 3}, w1[2], w2[2], z1[4], z2[4];
	const double *a[2] = {one, two}, *no_a[2] = {one, NULL};
	double *w[2] = {w1, w2}, *z[2] = {z1, z2}, *no_w[2] = {w1, NULL}, *no_z[2] = {z1, NULL};
	int32_t codes[2];
	int64_t n[2] = {2, 2};
	SAYS(bad, "a: NULL", vkevd_batch_solve(plan, 2, n, NULL, w, z, codes, NULL, &error));
	SAYS(bad, "w: NULL", vkevd_batch_solve(plan, 2, n, a, NULL, z, codes, NULL, &error));
	SAYS(bad, "z: NULL", vkevd_batch_solve(plan, 2, n, a, w, NULL, codes, NULL, &error));
	SAYS(bad, "a[k]: NULL", vkevd_batch_solve(plan, 2, n, no_a, w, z, codes, NULL, &error));
	SAYS(bad, "w[k]: NULL", vkevd_batch_solve(plan, 2, n, a, no_w, z, codes, NULL, &error));
	SAYS(bad, "z[k]: NULL", vkevd_batch_solve(plan, 2, n, a, w, no_z, codes, NULL, &error));
	SAYS(bad, "count: -1", vkevd_batch_solve(plan, -1, n, a, w, z, codes, NULL, &error));
	SAYS(bad, "count: 1099511627777", vkevd_batch_solve(plan, ((int64_t)1 << 40) + 1, n, a, w, z, codes, NULL, &error));
	SAYS(bad, "count: 1099511627776, for which the library needs 316659348799488 bytes of memory, which cannot be had",
	     vkevd_batch_solve(plan, (int64_t)1 << 40, n, a, w, z, codes, NULL, &error));
	n[1] = 3;
	SAYS(bad, "n[1]: 3 in a plan for 2", vkevd_batch_solve(plan, 2, n, a, w, z, codes, NULL, &error));
	n[1] = -1;
	SAYS(bad, "n[1]: -1 in a plan for 2", vkevd_batch_solve(plan, 2, n, a, w, z, codes, NULL, &error));
	n[1] = 0;
	OK(vkevd_batch_solve(plan, 2, n, no_a, no_w, no_z, codes, NULL, &error)); // no entries, so no memory
	n[1] = 2;
	OK(vkevd_batch_solve(plan, 2, n, a, w, z, codes, NULL, &error));
	OK(vkevd_batch_solve(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
	two[1] = NAN;
	SAYS(VKEVD_NOT_FINITE, "matrix 1: element (1, 0) is NaN; entries must be finite (indices from 0)",
	     vkevd_batch_solve(plan, 2, n, a, w, z, NULL, NULL, &error));
	CHECK(error.row == 1 && error.column == 0);
	OK(vkevd_batch_solve(plan, 2, n, a, w, z, codes, NULL, &error));
	CHECK(codes[0] == VKEVD_OK && codes[1] == VKEVD_NOT_FINITE);
	float a32[4] = {1}, w32[2], z32[4];
	const float *in32[1] = {a32};
	float *out32[1] = {w32}, *vectors32[1] = {z32};
	SAYS(bad, "plan: for another kind of problem or of number",
	     vkevd_batch_solve_float32(plan, 1, NULL, in32, out32, vectors32, codes, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
#undef REFUSED
}

int main(void) {
	vkevd_device device;
	vkevd_plan plan;
	vkevd_symmetric o = {0};
	o.vectors = 1;
	OK(vkevd_open(NULL, &device, &error));
	OK(vkevd_symmetric_plan(device, 3, &o, &plan, &error));
	texts();
	handles(device, plan);
	symmetric(device);
	pencils(device);
	tridiagonals(device);
	singular(device);
	batches(device);
	OK(vkevd_close(device, &error));
	double a[9] = {1}, w[3], z[9];
	SAYS(VKEVD_CLOSED, "the device is closed", vkevd_symmetric_solve(plan, a, 3, w, z, 3, NULL, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
	return 0;
}
