# The shim's C code runs under the address sanitizer, with the engine and a device. Two programs call
# it: bad_input.c, and a part of LAPACK's test program. Memory that the driver holds at the end looks
# like a leak, because only Go has the addresses. A leak of the shim has a function of the shim in
# its stack.
. "$here/functions.sh"
sanitize="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
"${CC:-cc}" -std=gnu11 $sanitize -fPIC -fvisibility=hidden -pthread -shared -Wl,-z,nodelete -o libvkevd_lapack.so \
	"$repository"/cmd/libvkevd_lapack/shim/*.c -ldl -lm
cp "$(dirname "$shim")/libvkevd_engine.so" .
"${CC:-cc}" $sanitize -o bad_input "$here/bad_input.c" "$lapack/liblapack.so.3" -lm
sanitizers="$("${CC:-cc}" -print-file-name=libasan.so) $("${CC:-cc}" -print-file-name=libubsan.so)"
export LD_LIBRARY_PATH="$lapack:$(dirname "$lapack")/blas" LSAN_OPTIONS=exitcode=0 ASAN_OPTIONS=abort_on_error=1
LD_PRELOAD="$sanitizers $PWD/libvkevd_lapack.so" VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 ./bad_input >/dev/null 2>calls ||
	{ grep -v '^vkevd: ' calls | head -n 40; exit 1; }
one_block_size "$lapack/se2.in" | sed -e '2s/^6/1/' -e '3s/^[0-9 ]*/5 /' >se2.in
preload="$sanitizers $PWD/libvkevd_lapack.so"
same se2.in "$lapack/xeigtsts"
grep -B 2 -A 20 libvkevd_lapack.so calls && exit 1
on_device calls 1150
