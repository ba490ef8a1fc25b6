package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestMan checks that each command has a manual page with the usual sections.
func TestMan(t *testing.T) {
	s := newFixture(t)
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	if stdout, stderr, status := s.run("man", "--dir", "new/man1"); status != cli.StatusSuccess || stdout+stderr != "" {
		t.Fatalf("status %d, %q%q", status, stdout, stderr)
	}
	pages := 0
	for _, cmd := range s.everyCommand() {
		if cmd == "help" {
			continue // it has no page
		}
		pages++
		name := strings.Join(append([]string{"vkevd"}, strings.Fields(cmd)...), "-")
		text, err := os.ReadFile(filepath.Join("new/man1", name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range []string{
			".SH OPTIONS\n.TP\n", ".SH EXIT STATUS\n.TP\n\\fB0\\fP\nsuccess\n", ".SH ENVIRONMENT\n.TP\n\\fBVKEVD_DEVICE\\fP\n", ".SH FILES\n.TP\n", ".SH SEE ALSO\n",
			`.TH "` + strings.ToUpper(name) + `" "1" "Jan 1970"`, ".SH NAME\n" + name + " - ", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXAMPLE\n.EX\n  vkevd ",
		} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
	}
	if found, _ := filepath.Glob("new/man1/*"); len(found) != pages {
		t.Errorf("%d pages, want %d", len(found), pages)
	}
	check, _ := os.ReadFile("new/man1/vkevd-check.1")
	if !strings.Contains(string(check), "\n.EX\nresidual        ‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁)\northogonality ") {
		t.Errorf("the formulas are not kept apart:\n%s", check)
	}
	if plan, _ := os.ReadFile("new/man1/vkevd-plan.1"); !strings.Contains(string(plan), ".TP\n\\fB\\-n\\fP, \\fB\\-\\-n\\fP \\fIN\\fP\norder N of the matrix\n") ||
		!strings.Contains(string(plan), "\\fB\\-\\-verify\\fP\n") || !strings.Contains(string(plan), "\\fB\\-\\-debug\\-shaders\\fP\n") {
		t.Errorf("options are not in the usual form:\n%s", plan)
	}
	if root, _ := os.ReadFile("new/man1/vkevd.1"); !strings.Contains(string(root), "\\fBvkevd\\fP \\fICOMMAND\\fP …") {
		t.Errorf("the synopsis has no command:\n%s", root)
	}
	s.file("file", "")
	s.fails(cli.StatusInput, "file: cannot be written: not a directory", "man", "--dir", "file")
	s.fails(cli.StatusInput, "man needs --dir, the FOLDER to write into; see vkevd man --help", "man")
}

// TestManOnAFullDisk checks that no file appears if one page cannot be written. In an earlier
// version the pages before it appeared, and so did the beginning of this page.
func TestManOnAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	s := newFixture(t)
	os.Mkdir("pages", 0o700)
	os.Symlink("/dev/full", "pages/vkevd-version.1")
	s.fails(cli.StatusInput, "pages/vkevd-version.1: cannot be written: no space left on device", "man", "--dir", "pages")
	if found, _ := os.ReadDir("pages"); len(found) != 1 {
		t.Errorf("left: %v", found)
	}
}

// TestCompletion checks that each shell has a completion script, and that bash accepts the script
// for bash.
func TestCompletion(t *testing.T) {
	s := newFixture(t)
	for _, shell := range cli.Shells {
		stdout, stderr, status := s.run("completion", shell)
		if status != cli.StatusSuccess || stderr != "" || !strings.Contains(stdout, "vkevd") {
			t.Errorf("%s: status %d, %q", shell, status, stderr)
		}
		if path, err := exec.LookPath("bash"); err == nil && shell == "bash" {
			check := exec.Command(path, "-n")
			check.Stdin = strings.NewReader(stdout)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("bash -n: %v: %s", err, out)
			}
		}
	}
	s.fails(cli.StatusInput, "completion takes one SHELL of bash, zsh, fish, powershell; see vkevd completion --help", "completion", "csh")
	for line, want := range map[string]string{
		"bench sy": "sy2sb", "selftest ddrvst-0": "ddrvst-09-full", "plot ": "spectrum", "solve --device ": "Pretence 9000", "completion ": "zsh",
	} {
		words := strings.Split(line, " ")
		stdout, _, _ := s.run(append([]string{"__complete"}, words...)...)
		if !strings.Contains("\n"+stdout, "\n"+want) {
			t.Errorf("%q is not completed by %s: %q", line, want, stdout)
		}
	}
}

// TestSolverIsCompleted checks that the shell completes the values of --solver and --device, for
// the commands that have both flags.
func TestSolverIsCompleted(t *testing.T) {
	s := newFixture(t)
	for _, cmd := range []string{"solve", "plan", "selftest"} {
		for flag, want := range map[string]string{"--solver": "mrrr", "--device": "Pretence 9000"} {
			if stdout, _, _ := s.run("__complete", cmd, flag, ""); !strings.Contains("\n"+stdout, "\n"+want+"\n") || strings.Contains(stdout, "Default") {
				t.Errorf("%s %s: %q", cmd, flag, stdout)
			}
		}
	}
}
