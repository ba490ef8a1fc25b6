#!/bin/sh
# picked.sh WORD PACKAGE... prints a pattern for go test -run that matches some tests of the
# packages: with the word Long all tests that call when.Long, themselves or in a subtest; with
# another word those that call when.Pick with this word. See package internal/when.
set -eu
word=$1
shift
case $word in
Long) call='when[.]Long[(]' ;;
*) call="when[.]Pick[(].*[.]$word" ;;
esac
for package; do
	case $package in
	*/...) find "${package%/...}" -name '*_test.go' ;;
	*) ls "$package"/*_test.go ;;
	esac
done | xargs awk -v call="$call" '
	/^func / { name = $2; sub(/[(].*/, "", name) }
	$0 ~ call { if (!seen[name]++) pattern = pattern "|" name }
	END { if (pattern == "") exit 1; print "^(" substr(pattern, 2) ")$" }'
