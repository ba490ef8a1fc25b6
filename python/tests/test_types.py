"""The file __init__.pyi, which has the types of the public names."""

import ast
import inspect
import pathlib

from common import Case, unittest, vkevd

STUBS = pathlib.Path(vkevd.__file__).with_name("__init__.pyi")


def arguments(function):
    """The names, kinds and defaults of a function's arguments, as text."""
    return [(p.name, str(p.kind), "" if p.default is p.empty else repr(p.default)) for p in inspect.signature(function).parameters.values()]


def declared(node):
    """The same of a function that the file declares. The names of a constant are its text."""
    spec, all = node.args, []
    positional = spec.posonlyargs + spec.args
    defaults = [None] * (len(positional) - len(spec.defaults)) + spec.defaults
    for group, values, kind in ((positional, defaults, inspect.Parameter.POSITIONAL_OR_KEYWORD), (spec.kwonlyargs, spec.kw_defaults, inspect.Parameter.KEYWORD_ONLY)):
        all += [(a.arg, str(kind), "" if value is None else repr(ast.literal_eval(value))) for a, value in zip(group, values)]
    if spec.kwarg:
        all.append((spec.kwarg.arg, str(inspect.Parameter.VAR_KEYWORD), ""))
    return all


class Types(Case):
    def test_marker(self):
        self.assertTrue(STUBS.with_name("py.typed").exists())

    def test_names(self):
        body = ast.parse(STUBS.read_text()).body
        names = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(names, set(vkevd.__all__))

    def test_arguments(self):
        """Every form of a function has its arguments. The result of a form may depend on one
        argument, which then has no default, like those before it, or is a keyword."""
        seen = set()
        for node in ast.parse(STUBS.read_text()).body:
            for of, owner in [(node, vkevd)] if isinstance(node, ast.FunctionDef) else [(f, getattr(vkevd, node.name)) for f in getattr(node, "body", ())
                                                                                       if isinstance(f, ast.FunctionDef) and f.name in ("__init__", "solve")]:
                want, have = arguments(getattr(owner, of.name)), declared(of)
                special = {"eigvals_only", "full_matrices", "compute_uv"}
                strip = lambda all: [x for x in all if x[0] not in special] if of.decorator_list else all
                self.assertEqual(strip(have), strip(want), of.name)
                self.assertEqual({x[0] for x in have}, {x[0] for x in want}, of.name)
                seen.add(of.name)
        self.assertLessEqual({"eigh", "svd", "install", "__init__", "solve", "eigh_tridiagonal"}, seen)

    @unittest.skipUnless(hasattr(ast, "unparse"), "Python 3.8")
    def test_choices_at_run_time(self):
        """A function whose result depends on an argument also has a form for a value of this
        argument that is known only at run time."""
        forms = {"eigh": {}, "svd": {}}
        for node in ast.parse(STUBS.read_text()).body:
            for a in node.args.args + node.args.kwonlyargs if getattr(node, "name", "") in forms else ():
                if a.arg in ("eigvals_only", "compute_uv"):
                    forms[node.name][ast.unparse(a.annotation)] = ast.unparse(node.returns)
        for results in forms.values():
            self.assertEqual(set(results), {"Literal[False]", "Literal[True]", "bool"})
            for result in results.values():
                self.assertIn(result, results["bool"])

    def test_classes(self):
        for node in ast.parse(STUBS.read_text()).body:
            if isinstance(node, ast.ClassDef):
                kind = getattr(vkevd, node.name)
                for base in node.bases:
                    name = ast.unparse(base).rpartition(".")[2] if hasattr(ast, "unparse") else ""
                    if name not in ("", "NamedTuple"):
                        self.assertIn(name, [of.__name__ for of in kind.__mro__])
                if hasattr(kind, "_fields"):
                    self.assertEqual(tuple(a.target.id for a in node.body), kind._fields)


if __name__ == "__main__":
    unittest.main()
