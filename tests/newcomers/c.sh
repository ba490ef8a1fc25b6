# A user with a C program installs the library, and compiles examples/c.
DESTDIR=$PWD/root PREFIX= "$REPOSITORY/tools/install-lib.sh" | tee said.txt
for named in 'Go go1' github.com/goki/vulkan gonum.org/v1/gonum; do
	grep "^== $named" root/share/doc/vkevd/NOTICES.txt
done
readelf -d root/lib/libvkevd.so.0 | grep BIND_NOW
grep -q '^Libs: .*-lvkevd$' root/lib/pkgconfig/vkevd.pc
cc -std=c99 -Wall -Wextra -pedantic -Werror "$REPOSITORY/examples/c/eigen.c" -o eigen -I"$PWD/root/include" -L"$PWD/root/lib" -lvkevd -lm
LD_LIBRARY_PATH=$PWD/root/lib ./eigen 200 # its exit status says whether the result is right
grep -q 'export LD_LIBRARY_PATH=/lib' said.txt
