package tuning

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestTridiagonalisationTimes prints the times of reductions in one stage, for tuning. The variable
// VKEVD_ONE_STAGE is the name of a file. Each line of the file has a number type, an order, a
// number of runs, and fields of TridiagonalisationTuning as JSON, which replace those of the
// device's table, for example complex128 2048 5 {}. All runs of a line must give the same bits.
func TestTridiagonalisationTimes(t *testing.T) {
	name := os.Getenv("VKEVD_ONE_STAGE")
	if name == "" {
		t.Skip("set VKEVD_ONE_STAGE")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Kernels: true, Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	waiting := stages.Waiting{Allowed: true, WideFence: !dev.Info().FenceChains()}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(fields) != 4 {
			t.Fatalf("%q: want a number type, an order, a number of runs and JSON", line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		count, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		switch fields[0] {
		case "float64":
			timeTridiagonalisation(t, dev, n, count, waiting, stagetest.Symmetric(n), fields[3])
		case "complex128":
			timeTridiagonalisation(t, dev, n, count, waiting, hermitian(n), fields[3])
		case "complex64":
			timeTridiagonalisation(t, dev, n, count, waiting, stagetest.ComplexOf[complex64](hermitian(n)), fields[3])
		default:
			t.Fatalf("%s: no number type with a reduction in one stage", fields[0])
		}
	}
	found, err := dev.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range found {
		if strings.Contains(k.Kernel, "trd") {
			t.Logf("%s: %v", k.Kernel, k.List)
		}
	}
}

func hermitian(n int) []complex128 {
	random := rand.New(rand.NewPCG(uint64(n), 35))
	a := make([]complex128, n*n)
	for j := range n {
		a[j+j*n] = complex(random.NormFloat64(), 0)
		for i := j + 1; i < n; i++ {
			a[i+j*n] = stagetest.RandomComplex(random)
			a[j+i*n] = cmplx.Conj(a[i+j*n])
		}
	}
	return a
}

// timeTridiagonalisation reduces the same matrix several times and prints the shortest and the
// longest time, and the kernels of the shortest run.
func timeTridiagonalisation[T spirv.Scalar](
	t *testing.T, dev *vk.Device, n, count int, w stages.Waiting, dense []T, change string,
) {
	label, tune := string(spirv.KindOf[T]())+" "+change, For[T](dev.Info())
	if err := json.Unmarshal([]byte(change), &tune.Sytrd); err != nil {
		t.Fatal(err)
	}
	if err := reduce.Fits[T](tune.Sytrd, dev.Info(), n); err != nil {
		t.Logf("%d %s: %v", n, label, err)
		return
	}
	ops, err := product.New[T](dev, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reduce.NewTridiagonalisation(dev, n, ops, w, tune.Sytrd)
	if err != nil {
		t.Fatal(err)
	}
	a, bb, tt := vk.Reserve[T]("A", n*n), vk.Reserve[T]("B", 2*n), vk.Reserve[T]("tau", n-1)
	ws, err := dev.NewArena(vk.Together(a, bb, tt, s.Work(), s.Status(), ops.Work()))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	var best, worst float64
	line, bits := "", uint64(0)
	began := time.Now()
	for round := range count + 1 { // the first run warms the device up
		stagetest.Put(t, dev, a.In(ws), dense)
		rec := vk.NewRecorder(dev)
		s.Record(rec, ws, product.NewMatrix(a.In(ws), n, n, n), bb.In(ws), tt.In(ws))
		profile := stagetest.Run(t, dev, rec)
		if info := stagetest.Get(t, dev, s.Info(ws))[0]; info != 0 {
			t.Errorf("%d %s: INFO = %d", n, label, info)
			return
		}
		hash := fnv.New64()
		var raw bytes.Buffer
		binary.Write(&raw, binary.LittleEndian, append(stagetest.Get(t, dev, bb.In(ws)), stagetest.Get(t, dev, tt.In(ws))...))
		hash.Write(raw.Bytes())
		if round == 0 {
			bits = hash.Sum64()
			continue
		}
		if hash.Sum64() != bits {
			t.Errorf("%d %s: run %d has other bits", n, label, round)
		}
		total, parts := profile.Total(), strings.Builder{}
		for _, k := range profile.Kernels {
			fmt.Fprintf(&parts, " %s %.3f (%d)", k.Name, 1e3*k.Seconds, k.Count)
		}
		if best == 0 || total < best {
			best, line = total, parts.String()
		}
		worst = max(worst, total)
	}
	t.Logf("%d %s: %.3f to %.3f ms:%s (%.1f s)", n, label, 1e3*best, 1e3*worst, line, time.Since(began).Seconds())
}
