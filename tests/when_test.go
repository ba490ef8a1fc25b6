package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestTestsSayFirstWhenTheyRun checks that the calls of package internal/when come before
// everything else in a test or a subtest, so that a test which is left out costs nothing. Before
// them may stand only a condition. They stand in functions whose names begin with Test, because
// tools/picked.sh reads these names.
func TestTestsSayFirstWhenTheyRun(t *testing.T) {
	calls := 0
	eachGoFile(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") || strings.HasPrefix(inModule(path), "internal/when/") {
			return
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, isFunc := d.(*ast.FuncDecl)
			if !isFunc || fn.Body == nil {
				continue
			}
			all := whenCalls(fn.Body)
			calls += all
			first := 0
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if lit, ok := n.(*ast.FuncLit); ok {
					first += leading(lit.Body.List)
				}
				return true
			})
			if first += leading(fn.Body.List); first != all {
				t.Errorf("%v: a call of package when does not come first in its test", set.Position(fn.Pos()))
			}
			if all > 0 && !strings.HasPrefix(fn.Name.Name, "Test") {
				t.Errorf("%v: %s calls package when and is no test", set.Position(fn.Pos()), fn.Name.Name)
			}
		}
	})
	if calls < 200 {
		t.Errorf("only %d calls seen", calls)
	}
}

// leading counts the calls of package when at the beginning of a list of statements, alone or in a
// condition.
func leading(list []ast.Stmt) (calls int) {
	for _, s := range list {
		if c, isIf := s.(*ast.IfStmt); isIf && c.Else == nil && leading(c.Body.List) == len(c.Body.List) {
			calls += len(c.Body.List)
		} else if e, isCall := s.(*ast.ExprStmt); isCall && ofWhen(e.X) {
			calls++
		} else {
			break
		}
	}
	return calls
}

func whenCalls(body ast.Node) (calls int) {
	ast.Inspect(body, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && ofWhen(e) {
			calls++
		}
		return true
	})
	return calls
}

func ofWhen(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "when"
}
