package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// deviceName matches names of devices, and of the driver whose device is the CPU.
var deviceName = regexp.MustCompile(`(?i)h100|h200|\ba100\b|\bl40s?\b|rtx|geforce|radeon|instinct|\bmi[0-9]{3}|llvmpipe|lavapipe`)

// knowDevices are the folders and files that may compare names of devices. The sizes that were
// measured for devices are in stages/tuning. Package roomtest is for tests. Package vk refuses an
// old version of the driver llvmpipe, in which loops end early.
var knowDevices = []string{"stages/tuning/", "stages/roomtest/", "vk/device_examine.go"}

// TestOnlyTuningKnowsDevices searches the code for names of devices: identifiers, and strings
// without spaces. Comments and texts for users may say on which device something was measured.
func TestOnlyTuningKnowsDevices(t *testing.T) {
	found := map[string]bool{}
	eachGoFile(t, func(path string) {
		where := filepath.ToSlash(inModule(path))
		if strings.HasSuffix(where, "_test.go") || strings.HasPrefix(where, "shaders/") {
			return
		}
		file := token.NewFileSet()
		f, err := parser.ParseFile(file, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			word := ""
			switch n := n.(type) {
			case *ast.Ident:
				word = n.Name
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && !strings.Contains(text, " ") {
					word = text
				}
			}
			if !deviceName.MatchString(word) {
				return true
			}
			for _, place := range knowDevices {
				if strings.HasPrefix(where, place) {
					found[place] = true
					return true
				}
			}
			t.Errorf("%s: %q is the name of a device, whose numbers stand in stages/tuning", file.Position(n.Pos()), word)
			return true
		})
	})
	for _, place := range knowDevices {
		if !found[place] {
			t.Errorf("%s names no device", place)
		}
	}
}
