#!/bin/sh
# notices.sh PACKAGE prints the licences that must accompany a program or library: those of Go,
# whose runtime and standard library it contains, and of all modules that it contains. PACKAGE is
# its package, such as ./cmd/vkevd. CGO_ENABLED, GOOS and GOARCH must be those of the build.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

# licences prints all files in a folder, and in folders of licences there, whose names are those of
# licences. It fails if there are none.
licences() {
	files=$(cd "$1" && LC_ALL=C find . -maxdepth 1 -type f \
		\( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'copyright*' \) -print -o \
		-maxdepth 1 -type d \( -iname 'licen[cs]es' -o -iname '*_licen[cs]es' \) -exec find {} -type f \; | sort)
	[ -n "$files" ] || return 1
	for file in $files; do
		echo "-- ${file#./}"
		cat "$1/$file"
		echo
	done
}

echo "This software contains the following software, under these licences."
echo
echo "== Go $($go env GOVERSION)"
root=$($go env GOROOT) # some distributions store Go's licence elsewhere
for folder in "$root" /usr/share/licenses/golang /usr/share/licenses/go /usr/share/doc/golang*-go; do
	if [ -d "$folder" ] && licences "$folder"; then
		root=
		break
	fi
done
[ -z "$root" ] || { echo "notices: no licence of Go in $root" >&2; exit 1; }

modules=$($go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' "$1")
printf '%s\n' "$modules" | LC_ALL=C sort -u | while read -r module version folder; do
	[ -n "$module" ] || continue
	echo "== $module $version"
	licences "$folder" || { echo "notices: no licence of $module in $folder" >&2; exit 1; }
done
