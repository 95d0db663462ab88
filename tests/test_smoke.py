"""The opt-in smoke run: what of it can be told without a server."""

import json

from benchmarks import smoke_llm

from skillmill.models.chat import Outcome
from skillmill.models.prompts import reply_model


def test_a_schema_is_put_where_llama_cpp_looks_for_it():
    schema = {"type": "object"}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    made = smoke_llm.translated(json.dumps({"response_format": wanted}).encode())
    assert json.loads(made) == {
        "response_format": {"type": "json_object", "schema": schema}
    }
    other = {"model": "m", "response_format": {"type": "json_object"}}
    assert json.loads(smoke_llm.translated(json.dumps(other).encode())) == other


def test_without_a_server_it_is_skipped_with_the_reason(monkeypatch, capsys):
    monkeypatch.setattr(smoke_llm.importlib.util, "find_spec", lambda name: None)
    assert smoke_llm.main() == 0
    assert capsys.readouterr().out == (
        "skipped: llama-cpp-python is not installed; `make smoke-llm` installs it\n"
    )


def test_an_honest_outcome_keeps_its_model_or_says_why_not():
    value = reply_model("router")(skill="plain")
    good = Outcome("ok", value, "", "", "router", "s", "r")
    assert smoke_llm.is_honest(good)
    assert not smoke_llm.is_honest(Outcome("ok", None, "", "", "router", "s", "r"))
    cut = Outcome("failed", None, "length", "cut off", "router", "s", "r")
    assert smoke_llm.is_honest(cut)
    assert not smoke_llm.is_honest(Outcome("failed", None, "", "", "router", "s", "r"))
