package main

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// A planner is a fake machine whose forecasts of memory come from the library.
type planner struct{ *fakeMachine }

func (planner) Forecast(on machine.Absent, t machine.Task) (machine.Planned, *vk.OutOfMemoryError, error) {
	return machine.Vulkan{}.Forecast(on, t)
}

func runOn(t *testing.T, info vk.Info, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs lockedBuffer
	status = run(context.Background(), args, nil, &out, &errs, cli.Environment{
		Lookup:    func(string) (string, bool) { return "", false },
		CacheDir:  func() (string, error) { return "/home/me/.cache", nil },
		ConfigDir: func() (string, error) { return t.TempDir(), nil },
		Machine:   planner{&fakeMachine{info: info}},
	})
	return out.String(), errs.String(), status
}

// TestDoctorAndPlanAgree checks that doctor and plan agree, for random sizes of the memory and of
// the largest buffer. The command plan must accept the largest order that doctor names, a multiple
// of 100, and refuse the next multiple. For a refused order, plan prints the reason and has exit
// status 3.
func TestDoctorAndPlanAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		free := uint64(1+rng.IntN(64)) << 28
		info := vk.Info{
			Name: "dry", Family: []string{"amd", "other"}[rng.IntN(2)], SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 32,
			Memory: 2 * free, Free: free, MaxBuffer: free >> rng.IntN(4), MaxAllocation: 1<<32 - 4,
		}
		for _, vectors := range []bool{false, true} {
			fits := func(n int) (bool, error) {
				f, unfit, err := machine.Vulkan{}.Forecast(machine.Absent{Info: info}, machine.Task{N: n, Evd: evd.Options{Vectors: vectors}})
				if unfit != nil || err != nil {
					return false, err
				}
				if f.Bytes() > free {
					t.Errorf("n = %d: a plan of %d bytes, %d are free", n, f.Bytes(), free)
				}
				return true, nil
			}
			n, err := doctor.LargestOrder(fits)
			if err != nil || n < 1000 {
				t.Fatalf("%+v: n = %d, %v", info, n, err)
			}
			for order, want := range map[int]int{n: cli.StatusSuccess, n + 100: cli.StatusDevice} {
				args := []string{"plan", "-n", strconv.Itoa(order)}
				if !vectors {
					args = append(args, "--values-only")
				}
				if stdout, stderr, status := runOn(t, info, args...); status != want || stdout == "" {
					t.Errorf("%+v, n = %d, vectors %v: status %d, %q", info, order, vectors, status, stderr)
				}
			}
		}
	}
}

// TestBuffersDoNotLimitTheOrder checks that the largest order depends on the memory only, and not
// on the largest buffer. The devices have 24 GB, and buffers of 2 GiB, of nearly 4 GiB or of any
// size. The command plan prints which regions lie in several buffers.
func TestBuffersDoNotLimitTheOrder(t *testing.T) {
	const memory, free = 24e9, 23e9
	for _, family := range []string{"amd", "other"} {
		for _, vectors := range []bool{false, true} {
			want := 0
			for _, buffer := range []uint64{0, 2 << 30, 4<<30 - 4} {
				info := vk.Info{
					Name: "dry", Family: family, SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 32,
					Memory: memory, Free: free, MaxBuffer: buffer, MaxAllocation: buffer,
				}
				n, err := doctor.LargestOrder(func(n int) (bool, error) {
					_, unfit, err := machine.Vulkan{}.Forecast(machine.Absent{Info: info}, machine.Task{N: n, Evd: evd.Options{Vectors: vectors}})
					return unfit == nil, err
				})
				if err != nil || n < 29000 {
					t.Fatalf("%+v: n = %d, %v", info, n, err)
				}
				if want == 0 {
					want = n
				}
				if n != want {
					t.Errorf("%s, vectors %v, buffers of %d bytes: n = %d, without a limit %d", family, vectors, buffer, n, want)
				}
				args := []string{"plan", "--verbose", "-n", strconv.Itoa(n)}
				if !vectors {
					args = append(args, "--values-only")
				}
				stdout, stderr, status := runOn(t, info, args...)
				several := buffer != 0 || family == "amd" // vk limits buffers on AMD's GPUs
				if status != cli.StatusSuccess || strings.Contains(stdout, "in several buffers") != several {
					t.Errorf("%+v, n = %d: status %d, %q\n%s", info, n, status, stderr, stdout)
				}
			}
		}
	}
}
