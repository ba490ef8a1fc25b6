package tests

import (
	"regexp"
	"strings"
	"testing"
)

// TestContainerfile checks what the image must have, as far as this needs no container: base images
// with the tag of a release, a user of its own, and a volume for the cache that the program uses.
func TestContainerfile(t *testing.T) {
	text := strings.ReplaceAll(read(t, "Containerfile"), "\\\n", " ")
	release := regexp.MustCompile(`^FROM docker\.io/library/[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)?( AS [a-z]+)?$`)
	last := map[string]string{} // by instruction, in the last stage
	images := 0
	for _, line := range strings.Split(text, "\n") {
		name, rest, _ := strings.Cut(line, " ")
		if name == "FROM" {
			if images++; !release.MatchString(line) {
				t.Errorf("%q does not name a release", line)
			}
			last = map[string]string{}
		}
		last[name] += " " + rest + " "
	}
	if images != 2 {
		t.Errorf("%d base images", images)
	}
	if user := strings.TrimSpace(last["USER"]); user != "vkevd" || !strings.Contains(last["RUN"], "useradd") {
		t.Errorf("the program runs as %q", user)
	}
	volume := strings.TrimSpace(last["VOLUME"])
	if volume == "" || !strings.Contains(last["ENV"], " VKEVD_CACHE="+volume+" ") || !strings.Contains(last["RUN"], "install -d -m 1777 "+volume+" ") {
		t.Errorf("the volume %q is not the cache, or the user cannot write to it", volume)
	}
}
