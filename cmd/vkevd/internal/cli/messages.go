package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/cluster"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// These are the exit statuses. The list `statuses` maps errors of the library to them. Another
// error, unless it is a statusError, is about usage or a file, and has the status StatusInput.
const (
	StatusSuccess = iota
	StatusNumerical
	StatusInput
	StatusDevice
)

var statuses = []struct {
	of     func(error) bool
	status int
}{
	{is(context.Canceled), StatusNumerical},
	{As[*evd.NoConvergenceError], StatusNumerical},
	{As[*evd.UnverifiedError], StatusNumerical},
	{As[*evd.OverflowError], StatusNumerical},
	{As[*cluster.OverflowError], StatusNumerical},
	{As[*svd.UnverifiedError], StatusNumerical},
	{As[*cluster.EngineError], StatusNumerical},
	{As[*evd.StageError], StatusDevice},
	{is(vk.ErrNoDevice), StatusDevice},
	{is(vk.ErrDeviceLost), StatusDevice},
	{As[*vk.UnsupportedError], StatusDevice},
	{As[*vk.OutOfRangeError], StatusDevice},
	{As[*vk.OutOfMemoryError], StatusDevice},
	{As[*vk.Error], StatusDevice},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func As[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// SplitOverflow returns the error of a solve as one of two errors. If `err` says that a value of
// the result overflows, it is returned as `overflow`: the command writes the result, and ends with
// this error. Any other error is returned as `other`, and there is no result.
func SplitOverflow(err error) (overflow, other error) {
	if As[*evd.OverflowError](err) || As[*cluster.OverflowError](err) {
		return err, nil
	}
	return nil, err
}

type statusError interface {
	error
	Status() int
}

func Status(err error) int {
	if own := statusError(nil); errors.As(err, &own) {
		return own.Status()
	}
	for _, s := range statuses {
		if s.of(err) {
			return s.status
		}
	}
	return StatusInput
}

func Describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := err.Error()
	if memory := (*vk.OutOfMemoryError)(nil); errors.As(err, &memory) {
		text = strings.Replace(text, memory.Error(), aboutMemory(memory), 1)
	}
	// Joined errors and file names may contain line ends. The function `Describe` replaces the line
	// ends, so that the message is one line.
	return Printable(strings.ReplaceAll(text, "\n", "; "))
}

func aboutMemory(e *vk.OutOfMemoryError) string {
	if e.Limit != 0 {
		need, limit := apart(e.Need, e.Limit)
		return fmt.Sprintf("%s needs %s of device memory, the device allows %s", e.What, need, limit)
	}
	need, free := apart(e.Need, e.Free)
	return fmt.Sprintf("%s needs %s of device memory, %s is free", e.What, need, free)
}

// apart returns two sizes as text: in units such as GiB, or in bytes if the texts would be equal.
func apart(a, b uint64) (string, string) {
	if Human(a) == Human(b) && a != b {
		return fmt.Sprintf("%d bytes", a), fmt.Sprintf("%d bytes", b)
	}
	return Human(a), Human(b)
}

func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	word := args[0]
	var names []string
	for _, c := range cmd.Commands() {
		if c.Name() == word {
			return fmt.Errorf("%s must stand before --, not after it", word)
		}
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := nearest(word, names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean %s?", word, near)
	}
	if !cmd.HasParent() && looksLikeFile(word) {
		return fmt.Errorf("unknown command %q; to solve the matrix in a file: vkevd solve %s", word, word)
	}
	if cmd.HasParent() {
		return fmt.Errorf("unknown command %q; %s has %s", word, cmd.CommandPath(), strings.Join(names, ", "))
	}
	return fmt.Errorf("unknown command %q; %s help lists them", word, cmd.Root().Name())
}

func looksLikeFile(word string) bool {
	if info, err := os.Stat(word); err == nil && !info.IsDir() {
		return true
	}
	return filepath.Ext(word) != "" || strings.ContainsRune(word, filepath.Separator)
}

// inOtherWords says how a command does what users of other programs expect of a flag. Each line has
// the name of the command, or "" for all commands, the unknown flags, and the text.
var inOtherWords = []struct{ command, flags, text string }{
	{"solve", "k n K num neigs subset_by_index which", "a part of the eigenvalues: --smallest K, --largest K or --index I:J"},
	{"solve", "o out output", "outputs: --out-values FILE and --out-vectors FILE"},
	{"solve", "eigvals-only eigvals_only jobz", "--values-only, or --out-vectors FILE"},
	{"solve", "complex hermitian", "elements in .npy, .npz or Matrix Market may be complex; no flag is needed"},
	{"solve", "S generalized M", generalized},
	{"svd", "full_matrices full-matrices", "--full"},
	{"solve", "eigenvectors", "--vectors computes them, --out-vectors FILE keeps them"},
	{"svd", "k n K num which smallest index components n_components rank", "svd computes all singular values, or the --largest K"},
	{"svd", "o output out", "outputs: --out-values FILE, --out-u FILE and --out-v FILE"},
	{"svd", "vectors out-vectors", "svd writes vectors with --out-u and --out-v"},
	{"svd", "values-only", "svd computes vectors only with --out-u or --out-v"},
	{"svd", "centre pca standardize", "principal components: --center, or --scale for columns of different units"},
	{"svd", "u U", "U: --out-u FILE"},
	{"svd", "v V", "V: --out-v FILE"},
	{"plan", "k K", "a part of the spectrum: --smallest K, --largest K or --index I:J"},
	{"plot", "out o", "flags follow the kind of picture: vkevd plot spectrum --out FILE"},
	{"", "dtype float32 single", "--precision f32"},
	{"", "gpu d", "--device NAME"},
	{"", "lower upper UPLO", "--uplo lower or --uplo upper"},
}

const generalized = "for A·x = λ·B·x: vkevd solve --b B A"

// SuggestFlag completes an error about an unknown flag: with the text of inOtherWords for this
// flag, or else with the most similar flag.
func SuggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	for _, w := range inOtherWords {
		if (w.command == "" || w.command == cmd.Name()) && slices.Contains(strings.Fields(w.flags), unknown.GetSpecifiedName()) {
			return fmt.Errorf("%w (%s)", err, w.text)
		}
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, near)
	}
	return err
}

// nearest returns the name with the smallest edit distance from a word. It returns "" if the
// distance is more than two, or at least half of the length of the word. If a name begins with the
// word, and the word has at least three letters, the distance counts as one at most.
func nearest(word string, names []string) string {
	best, least := "", min(2, (len(word)-1)/2)+1
	for _, name := range names {
		d := Distance(word, name)
		if strings.HasPrefix(name, word) && len(word) > 2 { // cut short
			d = min(d, 1)
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// Distance is the smallest number of edits that change the text `a` into the text `b` (optimal
// string alignment). An edit inserts, deletes or replaces a byte, or exchanges two neighbouring
// bytes.
func Distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

// Printable returns text that cannot control a terminal. Names and contents of files come from
// other people and may contain control sequences. The function `Printable` escapes control
// characters, format characters and bytes that are not UTF-8 as Go does, for example as \x1b.
func Printable(text string) string {
	clean := func(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }
	if strings.IndexFunc(text, func(r rune) bool { return !clean(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case clean(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf || size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

func Human(bytes uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if bytes == 1 {
		return "1 byte"
	}
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	x, unit := float64(bytes)/(1<<10), 0
	for x >= 1<<10 && unit+1 < len(units) {
		x, unit = x/(1<<10), unit+1
	}
	return fmt.Sprintf("%.1f %s", x, units[unit])
}

// Folded joins words with commas, in lines of at most `width` bytes. A word that is longer than
// `width` has a line of its own.
func Folded(words []string, width int) string {
	var b strings.Builder
	column := 0
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		switch {
		case column == 0:
		case column+1+len(w) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	return b.String()
}

func Plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", count, noun)
}

func Matrices(count int) string {
	if count == 1 {
		return "1 matrix"
	}
	return fmt.Sprintf("%d matrices", count)
}
