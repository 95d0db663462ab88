"""Imports go one way (docs/design.md, section 2)."""

import ast
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "skillmill"

#: Folder -> the folders it may import from, besides types and errors.
ALLOWED = {
    "settings": {"settings"},
    "compute": {"compute"},
    "data": {"data"},
    "store": {"store"},
    "models": {"models"},
    "memory": {"memory", "compute", "data", "store", "models"},
    "skills": {"skills", "memory", "compute", "data", "store", "models"},
    "library": {"library", "compute", "data", "store", "models"},
    "evaluate": {
        "evaluate", "memory", "skills", "library",
        "compute", "data", "store", "models",
    },
    "evolve": {
        "evolve", "evaluate", "memory", "skills", "library",
        "compute", "data", "store", "models",
    },
}  # fmt: skip
EVERYTHING = {*ALLOWED, "interfaces", "report", "config", "codehash"}
READS_CONFIG = {"interfaces", "report"}
SHARED = {"types", "errors"}
#: Modules that lie in no folder -> what else they may import.
ABOVE = {"__main__.py": {"interfaces"}, "config.py": {"settings"}}


def imported(file: Path) -> set[str]:
    """Second parts of the names under skillmill that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "skillmill":
            names = [f"skillmill.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        found |= {n.split(".")[1] for n in names if n.startswith("skillmill.")}
    return found


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", MODULES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_a_module_imports_only_from_the_layers_below(file):
    folder = file.relative_to(PACKAGE).parts[0]
    if folder in ALLOWED:
        allowed = ALLOWED[folder] | SHARED
    elif folder in READS_CONFIG:
        allowed = EVERYTHING | SHARED
    else:
        allowed = SHARED | ABOVE.get(folder, set())
    assert imported(file) <= allowed


def test_scripts_do_not_read_the_configuration():
    for script in sorted((REPOSITORY / "scripts").glob("*.py")):
        assert not {"config", "settings"} & imported(script), script.name


def test_there_is_a_script_for_each_scripted_rule_and_no_other():
    rules = "".join(f.read_text() for f in (REPOSITORY / "rules").glob("*.smk"))
    for script in (REPOSITORY / "scripts").glob("*.py"):
        assert rules.count(f'"../scripts/{script.name}"') == 1, script.name
        assert f"rule {script.stem}:" in rules
    assert rules.count('"../scripts/') == len(list((REPOSITORY / "scripts").glob("*")))


def test_sql_is_spoken_in_the_store_only():
    for file in MODULES:
        if file.relative_to(PACKAGE).parts[0] == "store":
            continue
        text = file.read_text(encoding="utf-8")
        assert "import sqlite3" not in text, file
        assert ".execute(" not in text, file


def test_neural_libraries_are_imported_inside_functions():
    """A rerun in which every row is known must not pay for torch or spaCy."""
    heavy = {"torch", "spacy", "sentence_transformers", "transformers", "matplotlib"}
    for file in [*MODULES, *(REPOSITORY / "scripts").glob("*.py")]:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").split(".")[0]}
            else:
                continue
            assert not names & heavy, file


def test_ancient_and_update_are_not_used():
    """`update()` loses edits; `ancient()` needs a hashed path to be safe."""
    for file in [REPOSITORY / "Snakefile", *(REPOSITORY / "rules").glob("*.smk")]:
        text = file.read_text()
        assert "ancient(" not in text
        assert "update(" not in text
        assert "\n    run:" not in text
