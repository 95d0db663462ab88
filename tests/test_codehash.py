"""The code hash of a rule covers what its script runs, and nothing else."""

import modulefinder
import re
import subprocess
import sys
from pathlib import Path

import pytest

from skillmill import codehash
from tests.conftest import REPOSITORY

SCRIPTS = sorted((REPOSITORY / "scripts").glob("*.py"))


def names(files):
    return {file.relative_to(codehash.PACKAGE).as_posix() for file in files}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_closure_is_what_the_interpreter_would_import(script):
    """The standard library's bytecode scanner, an independent oracle, agrees."""
    finder = modulefinder.ModuleFinder(
        path=[str(REPOSITORY / "src")],
        excludes=["numpy", "scipy", "torch", "spacy", "sqlite3", "click"],
    )
    finder.run_script(str(script))
    found = {
        Path(module.__file__)
        for name, module in finder.modules.items()
        if name.split(".")[0] == "skillmill" and module.__file__
    }
    closure, _ = codehash.closure(script)
    assert names(closure) == names(found)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_closure_holds_every_module_loaded_at_run_time(script):
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('one', {str(script)!r})\n"
        "spec.loader.exec_module(importlib.util.module_from_spec(spec))\n"
        "print('\\n'.join(m.__file__ for n, m in sorted(sys.modules.items())"
        " if n.split('.')[0] == 'skillmill'))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    closure, _ = codehash.closure(script)
    assert {Path(line) for line in out.split()} <= set(closure)


def test_each_rule_names_the_script_it_hashes():
    for file in (REPOSITORY / "rules").glob("*.smk"):
        for rule in re.split(r"\nrule ", file.read_text())[1:]:
            script = re.search(r'"\.\./scripts/(\w+\.py)"', rule)
            if script:
                assert f'code=code_of("{script[1]}")' in rule, rule.split(":")[0]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of four modules and one script that uses two of them."""
    root = tmp_path / "skillmill"
    (root / "deep").mkdir(parents=True)
    (root / "__init__.py").write_text("")
    (root / "deep" / "__init__.py").write_text("")
    (root / "deep" / "used.py").write_text("def f():\n    from skillmill import lazy\n")
    (root / "lazy.py").write_text("import numpy\n")
    (root / "other.py").write_text("import scipy\n")
    script = tmp_path / "script.py"
    script.write_text("from skillmill.deep.used import f\n")
    monkeypatch.setattr(codehash, "PACKAGE", root)
    codehash._imports.cache_clear()
    yield root, script
    codehash._imports.cache_clear()


def test_a_lazy_import_counts_and_an_unused_module_does_not(package):
    root, script = package
    files, libraries = codehash.closure(script)
    assert {f.relative_to(root).as_posix() for f in files} == {
        "__init__.py",
        "deep/__init__.py",
        "deep/used.py",
        "lazy.py",
    }
    assert libraries == ["numpy"]


@pytest.mark.parametrize(
    ("module", "changes"),
    [("lazy.py", True), ("deep/used.py", True), ("other.py", False)],
)
def test_the_hash_follows_the_modules_that_are_used(package, module, changes):
    root, script = package
    before = codehash.code_of(script)
    file = root / module
    file.write_text(file.read_text() + "\nX = 1\n")
    codehash._imports.cache_clear()
    assert (codehash.code_of(script) != before) == changes


def test_a_new_version_of_a_library_changes_the_hash(package, monkeypatch):
    _, script = package
    before = codehash.code_of(script)
    monkeypatch.setattr(codehash, "_version", lambda name: "999")
    assert codehash.code_of(script) != before


def test_a_relative_import_is_refused(package):
    root, script = package
    (root / "lazy.py").write_text("from . import other\n")
    codehash._imports.cache_clear()
    with pytest.raises(ValueError, match="relative imports"):
        codehash.closure(script)


def test_a_template_beside_a_used_module_counts(package):
    root, script = package
    before = codehash.code_of(script)
    (root / "deep" / "templates").mkdir()
    (root / "deep" / "templates" / "page.html").write_text("<p>")
    with_template = codehash.code_of(script)
    assert with_template != before
    (root / "unused.html").write_text("<p>")
    assert codehash.code_of(script) == with_template


def test_the_script_itself_counts_by_its_text_not_its_time(package):
    _, script = package
    before = codehash.code_of(script)
    script.touch()
    assert codehash.code_of(script) == before
    script.write_text(script.read_text() + "# more\n")
    assert codehash.code_of(script) != before
