package environ

import "testing"

// TestRaisedRights checks that a program with raised rights has no variables and no folders, and
// that another program has those of package os.
func TestRaisedRights(t *testing.T) {
	if raised {
		t.Skip("this test itself runs with raised rights")
	}
	t.Setenv("VKEVD_CACHE", "/tmp/x")
	t.Setenv("XDG_CACHE_HOME", "/tmp/y") // Linux
	t.Setenv("HOME", "/tmp/z")           // macOS
	check := func(want bool) {
		t.Helper()
		value, set := Lookup("VKEVD_CACHE")
		if set != want || (value != "") != want || (Get("VKEVD_CACHE") != "") != want {
			t.Errorf("raised %v: VKEVD_CACHE is %q, set %v", raised, value, set)
		}
		if _, err := UserCacheDir(); (err == nil) != want {
			t.Errorf("raised %v: cache folder: %v", raised, err)
		}
		if _, err := UserConfigDir(); (err == nil) != want {
			t.Errorf("raised %v: configuration folder: %v", raised, err)
		}
	}
	check(true)
	raised = true
	defer func() { raised = false }()
	check(false)
}
