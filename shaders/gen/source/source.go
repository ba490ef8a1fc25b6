// Package source, internal to vkevd, reads and compiles the sources of shaders, and tells whether
// generated files are up to date. The generator and the tests of package shaders use this package.
// A folder of sources below glsl, such as glsl/chase, is called a trade.
package source

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source is one file TRADE/NAME.comp of the folder glsl.
type Source struct {
	Name      string     // name of the file, without extension
	Trade     string     // name of the file's folder, such as product or chase
	Doc       []string   // lines of the first paragraph of the file's header
	Variants  []Variant  // kernels compiled from the file, at least one
	Float64   bool       // whether the header has a line "float64 only"
	Constants []Constant // constants of the file and of included files, from #pragma host NAME...
	Typed     bool       // whether the file includes numerics.glsl and is compiled for several number types
	Half      bool       // whether the file includes storage.glsl and is also compiled for half precision
	Complex   []string   // variants that are also compiled for complex numbers: see Variant
	Headers   []string   // files that the source includes directly or indirectly, without folders
	Hash      string     // hash of Doc, of Float64, and of the code of the file and its included files
}

func (s *Source) File() string { return s.Trade + "/" + s.Name + ".comp" }

// Includes reports whether the source includes the header NAME.glsl, directly or indirectly.
func (s *Source) Includes(name string) bool { return slices.Contains(s.Headers, name+".glsl") }

// Variant is one kernel made from a source, with its preprocessor definitions. The header of the
// source declares a variant by a line
//
//	// variant: NAME DEFINE=VALUE ...
//
// A source without such lines has one variant. Its name is the name of the source. The line
//
//	// complex
//
// in the header says that all variants are also compiled for complex numbers. After a colon it may
// name the variants for which this is true.
type Variant struct {
	Name    string
	Defines []string
	Complex bool // whether this is the variant for a type of complex numbers
}

// GLSL returns the folder of the GLSL sources, which is inside the folder `dir` of package shaders.
func GLSL(dir string) string { return filepath.Join(dir, "glsl") }

type Constant struct {
	File        string // file that declares the constant, below the folder glsl
	Name, Value string // name and value in GLSL; the value is without its suffix u
}

// Number is a number type for which typed sources are compiled. A source is typed if it includes
// numerics.glsl.
type Number struct {
	Go     string // name of the Go type
	Suffix string // appended to the kernel's name; "" for float64
	Define string // preprocessor name that numerics.glsl or storage.glsl tests; "" for float64
}

// A source that includes numerics.glsl is compiled for float64 and for other number types. These are
// the other ones: `singles` for each such source, `halves` for sources that include storage.glsl, and
// `complexes` for variants that a line "// complex" names.
var (
	singles   = []Number{{"float32", "_f32", "SCALAR_F32"}}
	halves    = []Number{{"spirv.Float16", "_f16", "SCALAR_F16"}}
	complexes = []Number{{"complex128", "_c128", "SCALAR_C128"}, {"complex64", "_c64", "SCALAR_C64"}}
)

// Others returns the number types other than float64 for which a variant of the source is compiled.
// A source that is not typed has none.
func (s *Source) Others(v Variant) (all []Number) {
	if s.Typed {
		all = append(all, singles...)
	}
	if s.Half {
		all = append(all, halves...)
	}
	if slices.Contains(s.Complex, v.Name) {
		all = append(all, complexes...)
	}
	return all
}

// Complex reports whether the numbers of this type are complex.
func (n Number) Complex() bool { return slices.Contains(complexes, n) }

// For returns the variant that compiles v for the number type n.
func (v Variant) For(n Number) Variant {
	if n.Define == "" {
		return v
	}
	return Variant{v.Name + n.Suffix, append(slices.Clone(v.Defines), n.Define), n.Complex()}
}

// Compiled returns the variants whose SPIR-V is committed: the declared ones, and each of them for
// the number types of Others.
func (s *Source) Compiled() (all []Variant) {
	for _, v := range s.Variants {
		all = append(all, v)
		for _, n := range s.Others(v) {
			all = append(all, v.For(n))
		}
	}
	return all
}

// All reads all sources in the folder of package shaders, ordered by folder and name. It fails if
// two sources declare a kernel of the same name.
func All(dir string) ([]*Source, error) {
	paths, err := filepath.Glob(filepath.Join(GLSL(dir), "*", "*.comp"))
	if err != nil {
		return nil, err
	}
	var all []*Source
	owner := map[string]string{}
	for _, path := range paths {
		s, err := Read(path)
		if err != nil {
			return nil, err
		}
		for _, v := range s.Variants {
			if other, taken := owner[v.Name]; taken {
				return nil, fmt.Errorf("kernel %s is declared by %s and %s", v.Name, other, s.Name)
			}
			owner[v.Name] = s.Name
		}
		all = append(all, s)
	}
	return all, nil
}

var (
	kernelName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	defineForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(=\S*)?$`)
)

// Read reads the source .../glsl/TRADE/NAME.comp. The header of a source is the comment at the top
// of its file.
func Read(path string) (*Source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Source{
		Name:  strings.TrimSuffix(filepath.Base(path), ".comp"),
		Trade: filepath.Base(filepath.Dir(path)),
	}
	inDoc, complexLine := true, false
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
		if !ok {
			break // the header ends
		}
		comment = strings.TrimSpace(comment)
		if declared, ok := strings.CutPrefix(comment, "variant:"); ok {
			name, defines, _ := strings.Cut(strings.TrimSpace(declared), " ")
			s.Variants = append(s.Variants, Variant{Name: name, Defines: strings.Fields(defines)})
			continue
		}
		if comment == "float64 only" {
			s.Float64 = true
			continue
		}
		if names, ok := strings.CutPrefix(comment, "complex"); ok && (names == "" || names[0] == ':') {
			complexLine, s.Complex = true, strings.Fields(strings.TrimPrefix(names, ":"))
			continue
		}
		if comment == "" && len(s.Doc) == 0 {
			continue
		}
		inDoc = inDoc && comment != ""
		if inDoc {
			s.Doc = append(s.Doc, comment)
		}
	}
	if s.Variants == nil {
		s.Variants = []Variant{{Name: s.Name}}
	}
	var names []string
	for _, v := range s.Variants {
		names = append(names, v.Name)
	}
	if complexLine && len(s.Complex) == 0 {
		s.Complex = names
	}
	for _, name := range s.Complex {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%s: complex, but it has no variant %q", s.File(), name)
		}
	}
	for _, v := range s.Variants {
		if !kernelName.MatchString(v.Name) {
			return nil, fmt.Errorf("%s: %q is not a name of a kernel (lower-case letters, digits, _)", s.File(), v.Name)
		}
		for _, d := range v.Defines {
			if !defineForm.MatchString(d) {
				return nil, fmt.Errorf("%s: variant %s: %q is not of the form NAME=VALUE", s.File(), v.Name, d)
			}
		}
	}
	if err := s.visit(path); err != nil {
		return nil, err
	}
	if s.Typed && s.Float64 {
		return nil, fmt.Errorf("%s: float64 only, but it includes %s", s.File(), numerics)
	}
	if complexLine && !s.Typed {
		return nil, fmt.Errorf("%s: complex, but it does not include %s", s.File(), numerics)
	}
	return s, nil
}

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+"([^"]+)"`)

var hostPragma = regexp.MustCompile(`(?m)^#pragma host (.*)$`)

// constants returns the constants that a file lists in lines "#pragma host NAME...". The code of
// the file must declare each constant as NAME = VALUE, with a decimal or hexadecimal value.
// Comments do not count.
func constants(file string, text []byte) (all []Constant, err error) {
	for _, m := range hostPragma.FindAllSubmatch(text, -1) {
		for _, name := range strings.Fields(string(m[1])) {
			value := regexp.MustCompile(`\b` + name + ` = ([0-9]+|0x[0-9a-f]+)u?[,;]`).FindSubmatch(text)
			if value == nil {
				return nil, fmt.Errorf("#pragma host %s: the file declares no constant of that name and a number", name)
			}
			all = append(all, Constant{file, name, string(value[1])})
		}
	}
	return all, nil
}

const (
	numerics = "numerics.glsl" // selects the number type of a kernel (Source.Typed)
	storage  = "storage.glsl"  // takes its place in kernels that may store half precision (Source.Half)
)

// visit sets the fields of the source that depend on the files that it includes directly or
// indirectly. An included file also counts if the preprocessor would skip its #include.
func (s *Source) visit(path string) error {
	h := sha256.New()
	fmt.Fprintf(h, "%t %q\n", s.Float64, s.Doc)
	seen := map[string]bool{}
	root := filepath.Dir(filepath.Dir(path))
	var visit func(path string) error
	visit = func(path string) error {
		if seen[path] {
			return nil
		}
		seen[path] = true
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.Typed = s.Typed || filepath.Base(path) == numerics
		s.Half = s.Half || filepath.Base(path) == storage
		if filepath.Ext(path) == ".glsl" {
			s.Headers = append(s.Headers, filepath.Base(path))
		}
		rel, _ := filepath.Rel(root, path)
		text = uncommented(text)
		rel = filepath.ToSlash(rel)
		fmt.Fprintf(h, "%s %d\n%s", rel, len(text), text)
		shared, err := constants(rel, text)
		if err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		s.Constants = append(s.Constants, shared...)
		for _, m := range include.FindAllSubmatch(text, -1) {
			next, err := find(string(m[1]), filepath.Dir(path), root, filepath.Join(root, "common"))
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := visit(next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(path); err != nil {
		return err
	}
	s.Hash = fmt.Sprintf("%x", h.Sum(nil))
	return nil
}

// uncommented removes comments that begin with //, blank lines, and white space at the ends of
// lines. None of them affects the SPIR-V, because the SPIR-V has no line numbers.
func uncommented(text []byte) []byte {
	var code []byte
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 0 {
			code = append(append(code, line...), '\n')
		}
	}
	return code
}

// find returns the path of an included file. Like the compiler with the options of tools/glslc.sh,
// it searches the includer's folder first, then glsl, then glsl/common.
func find(name string, dirs ...string) (string, error) {
	for _, dir := range dirs {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("included %q not found", name)
}

// Camel turns snake_case into CamelCase. A capital letter in `name` stays a capital letter.
func Camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
