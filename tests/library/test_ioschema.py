import json

import numpy as np
import pytest

from skillmill.errors import LimitError
from skillmill.library.ioschema import (
    Slot,
    by_rule,
    known_types,
    read_schemas,
    slot_name,
)
from skillmill.library.iowords import slots_in
from skillmill.models.llm import ChatClient
from tests.library.linker import skill
from tests.models.endpoint import MemoryReplies, Script, says, settings


def read(skills, script=None, failed_share=1.0):
    with ChatClient(
        {"io_schema": settings()},
        MemoryReplies(),
        rng=np.random.default_rng(0),
        mode="live" if script else "off",
        http_client=script.client() if script else None,
    ) as client:
        found, _ = read_schemas(skills, client, model="tiny", failed_share=failed_share)
        return found


def names(slots):
    return [slot.name for slot in slots]


@pytest.mark.parametrize(
    ("text", "takes", "gives"),
    [
        ("Read invoices from PDF and write them to CSV.", {"invoice", "pdf"}, {"csv"}),
        ("Convert .docx into Markdown", {"docx"}, {"md"}),
        ("Generate charts as PNG", set(), {"chart", "png"}),
        ("Extract transcripts from podcasts", {"transcript", "podcast"}, set()),
        # A new sentence starts without a side, and a word without one is left out.
        ("Read it. PDF is a format.", set(), set()),
        ("All about spreadsheets", set(), set()),
        # Common words count only with their dot.
        ("Write a log and key figures", set(), {"figure"}),
        ("Write a .log", set(), {"log"}),
        ("```\nwrite report.csv\n```", set(), set()),
    ],
)
def test_words_before_a_thing_tell_whether_it_is_taken_or_given(text, takes, gives):
    found = slots_in(text)
    assert {name for name, _ in found[0]} == takes
    assert {name for name, _ in found[1]} == gives


def test_a_rule_reads_file_types_artefacts_and_tools():
    card = skill(
        "a",
        "Read .csv and create a chart.",
        body="```python\nimport pandas\n```",
    )
    found = by_rule(card)
    assert found.inputs == (
        Slot("csv", "file", "rule"),
        Slot("pandas", "tool", "rule"),
    )
    assert found.outputs == (Slot("chart", "artefact", "rule"),)
    assert names(found.wanted()) == ["csv"]


def test_front_matter_goes_before_all_and_is_spelt_one_way():
    card = skill("a", "Write a map.", inputs=("Scan PDF", " "), outputs=("a_b.csv",))
    found = read([card])[0]
    assert found.inputs == (Slot("scan-pdf", "artefact", "declared"),)
    assert found.outputs == (Slot("a-b-csv", "artefact", "declared"),)
    assert slot_name(" Two  words/x ") == "two-words-x"


def test_a_skill_that_says_nothing_is_empty_and_says_why():
    found = read([skill("a", "Think about it.")])[0]
    assert (found.state, found.inputs) == ("empty", ())
    assert "nothing in the text" in found.reason


def test_a_model_is_asked_only_about_skills_that_declare_nothing():
    reply = {"inputs": ["Survey CSV"], "outputs": ["route-map"]}
    script = Script(says(json.dumps(reply)))
    found = read([skill("a"), skill("b", inputs=("map",))], script)
    assert len(script.asked) == 1
    assert found[0].inputs == (Slot("survey-csv", "artefact", "llm"),)
    assert found[0].outputs == (Slot("route-map", "artefact", "llm"),)
    assert names(found[1].inputs) == ["map"]
    # What others declare is offered as a name.
    assert "map" in json.dumps(script.asked[0]["messages"])


def test_a_reply_that_cannot_be_used_is_a_failed_schema_and_counts():
    found = read([skill("a")], Script(says("no idea")))
    assert (found[0].state, found[0].inputs) == ("failed", ())
    with pytest.raises(LimitError, match="io_schema"):
        read([skill("a")], Script(says("no idea")), failed_share=0.2)


def test_known_types_come_by_how_often_they_are_declared():
    cards = [
        skill("a", outputs=("Map",)),
        skill("b", inputs=("map", "chart")),
        skill("c", inputs=("",)),
    ]
    assert known_types(cards) == ["map", "chart"]
