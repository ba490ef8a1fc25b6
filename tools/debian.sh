# What setup.sh and glslc.sh both ask of apt. They source this file.
# shellcheck shell=sh

# debian_archive prints the address of the Debian archive that this machine uses, so that no mirror
# is named here. It asks apt, because source files have several formats. Extra arguments go to
# apt-get, for instance a private state folder.
debian_archive() {
	. /etc/os-release
	apt-get "$@" indextargets \
		--format '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk -F'|' -v c="${VERSION_CODENAME:-}" \
			'$1 == "Debian" && $2 == "main" && $3 == c { print $4; exit }'
}

# installed_version PACKAGE prints the version, or nothing if the package is not installed.
installed_version() {
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
		awk '$1 == "installed" { print $2; exit }'
}

# candidate_version PACKAGE [RELEASE] prints the version apt would install, from the sources in the
# folder $sources if that is set.
candidate_version() {
	apt-cache ${sources:+-o "Dir::Etc::sourceparts=$sources"} ${2:+-t "$2"} policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}
