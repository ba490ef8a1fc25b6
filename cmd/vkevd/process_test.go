package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// asProgram is an environment variable that makes the test binary run as vkevd. Tests of signals
// and exit statuses need a separate process.
const asProgram = "VKEVD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A process is the program vkevd in a process of its own, for tests of signals and exit statuses.
type process struct {
	*testing.T
	*exec.Cmd
	stdin  io.WriteCloser
	stderr *bufio.Reader
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startCommand(t, os.Args[0], args...)
}

func startCommand(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := &process{T: t, Cmd: exec.Command(name, args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	var err error
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stderr = bufio.NewReader(stderr)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(5*time.Minute, func() { p.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
	return p
}

// await reads the standard error of the process until it finds the given line.
func (p *process) await(line string) {
	p.Helper()
	for {
		got, err := p.stderr.ReadString('\n')
		if got == line+"\n" {
			return
		}
		if err != nil {
			p.Fatalf("standard error ended with %q, no line %q", got, line)
		}
	}
}

// `ends` waits until the process has ended. It checks the exit status, and that the last line of
// standard error is `words`.
func (p *process) ends(words string, status int) {
	p.Helper()
	rest, _ := io.ReadAll(p.stderr)
	p.Wait()
	if got := p.ProcessState.ExitCode(); got != status || lastLine(string(rest)) != words {
		p.Errorf("status %d, want %d; standard error ends\n%s", got, status, rest)
	}
}

// defaultInChildren gives a signal its default action in the child processes of the test. If nohup
// or a shell has made the test process ignore the signal, child processes would ignore the signal,
// too. Child processes do not inherit a handler, so the test installs one.
func defaultInChildren(t *testing.T, s os.Signal) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	t.Cleanup(func() { signal.Stop(c) })
}

func TestSignalWhileReading(t *testing.T) {
	for _, kill := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		s := newFixture(t)
		defaultInChildren(t, kill)
		p := start(t, "solve", "--verbose", "--out-vectors", "Q.npy", "--out-values", "v", "-")
		p.await("reading standard input")
		p.Process.Signal(kill)
		p.ends("vkevd: interrupted", cli.StatusNumerical)
		s.expectFiles()
	}
}

// TestIgnoredSignalStaysIgnored starts vkevd with a signal that is ignored, as a shell starts
// background jobs with SIGINT ignored. vkevd must ignore the signal, too.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	newFixture(t)
	p := startCommand(t, "sh", "-c", `trap "" INT; exec "$0" solve --verbose -`, os.Args[0])
	p.await("reading standard input")
	p.Process.Signal(syscall.SIGINT)
	p.stdin.Close() // only the end of standard input ends the process
	p.ends("vkevd: standard input: the file is empty", cli.StatusInput)
}

func TestStatusOfTheProcess(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", "")
	p := start(t, "solve", "A.mtx")
	p.ends("vkevd: A.mtx: the file is empty", cli.StatusInput)
	p = start(t, "version")
	p.ends("", cli.StatusSuccess)
}

func TestNoLoaderNoDevice(t *testing.T) {
	newFixture(t)
	t.Setenv("VK_DRIVER_FILES", "/nowhere.json") // read by the loader: the drivers that it may use
	t.Setenv("VK_ICD_FILENAMES", "/nowhere.json")
	p := start(t, "devices")
	rest, _ := io.ReadAll(p.stderr)
	p.Wait()
	line := lastLine(string(rest))
	if !strings.HasPrefix(line, "vkevd: no usable Vulkan device: ") || !strings.Contains(line, "apt install") || p.ProcessState.ExitCode() != cli.StatusDevice {
		t.Errorf("status %d, %s", p.ProcessState.ExitCode(), rest)
	}
}
