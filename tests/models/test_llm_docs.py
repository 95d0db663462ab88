"""docs/endpoints.md says what the code does."""

import re
from dataclasses import fields

import pytest
from pytest_httpserver import HTTPServer

from skillmill.models.chat import RoleSettings
from tests.conftest import REPOSITORY
from tests.models.endpoint import Script, says

PAGE = (REPOSITORY / "docs" / "endpoints.md").read_text(encoding="utf-8")
MODELS = REPOSITORY / "src" / "skillmill" / "models"

#: Where a reason is written down in the code.
PLACES = (
    r'Fault\(\s*"([a-z-]+)"',
    r'Reading\(\s*None, "([a-z-]+)"',
    r'unanswered\([^)]*"(?:failed|skipped)", "([a-z-]+)"',
    r'^    "([a-z-]+)": "the ',
    r'\d: "([a-z-]+)"',
    r'"(server-error|refused)"',
)


def test_the_example_runs_as_it_is_printed(tmp_path, monkeypatch, capsys):
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = Script(says('{"relation": "cause"}'))
    monkeypatch.chdir(tmp_path)
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        path = server.expect_request("/v1/chat/completions")
        path.respond_with_handler(script.serve)
        code = code.replace("http://localhost:8000/v1", server.url_for("/v1"))
        # Pydantic looks the annotations up in the module that a class says it is of.
        exec(compile(code, "endpoints.md", "exec"), {"__name__": "builtins"})
        exec(compile(code, "endpoints.md", "exec"), {"__name__": "builtins"})
    first = "p1 ok relation='cause' \np2 ok relation='cause' \n[]\n"
    out = capsys.readouterr().out
    assert out == f"2 calls would be sent\n{first}0 calls would be sent\n{first}"
    assert len(script.asked) == 2


def test_every_reason_is_listed_and_no_other():
    table = PAGE[PAGE.index("## Reasons") :]
    listed = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    code = "\n".join(
        (MODELS / name).read_text(encoding="utf-8")
        for name in ("answer.py", "asking.py", "endpoint.py", "llm.py", "readjson.py",
                     "recorded.py")
    )  # fmt: skip
    used = {
        found for place in PLACES for found in re.findall(place, code, re.MULTILINE)
    }
    assert set(listed) == used
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    "name", ["timeout_s", "max_tries", "max_seconds", "concurrency", "temperature",
             "max_tokens", "seed", "context_tokens"],
)  # fmt: skip
def test_the_defaults_are_those_of_the_settings(name):
    [default] = [field.default for field in fields(RoleSettings) if field.name == name]
    [listed] = re.findall(rf"^\| `{name}` \| (\S+) \|", PAGE, re.MULTILINE)
    assert (None if listed == "null" else float(listed)) == default
