# Functions for apt, which setup.sh, glslc.sh and lavapipe.sh use. These scripts source this file.
# shellcheck shell=sh

# debian_archive prints the address of the Debian archive that this machine uses, so that this
# script names no mirror. It runs apt, because package sources have several file formats. Additional
# arguments are passed to apt-get, for example a private state folder.
debian_archive() {
	. /etc/os-release
	apt-get "$@" indextargets \
		--format '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk -F'|' -v c="${VERSION_CODENAME:-}" \
			'$1 == "Debian" && $2 == "main" && $3 == c { print $4; exit }'
}

# installed_version PACKAGE prints the version of the Debian package PACKAGE on this machine. It
# prints nothing if the package is not installed.
installed_version() {
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
		awk '$1 == "installed" { print $2; exit }'
}

# candidate_version PACKAGE [RELEASE] prints the version that apt would install. If $sources is set,
# apt uses the package sources in this folder.
candidate_version() {
	apt-cache ${sources:+-o "Dir::Etc::sourceparts=$sources"} ${2:+-t "$2"} policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}
