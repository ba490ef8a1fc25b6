package source

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Root returns the folder of the module that contains the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("not inside a Go module")
		}
	}
	return "", err
}

// glslc runs tools/glslc.sh and returns its output. If the script fails, the error contains what it
// wrote to standard error.
func glslc(root string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(root, "tools", "glslc.sh"), args...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("glslc.sh %s: %w\n%s", strings.Join(args, " "), err, complaint.Bytes())
	}
	return strings.TrimSpace(out.String()), nil
}

// Compiler returns the names and versions of the pinned compiler and tools.
func Compiler(root string) (string, error) { return glslc(root, "--version") }

// CompilerAvailable reports whether the pinned compiler is installed, so that no network is needed.
func CompilerAvailable(root string) bool {
	_, err := glslc(root, "--available")
	return err == nil
}

// Validate runs the pinned spirv-val on a SPIR-V file.
func Validate(root, file string) error {
	_, err := glslc(root, "--val", file)
	return err
}

// Compile compiles one variant and returns its SPIR-V in the form that is committed: the functions
// spirv.SharedAtBarriers and spirv.NoContraction have rewritten the compiler's output. Compile
// fails if the variant is for complex numbers and spirv.CheckComplex refuses its code.
func Compile(root string, s *Source, v Variant) ([]byte, error) {
	dir, err := os.MkdirTemp("", "vkevd-shader")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, v.Name+".spv")
	in := filepath.Join(GLSL(filepath.Join(root, "shaders")), filepath.FromSlash(s.File()))
	args := append([]string{in, out}, v.Defines...)
	if _, err := glslc(root, args...); err != nil {
		return nil, err
	}
	code, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	if v.Complex {
		if err := spirv.CheckComplex(code); err != nil {
			return nil, err
		}
	}
	if code, err = spirv.SharedAtBarriers(code); err != nil {
		return nil, err
	}
	return spirv.NoContraction(code)
}
