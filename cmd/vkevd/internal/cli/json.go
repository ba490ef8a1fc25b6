package cli

import (
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strings"
)

func WriteJSON(w io.Writer, value any) error {
	return encodeJSON(w, value, "  ")
}

// encodeJSON writes a value as JSON and ends the line. JSON has no numbers that are not finite, so
// they become null. In a value with such a number, the members of all objects are in the order of
// their names.
func encodeJSON(w io.Writer, value any, indent string) error {
	if _, err := json.Marshal(value); As[*json.UnsupportedValueError](err) {
		value = Finite(reflect.ValueOf(value))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", indent)
	return e.Encode(value)
}

// Finite returns a copy of a value for encoding/json, in which numbers that are not finite are nil. A
// struct becomes a map with the names that encoding/json would use. As there, a field hides the
// fields of the same name in embedded structs.
func Finite(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.CanInterface() {
		if m, own := v.Interface().(json.Marshaler); own && !(v.Kind() == reflect.Pointer && v.IsNil()) {
			return m
		}
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case reflect.Pointer, reflect.Interface:
		return Finite(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = Finite(v.Index(i))
		}
		return list
	case reflect.Map:
		object := map[string]any{}
		for _, key := range v.MapKeys() {
			object[key.String()] = Finite(v.MapIndex(key))
		}
		return object
	case reflect.Struct:
		object := map[string]any{}
		addMembers(object, v)
		return object
	}
	return v.Interface()
}

// addMembers adds the exported fields of a struct to an object: first those of embedded structs, so
// that fields of the struct itself replace them.
func addMembers(object map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		if f.Kind() == reflect.Pointer && field.Anonymous {
			f = f.Elem()
		}
		if field.Anonymous && field.Tag.Get("json") == "" && f.Kind() == reflect.Struct {
			addMembers(object, f)
		}
	}
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" || field.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		if isEmptyList := (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0; options == "omitempty" && (f.IsZero() || isEmptyList) {
			delete(object, name) // of an embedded struct
			continue
		}
		object[name] = Finite(f)
	}
}
