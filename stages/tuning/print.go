package tuning

import (
	"fmt"
	"go/format"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/vkevd/vkevd/vk"
)

// Source returns the Go file of a device whose table is t, for this package. The file changes the
// rows of the vendor's table that differ. The number of compute units and the rule for fences do
// not stand in the file, because On takes them from the device. `measured` says who measured the
// sizes, in a comment.
func (t Tuning) Source(info vk.Info, measured string) ([]byte, error) {
	f := familyOf(info)
	base := f.tables[0]
	t.Products.Units, t.Waits.WideFence = base.Products.Units, base.Waits.WideFence
	p := printer{imports: map[string]bool{"github.com/vkevd/vkevd/vk": true}}
	p.changes("t", reflect.ValueOf(base), reflect.ValueOf(t))
	name := variable(info.Name)
	return format.Source(fmt.Appendf(nil, `package tuning

import (
	"%s"
)

func init() {
	is := func(info vk.Info) bool { return info.Name == %q }
	devices = append(devices, device{%q, is, %s})
}

// %s is the table for the device %q (driver %s %s). %s.
var %s = changed(%s, func(t *Tuning) {
%s})
`, strings.Join(slices.Sorted(maps.Keys(p.imports)), "\"\n\""), info.Name, info.Family, name,
		name, info.Name, info.Driver, info.DriverVersion, measured, name, f.name, &p.rows))
}

// variable returns a name for Go from a device's name: "table" and its letters and digits.
func variable(device string) string {
	return "table" + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, device)
}

// A printer writes assignments to the rows of a table, and collects the packages of their types.
type printer struct {
	rows    strings.Builder
	imports map[string]bool
}

// changes writes an assignment for each field that differs. A struct that contains no struct and no
// list is assigned as a whole.
func (p *printer) changes(name string, from, to reflect.Value) {
	switch {
	case reflect.DeepEqual(from.Interface(), to.Interface()):
	case to.Kind() == reflect.Struct && nested(to.Type()):
		for i := range to.NumField() {
			p.changes(name+"."+to.Type().Field(i).Name, from.Field(i), to.Field(i))
		}
	default:
		fmt.Fprintf(&p.rows, "%s = %s\n", name, p.literal(to, true))
	}
}

func nested(t reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Slice
	})
}

// literal returns the value as a literal of Go. In a list, the type of the elements is left out.
func (p *printer) literal(v reflect.Value, typed bool) string {
	var parts []string
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+p.literal(v.Field(i), true))
			}
		}
		name := ""
		if typed {
			name = p.named(v.Type())
		}
		return name + "{" + strings.Join(parts, ", ") + "}"
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, p.literal(v.Index(i), false)+",\n")
		}
		return "[]" + p.named(v.Type().Elem()) + "{\n" + strings.Join(parts, "") + "}"
	}
	return fmt.Sprintf("%#v", v.Interface())
}

func (p *printer) named(t reflect.Type) string {
	if here := reflect.TypeFor[Tuning]().PkgPath(); t.PkgPath() != here && t.PkgPath() != "" {
		p.imports[t.PkgPath()] = true
	}
	return strings.TrimPrefix(t.String(), "tuning.")
}
