"""What the package offers tells the types of all that it takes and gives."""

import inspect

import pytest

import simreel


def functions_of(name):
    member = getattr(simreel, name)
    if inspect.isfunction(member):
        return [member]
    inner = [m.fget if isinstance(m, property) else m for n, m in vars(member).items() if n == "__init__" or n[0] != "_"]
    return [m for m in inner if inspect.isfunction(m)]


@pytest.mark.parametrize("name", simreel.__all__)
def test_types(name):
    for function in functions_of(name):
        signature = inspect.signature(function)
        typed = [p.annotation is not p.empty for p in signature.parameters.values() if p.name != "self"]
        assert all(typed) and signature.return_annotation is not signature.empty, function.__qualname__
