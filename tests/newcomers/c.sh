# A user with a C program installs the library, and compiles the calls in the README.
DESTDIR=$PWD/root PREFIX= "$REPOSITORY/tools/install-lib.sh"
for named in 'Go go1' github.com/goki/vulkan gonum.org/v1/gonum; do
	grep "^== $named" root/share/doc/vkevd/NOTICES.txt
done
readelf -d root/lib/libvkevd.so.0 | grep BIND_NOW
{
	cat <<'END'
#include <stdio.h>
#include <vkevd.h>
int main(void) {
double a[4] = {2, 1, 1, 2}, w[2], z[4];
int64_t n = 2; vkevd_device device; vkevd_plan plan; vkevd_error error;
END
	awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$REPOSITORY/README.md"
	cat <<'END'
printf("%.12f %.12f\n", w[0], w[1]);
return 0; }
END
} >program.c
grep -q '^Libs: .*-lvkevd$' root/lib/pkgconfig/vkevd.pc
cc -std=c99 -Wall -Wextra -pedantic -Werror program.c -o program -I"$PWD/root/include" -L"$PWD/root/lib" -lvkevd
[ "$(LD_LIBRARY_PATH=$PWD/root/lib ./program)" = "1.000000000000 3.000000000000" ]
