"""What code a workflow script really runs, as one hash.

Snakemake reruns a job when its script changes, not when a module that the script
imports does. Each rule therefore carries `params: code=code_of(<script>)`: the hash
of the script's import closure inside the package, found by reading the syntax trees
(imports inside functions too), and of the versions of the libraries that shape stored
numbers. Editing a module then reruns exactly the rules that use it.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

#: Import name -> distribution, for libraries whose version can change a stored value.
VERSIONED = {
    "Stemmer": "PyStemmer",
    "bm25s": "bm25s",
    "dateparser": "dateparser",
    "networkx": "networkx",
    "numpy": "numpy",
    "rank_bm25": "rank-bm25",
    "scipy": "scipy",
    "sentence_transformers": "sentence-transformers",
    "spacy": "spacy",
    "torch": "torch",
    "yaml": "PyYAML",
    "matplotlib": "matplotlib",
    "onnxruntime": "onnxruntime",
    "openai": "openai",
    "hnswlib": "hnswlib",
    "tokenizers": "tokenizers",
    "jinja2": "jinja2",
}


@cache
def _imports(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Dotted names under `skillmill` that a file imports, and other top-level names."""
    own: set[str] = set()
    foreign: set[str] = set()
    for name in _names(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if name.split(".")[0] == PACKAGE.name:
            own.add(name)
        else:
            foreign.add(name.split(".")[0])
    return frozenset(own), frozenset(foreign)


def _names(tree: ast.AST) -> Iterator[str]:
    """Every name an import could bind, `from a import b` as both `a` and `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                raise ValueError("relative imports are not followed; write them out")
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files(name: str) -> Iterator[Path]:
    """Files that importing a dotted name runs: each `__init__`, then the module."""
    folder = PACKAGE
    yield folder / "__init__.py"
    for part in name.split(".")[1:]:
        if (folder / f"{part}.py").is_file():
            yield folder / f"{part}.py"
            return
        folder = folder / part
        if not (folder / "__init__.py").is_file():
            return
        yield folder / "__init__.py"


def closure(script: Path) -> tuple[list[Path], list[str]]:
    """Package files that a script can import, and the versioned libraries it reaches.

    Parameters
    ----------
    script : Path
        A Python file, inside the package or not.

    Returns
    -------
    modules : list of Path
        Files of the package, sorted; the script itself is not among them unless
        something imports it.
    libraries : list of str
        Distribution names out of `VERSIONED`, sorted.
    """
    seen: set[Path] = set()
    foreign: set[str] = set()
    queue = [script.resolve()]
    while queue:
        own, other = _imports(queue.pop())
        foreign |= other
        fresh = {file for name in own for file in _files(name)} - seen
        seen |= fresh
        queue.extend(fresh)
    return sorted(seen), sorted(
        {VERSIONED[name] for name in foreign & VERSIONED.keys()}
    )


def data_files(modules: Iterable[Path]) -> list[Path]:
    """Files that lie beside these modules and are no Python: templates, prompts.

    A file belongs to the nearest folder above it that is a package; those of the
    package's root belong to none.
    """
    folders = {module.parent for module in modules} - {PACKAGE}
    found = set()
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix in (".py", ".pyc") or not path.is_file():
                continue
            home = next(p for p in path.parents if (p / "__init__.py").is_file())
            if home == folder:
                found.add(path)
    return sorted(found)


def code_of(script: Path) -> str:
    """Hash (12 hex digits) of what a script runs.

    Covers its own text, its import closure, the data files beside those modules and
    the versions of the libraries they reach.
    """
    modules, libraries = closure(script)
    digest = hashlib.sha256(script.read_bytes())
    for path in [*modules, *data_files(modules)]:
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for library in libraries:
        digest.update(f"{library}=={_version(library)}\0".encode())
    return digest.hexdigest()[:12]


def modules_hash(*names: str) -> str:
    """Hash (12 hex digits) of modules and their import closure, without data files.

    For what is recorded by code: editing a skill or a prompt beside it changes no code.
    """
    files: set[Path] = set()
    libraries: set[str] = set()
    for name in names:
        found, reached = closure(list(_files(name))[-1])
        files |= {*found, *_files(name)}
        libraries |= set(reached)
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for library in sorted(libraries):
        digest.update(f"{library}=={_version(library)}\0".encode())
    return digest.hexdigest()[:12]


@cache
def _version(distribution: str) -> str:
    """Version of an installed library; `absent` where it is an optional extra."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "absent"
