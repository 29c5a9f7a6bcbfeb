"""The stubs have the parameters, in order and kind, of the code that they describe."""

import ast
import inspect
import pathlib

import pytest

import simreel

STUBS = ast.parse((pathlib.Path(__file__).resolve().parents[1] / "simreel" / "__init__.pyi").read_text())


def parameters_of_stub(function):
    arguments = function.args
    found = [(a.arg, "POSITIONAL_OR_KEYWORD") for a in arguments.args]
    found += [(arguments.vararg.arg, "VAR_POSITIONAL")] if arguments.vararg else []
    return found + [(a.arg, "KEYWORD_ONLY") for a in arguments.kwonlyargs]


def parameters_of(function):
    return [(p.name, p.kind.name) for p in inspect.signature(function).parameters.values()]


def test_the_stubs_name_all():
    public = {node.name for node in STUBS.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert public == set(simreel.__all__)


@pytest.mark.parametrize("node", [n for n in STUBS.body if isinstance(n, ast.FunctionDef)], ids=lambda n: n.name)
def test_functions(node):
    assert parameters_of_stub(node) == parameters_of(getattr(simreel, node.name))


@pytest.mark.parametrize("node", [n for n in STUBS.body if isinstance(n, ast.ClassDef)], ids=lambda n: n.name)
def test_classes(node):
    real = getattr(simreel, node.name)
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef):
            member = inspect.getattr_static(real, inner.name)
            member = member.fget if isinstance(member, property) else member
            assert parameters_of_stub(inner) == parameters_of(member), inner.name
    methods = {name for name, member in vars(real).items()
               if (inspect.isfunction(member) or isinstance(member, property)) and not name.startswith("_")}
    assert methods <= {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
    fields = getattr(real, "__dataclass_fields__", {})
    assert [inner.target.id for inner in node.body if isinstance(inner, ast.AnnAssign)][:len(fields)] == list(fields)
