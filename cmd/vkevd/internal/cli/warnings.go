package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// A warnings prints what the library logs, as lines for people: "warning: what: detail". It prints
// no time, because the other lines on standard error have none.
type warnings struct {
	w     io.Writer
	attrs []slog.Attr
}

func (l warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l warnings) Handle(_ context.Context, r slog.Record) error {
	line := strings.ToLower(r.Level.String()) + ": " + r.Message
	if r.Level == slog.LevelWarn {
		line = "warning: " + r.Message
	}
	add := func(a slog.Attr) bool {
		if a.Key == "error" {
			line += fmt.Sprintf(": %v", a.Value)
		} else {
			line += fmt.Sprintf(" (%s: %v)", a.Key, a.Value)
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	_, err := fmt.Fprintln(l.w, Printable(strings.ReplaceAll(line, "\n", "; ")))
	return err
}

func (l warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{l.w, append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)}
}

// WithGroup ignores the name of the group, because the library uses no groups.
func (l warnings) WithGroup(string) slog.Handler { return l }
