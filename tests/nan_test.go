package tests

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestNoComparisonPassesForNaN looks at every place where a test fails: an if, or a case, whose
// body calls Error or Fatal. Comparisons with NaN are false. So `if diff > tol { t.Error() }`
// accepts NaN, which is what tests fill memory with. The test refuses such comparisons of
// floating-point numbers; `if !(diff <= tol)` is right. It follows variables and functions of type
// bool. It also refuses searches for a largest or smallest number that skip NaN.
func TestNoComparisonPassesForNaN(t *testing.T) {
	c := typedTests(t)
	seen := 0
	c.blind(func(at token.Pos, what string) {
		p := c.fset.Position(at)
		t.Errorf("%s:%d: %s", inModule(p.Filename), p.Line, what)
	}, func() { seen++ })
	if seen < 300 {
		t.Errorf("only %d comparisons of floating-point numbers looked at", seen)
	}
}

const (
	passes = "NaN passes this comparison: write !(x <= y) for x > y"
	loses  = "this loses NaN: use max or min, or add || math.IsNaN(x)"
)

// TestWhatPassesForNaN tests the rules of TestNoComparisonPassesForNaN.
func TestWhatPassesForNaN(t *testing.T) {
	want := map[string]string{
		`if x > 1 { t.Error() }`:                                                               passes,
		`if x <= 1 { t.Log(); t.Fatalf("") }`:                                                  passes,
		`if y := float32(x); n == 2 || n < 3 && y < 1 { t.Error() }`:                           passes,
		`if n > 1 {} else if v[n]-1 >= x { t.Error() }`:                                        passes,
		`if !(x <= 1 || math.Abs(x) > 2) { t.Error() }`:                                        "",
		`if !(x <= 1) || !(1 < x) || n > 2 || time.Duration(n) > 1 { t.Error() }`:              "",
		`if !!(x < 1) { t.Error() }`:                                                           passes,
		`if z > 1 { t.Error() }`:                                                               passes,
		`if x < 1 { t.Log() }; if x < 1 { n++ } else { t.Error() }`:                            "",
		`if !(x > 1) { n++ } else { t.Error() }`:                                               passes,
		`switch { case n == 1, x > 1: t.Error() }`:                                             passes,
		`switch { case n == 1, !(x <= 1): t.Error(); case n == 2: }`:                           "",
		`ok := n == 1; ok = ok && x < 1; if !ok { t.Error() }`:                                 "",
		`bad := n == 1; bad = bad || x > 1; if bad { t.Error() }`:                              passes,
		`if small(x) { t.Error() }`:                                                            passes,
		`if !small(x) { t.Error() }`:                                                           passes,
		`if x > 1 { panic(n) }`:                                                                passes,
		`_ = func() error { if x > 1 { return fmt.Errorf("") }; return nil }`:                  passes,
		`_ = func() bool { if x > 1 { return false }; return true }`:                           "",
		`if x > 1 { other(n, t) }`:                                                             passes,
		`if x > 1 { other(n, nil) }`:                                                           "",
		`if f := F(n); f > 1 { t.Error() }`:                                                    passes,
		`if f := I(n); f > 1 { t.Error() }`:                                                    "",
		`if far(x) { t.Error() }`:                                                              passes,
		`if !far(x) { t.Error() }`:                                                             "",
		`far := func(x float64) bool { return !(x < 1) }; if far(x) { t.Error() }`:             "",
		`if slices.ContainsFunc(v, far) { t.Error() }`:                                         passes,
		`if slices.ContainsFunc(v, func(x float64) bool { return x > 1 }) { t.Error() }`:       passes,
		`for _, x := range v { if x > y { y = x } }`:                                           loses,
		`for _, x := range v { if math.Abs(y) < math.Abs(x) { n, y = 1, x } }`:                 loses,
		`for _, x := range v { if x > y || math.IsNaN(x) { y = x } }`:                          "",
		`for _, x := range v { if y = max(y, x); x > 1 { n = 1 } }; if !(y < 1) { t.Error() }`: "",
	}
	c, rows := newTyped(), map[string][]string{} // by name of file: the body, and what was found
	for body := range want {
		name := fmt.Sprintf("%d_test.go", len(rows))
		c.imports(c.parse(t, name, `package a
			import ("fmt"; "math"; "slices"; "testing"; "time")
			type F float64; type I int
			func far(x float64) bool { return x > 1 }
			func small(x float64) bool { if x > 1 { return false }; if x > 0.5 { return true }; return x == 0 }
			func other(n int, t *testing.T) {}
			func TestA[T ~float32 | float64](t *testing.T, z T, n int, x, y float64, v []float64) { `+body+` }`))
		rows[name] = []string{body}
	}
	compiled := c.compiled(t)
	for _, f := range c.tests {
		c.check("a", []*ast.File{f}, compiled)
	}
	c.blind(func(at token.Pos, what string) {
		name := c.fset.Position(at).Filename
		rows[name] = append(rows[name], what)
	}, func() {})
	for _, row := range rows {
		body, found := row[0], slices.Compact(row[1:])
		if what := strings.Join(found, ", "); what != want[body] {
			t.Errorf("%s: found %q, want %q", body, what, want[body])
		}
	}
}

// blind calls `found` for each place in the test files that lets NaN pass, and `looked` for each
// comparison of floating-point numbers on which a failure depends.
func (c *typed) blind(found func(at token.Pos, what string), looked func()) {
	b := &nanBlind{c, map[types.Object][]ast.Expr{}, map[types.Object]bool{}, found, looked}
	for _, f := range c.tests {
		ast.Inspect(f, b.define)
	}
	for _, f := range c.tests {
		ast.Inspect(f, b.visit)
	}
}

type nanBlind struct {
	*typed
	is     map[types.Object][]ast.Expr // what variables and functions of type bool may be
	inside map[types.Object]bool       // those that `condition` is looking at
	found  func(at token.Pos, what string)
	looked func()
}

// define records the expressions from which the variables and functions in the node n get their
// values.
func (b *nanBlind) define(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Body != nil {
			b.record(n.Name, results(n.Body)...)
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i, at := range n.Lhs {
				b.record(at, n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i, at := range n.Names {
				b.record(at, n.Values[i])
			}
		}
	}
	return true
}

func (b *nanBlind) record(at ast.Expr, values ...ast.Expr) {
	if id, ok := at.(*ast.Ident); ok {
		object := b.info.ObjectOf(id)
		b.is[object] = append(b.is[object], values...)
	}
}

// results returns what a function with one result may return. For `if x { return false }` that is
// !x.
func results(body *ast.BlockStmt) (all []ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 1 {
				all = append(all, n.Results[0])
			}
		case *ast.IfStmt:
			for _, s := range n.Body.List {
				if r, ok := s.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
					switch types.ExprString(r.Results[0]) {
					case "true":
						all = append(all, n.Cond)
					case "false":
						all = append(all, &ast.UnaryExpr{Op: token.NOT, X: n.Cond})
					}
				}
			}
		}
		return true
	})
	return all
}

func (b *nanBlind) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if b.fails(n.Body.List) {
			b.condition(n.Cond, false)
		}
		if other, ok := n.Else.(*ast.BlockStmt); ok && b.fails(other.List) {
			b.condition(n.Cond, true)
		}
		if !strings.HasSuffix(b.fset.Position(n.Pos()).Filename, "bench_test.go") {
			b.search(n) // the fastest of several runs is not compared with anything
		}
	case *ast.SwitchStmt:
		for _, s := range n.Body.List {
			if s := s.(*ast.CaseClause); n.Tag == nil && b.fails(s.Body) {
				for _, e := range s.List {
					b.condition(e, false)
				}
			}
		}
	}
	return true
}

// fails reports whether the statements let a test fail, return an error, or call a function that is
// given the test.
func (b *nanBlind) fails(body []ast.Stmt) bool {
	return slices.ContainsFunc(body, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			return ok && (named(call, "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "panic") ||
				slices.ContainsFunc(call.Args, b.isTest))
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				call, ok := s.Results[len(s.Results)-1].(*ast.CallExpr)
				return ok && named(call, "Errorf", "New")
			}
		}
		return false
	})
}

// isTest reports whether e has the type *testing.T or testing.TB.
func (b *nanBlind) isTest(e ast.Expr) bool {
	t := b.info.TypeOf(e)
	return t != nil && (t.String() == "*testing.T" || t.String() == "testing.TB")
}

// named reports whether a call is that of a function or method with one of these names.
func named(call *ast.CallExpr, names ...string) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return slices.Contains(names, f.Name)
	case *ast.SelectorExpr:
		return slices.Contains(names, f.Sel.Name)
	}
	return false
}

// condition finds the comparisons that NaN makes false, where a test fails if e is true (or false,
// if the flag `negated` is set).
func (b *nanBlind) condition(e ast.Expr, negated bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		b.condition(e.X, negated)
	case *ast.UnaryExpr:
		b.condition(e.X, negated != (e.Op == token.NOT))
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			b.condition(e.X, negated)
			b.condition(e.Y, negated)
		}
		if b.ordered(e) {
			if b.looked(); !negated {
				b.found(e.OpPos, passes)
			}
		}
	case *ast.Ident:
		b.object(e, negated)
	case *ast.FuncLit:
		for _, r := range results(e.Body) {
			b.condition(r, negated)
		}
	case *ast.CallExpr:
		b.condition(e.Fun, negated)
		for _, argument := range e.Args {
			if t, ok := b.info.TypeOf(argument).(*types.Signature); ok && t.Results().Len() == 1 {
				b.condition(argument, negated) // as in slices.ContainsFunc
			}
		}
	}
}

// object does the work of `condition` for a variable or a function.
func (b *nanBlind) object(id *ast.Ident, negated bool) {
	object := b.info.ObjectOf(id)
	if b.inside[object] {
		return
	}
	b.inside[object] = true
	for _, value := range b.is[object] {
		b.condition(value, negated)
	}
	b.inside[object] = false
}

// ordered reports whether e is x < y, x <= y, x > y or x >= y for floating-point numbers.
func (b *nanBlind) ordered(e *ast.BinaryExpr) bool {
	switch e.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return b.float(e.X) || b.float(e.Y)
	}
	return false
}

// float reports whether e is a floating-point number and not a constant.
func (b *nanBlind) float(e ast.Expr) bool {
	t, ok := b.info.Types[e]
	return ok && t.Value == nil && isFloat(t.Type)
}

// isFloat reports whether t is a type of floating-point numbers, or a type parameter for some.
func isFloat(t types.Type) bool {
	switch t := t.(type) {
	case *types.TypeParam:
		return isFloat(t.Constraint())
	case *types.Union:
		return isFloat(t.Term(0).Type())
	}
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return t.NumEmbeddeds() > 0 && isFloat(t.EmbeddedType(0))
	case *types.Basic:
		return t.Info()&types.IsFloat != 0
	}
	return false
}

// search refuses `if x > most { most = x }`: after a NaN, `most` is not NaN.
func (b *nanBlind) search(n *ast.IfStmt) {
	var compared []*ast.BinaryExpr
	seesNaN := false
	ast.Inspect(n.Cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if b.ordered(n) {
				compared = append(compared, n)
			}
		case *ast.CallExpr:
			seesNaN = seesNaN || named(n, "IsNaN")
		}
		return true
	})
	for _, s := range n.Body.List {
		s, ok := s.(*ast.AssignStmt)
		if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) || seesNaN {
			continue
		}
		for i := range s.Lhs {
			for _, e := range compared {
				at, from, x, y := size(s.Lhs[i]), size(s.Rhs[i]), size(e.X), size(e.Y)
				if at == x && from == y || at == y && from == x {
					b.found(n.Pos(), loses)
				}
			}
		}
	}
}

// size is the text of e, or of x where e is an absolute value |x|.
func size(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok && named(call, "Abs") {
		e = call.Args[0]
	}
	return types.ExprString(e)
}
