package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/bench"
)

// A JsonOutput is the flag --json FILE of the commands that print one table. The command writes the
// content of the table as JSON to FILE. With --json - the command prints JSON instead of the table.
type JsonOutput struct {
	Path  string
	Cmd   *cobra.Command
	files *Outputs
}

func JsonFlag(cmd *cobra.Command, what string) *JsonOutput {
	j := &JsonOutput{Cmd: cmd}
	cmd.Flags().StringVar(&j.Path, "json", "", "write "+what+" to `FILE` as JSON; - prints JSON\nin place of the table")
	return j
}

// Open opens the file, or returns an error if the file is one of the inputs. The caller must close
// the JsonOutput.
func (j *JsonOutput) Open(stdout io.Writer, inputs ...string) (err error) {
	for _, input := range inputs {
		if j.Path != "" && j.Path != StreamWord && SameFile(input, j.Path) {
			return fmt.Errorf("%s: would overwrite an input", j.Path)
		}
	}
	j.files, err = CreateOutputs(j.Cmd.Context(), stdout, nil, j.Path)
	return err
}

func (j *JsonOutput) Instead() bool { return j.Path == StreamWord }

// Show prints the table by the function `print`, or JSON in its place, and writes the file.
func (j *JsonOutput) Show(ctx context.Context, stdout io.Writer, value any, print func(io.Writer) error) error {
	if !j.Instead() {
		if err := print(stdout); err != nil {
			return CannotWrite("standard output", err)
		}
	}
	return j.Write(ctx, value)
}

func (j *JsonOutput) Write(ctx context.Context, value any) error {
	err := j.files.Write(ctx, j.Path, func(w io.Writer) error { return WriteJSON(w, value) })
	if err != nil {
		return err
	}
	return j.files.Commit()
}

func (j *JsonOutput) Close() {
	if j.files != nil {
		j.files.Abort()
	}
}

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

// Finite returns a copy of a value for encoding/json, in which numbers that are not finite are nil.
// A struct becomes a map with the names that encoding/json would use. As in encoding/json, a field
// hides the fields of the same name in embedded structs.
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

func RowsFlag(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().StringVar(path, "json", "", "append "+what+
		" to `FILE`, one JSON object per\n"+
		"line; - prints them to standard output, and the table only to a terminal")
}

// A RowFile collects the rows of many runs in one file. Each row is appended as soon as it is
// measured, so that an interruption loses no row.
type RowFile struct {
	path string
	w    io.Writer // nil if no rows are wanted
	file *os.File  // nil for standard output

	Keep func(bench.Row)
}

func openRows(path string, stdout io.Writer) (*RowFile, error) {
	r := &RowFile{path: path}
	switch path {
	case "":
		return r, nil
	case StreamWord:
		r.w = stdout
		return r, nil
	}
	var err error
	if r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, CannotWrite(path, err)
	}
	r.w = r.file
	return r, nil
}

// Table returns the writer for the readable table, which is standard output. If `--json -` sends
// the JSON there, the table goes to standard error if that is a terminal, and otherwise nowhere.
func (r *RowFile) Table(s *Session) io.Writer {
	if r.path == StreamWord {
		return s.AtTerminal()
	}
	return s.Stdout
}

// AtTerminal is standard error if it is a terminal. Otherwise it discards everything.
func (s *Session) AtTerminal() io.Writer {
	if s.Terminal || s.Dumb {
		return s.Stderr
	}
	return io.Discard
}

func (r *RowFile) Add(row any) error {
	if b, ok := row.(bench.Row); ok && r.Keep != nil {
		r.Keep(b)
	}
	if r.w == nil {
		return nil
	}
	return CannotWrite(outputName(r.path), encodeJSON(r.w, row, ""))
}

func (r *RowFile) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// Measuring calls the function `work`, which appends measured rows to the file `path` and reports
// its progress.
func Measuring(ctx context.Context, s *Session, v Verbosity, path string, work func(ctx context.Context, rows *RowFile, show *Progress) error) error {
	rows, err := UnlessDone(ctx, func() (*RowFile, error) { return openRows(path, s.Stdout) }) // a pipe without a reader waits
	if err != nil {
		return err
	}
	defer rows.close()
	_, show := s.Feedback(v)
	defer show.finish()
	return UntilDone(ctx, func() error { return work(ctx, rows, show) })
}
