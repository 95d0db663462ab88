"""What people import: there, typed, lazy, and as its page and its example say."""

import ast
import inspect
import re
import subprocess
import sys

import pytest

import skillmill
from skillmill.errors import InputError
from tests.conftest import REPOSITORY
from tests.interfaces.shelf import build_library, write_skills

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    root = tmp_path_factory.mktemp("api")
    build_library(write_skills(root / "skills"), root / "results")
    return root


@pytest.mark.parametrize("name", skillmill.__all__)
def test_each_function_is_typed_and_documented(name):
    function = getattr(skillmill, name)
    assert inspect.getdoc(function)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty


def test_the_page_the_stub_and_the_package_name_the_same_functions():
    page = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)\((.*?)\)` \|", page, re.M)
    assert sorted(name for name, _ in rows) == skillmill.__all__
    for name, shown in rows:
        own = inspect.signature(getattr(skillmill, name)).parameters
        told = [part.strip().strip("*=") for part in shown.split(",")]
        assert told == list(own), name
    stub = ast.parse((REPOSITORY / "src" / "skillmill" / "__init__.pyi").read_text())
    named = [alias.asname for node in stub.body for alias in node.names]
    assert named == skillmill.__all__


def test_importing_the_package_costs_nothing():
    code = (
        "import sys, skillmill; assert 'search' in dir(skillmill)\n"
        "heavy = {'numpy', 'torch', 'click', 'skillmill.interfaces'}\n"
        "bad = heavy & sys.modules.keys()\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 0


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        _ = skillmill.serach


def test_the_functions_do_what_the_commands_do(place):
    results = place / "results"
    found = skillmill.search("bake bread", results=results, limit=1)
    assert found.hits[0].skill.id == "kitchen/bread"
    near = skillmill.neighbours("charts", results=str(results), study="shelf")
    assert [one.role for one in near] == ["before", "alternative"]
    assert skillmill.read_skill("soup", results=results).text.endswith("Simmer.")
    assert skillmill.export_graph("dot", results=results).startswith("digraph")
    told = skillmill.advise("bake bread", results=results)
    assert "kitchen/bread" in told
    problems, report = skillmill.lint(place / "skills")
    assert (problems, report.loaded) == ([], 6)
    for ask in (
        lambda: skillmill.scores(results=results),
        lambda: skillmill.recall("who?", "shelf", results=results),
        lambda: skillmill.open_library(place),
    ):
        with pytest.raises(InputError):
            ask()


def test_the_example_runs_on_a_library(place):
    file = REPOSITORY / "examples" / "own_library.py"
    library = place / "results" / "shelf" / "library" / "library.sqlite"
    done = subprocess.run(
        [sys.executable, file, library], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("6 skills, 4 edges, version ")
    assert lines[1].startswith("1. data/")
    assert "empty" in lines
    assert lines[-1] == "4 components"
