package tuning_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestSource prints two tables by Source, compiles the two files, and compares the compiled tables
// with the printed ones. The table of an H200 takes the place of h200.go. The other table has a
// change in every kind of row.
func TestSource(t *testing.T) {
	h200 := vk.Info{Family: "nvidia", Name: "NVIDIA H200", Units: 132, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	card := vk.Info{Family: "amd", Name: `Radeon "RX 7900" (navi*/31)`, Units: 96, SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 64}
	of := tuning.On(card)
	of.Band, of.QRFirst, of.Chase.Step, of.Waits.Wavefront = 16, 1.5, 2.5e-7, true
	of.Products.Syr2k = product.Tile{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 3}
	of.Batch.Memory = append(of.Batch.Memory[:1:1], of.Batch.Memory[2])
	of.Batch.Memory[1].Conquer = true
	of.Host.LAPACK.Singular = tuning.Orders{Values: 100, Vectors: tuning.Never}

	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(path, text string) {
		t.Helper()
		there, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		here := filepath.Join(dir, filepath.Base(path))
		overlay.Replace[there] = here
		if err := os.WriteFile(here, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	infos, want := []vk.Info{h200, card}, []tuning.Tuning{tuning.On(h200), of}
	for i, file := range []string{"h200.go", "card.go"} {
		text, err := want[i].Source(infos[i], "Measured by nobody")
		if err != nil {
			t.Fatal(err)
		}
		add(file, string(text))
	}
	add("printed/main.go", `package main

import (
	"encoding/json"
	"os"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func main() {
	var info vk.Info
	for d, e := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout); d.Decode(&info) == nil; {
		e.Encode(tuning.On(info))
		e.Encode(tuning.HostOn(info))
	}
}
`)
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", "-overlay", file, "./printed")
	run.Stderr = os.Stderr
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if err := json.NewEncoder(in).Encode(info); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	d := json.NewDecoder(out)
	for i := range infos {
		var got tuning.Tuning
		var host tuning.Host
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(&host); err != nil {
			t.Fatal(err)
		}
		got.Host, got.Forecast = host, want[i].Forecast
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%s: the printed table is\n%+v\nwant\n%+v", infos[i].Name, got, want[i])
		}
	}
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
}
