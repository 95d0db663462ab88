import json
from collections import Counter

import numpy as np
import pytest

from skillmill.data.perltqa import load_perltqa
from skillmill.errors import InputError
from skillmill.memory.atoms import GRANULARITIES, evidence_atoms, session_atoms
from skillmill.memory.relations import similarity_edges, temporal_neighbours
from skillmill.memory.typed_relations import relation_questions

#: Two characters with all four sources; Mara has 3 + 2 + 2 + 2 records, Oto 1 + 1.
MEMORY = {
    "Mara Linde": {
        "profile": {"Protagonist": "Mara Linde", "Age": 41, "Hobbies": "bees, chess"},
        "profile_description": "**Mara Linde** keeps bees.",
        "social_relationship": {
            "7_0": {
                "Supporting Characters": "Bo Muster",
                "Description": "Lends tools.",
                "Relationship": "neighbour",
            },
            "7_1": "{'Supporting Characters': 'Ida Roth', 'Description': "
            "'Taught her chess.', 'Relationship': 'aunt'}",
        },
        "events": {
            "7_0_0": {
                "content": "Mara and Bo built a hive.",
                "summary": "A hive",
                "Characters": ["7_0"],
                "Creation Time": "May 12, 2022",
                "Last Accessed Time": "",
                "Theme": "Craft",
            },
            "7_1_1": {"content": "Ida won.", "Characters": ["7_9"], "Theme": ""},
        },
        "dialogues": {
            "7_0_0#0": {
                "events": "7_0_0",
                "contents": {
                    "2022-05-12 11:30": ["Mara Linde: Thank you."],
                    "2022-05-12 10:00": [
                        "Mara Linde: Hold the board.",
                        "Bo Muster: Which one: left or right?",
                    ],
                },
            },
            "7_1_1#1": {"events": "7_1_1", "contents": {"one day": ["Ida Roth：将军"]}},
        },
    },
    "Oto Kern": {
        "profile": {"Protagonist": "Oto Kern"},
        "social_relationship": {"8_0": "A friend from school."},
        "events": {},
        "dialogues": {},
    },
}


def asked(text, reference, answer="yes"):
    return {
        "Question": text,
        "Answer": answer,
        "Reference Memory": reference,
        "Memory Anchors": [{"yes": [-1, -1]}],
    }


QUESTIONS = [
    {
        "Mara Linde": {
            "profile": [asked("How old is Mara?", "Age", 41)],
            "social_relationship": [
                {"7_0": [asked("Who lends tools?", "['7_0']")]},
                {"7_1": [asked("Who taught her?", "['7_1']")]},
            ],
            "events": [{"7_0_0": [asked("What did they build?", "['7_0_0']")]}],
            "dialogues": [{"7_0_0#0": [asked("Who held it?", "['7_0_0#0']")]}],
        }
    }
]


@pytest.fixture
def load(tmp_path):
    def loader(memory=MEMORY, questions=QUESTIONS):
        (tmp_path / "perltmem_en.json").write_text(json.dumps(memory))
        if questions is not None:
            (tmp_path / "perltqa_en.json").write_text(json.dumps(questions))
        return load_perltqa(tmp_path)

    return loader


def counts(report):
    return report.found, report.loaded, report.warned, report.failed


def problems(report):
    return {(p.record, p.code, p.severity) for p in report.problems}


def texts(conversation):
    return {session.id: session for session in conversation.sessions}


def test_all_four_sources_load_with_exact_counts(load):
    """Nine records of Mara, two of Oto, five questions."""
    conversations, questions, report = load()
    assert [talk.id for talk in conversations] == ["Mara Linde", "Oto Kern"]
    mara, oto = conversations
    assert [session.id for session in mara.sessions] == [
        *("profile:Protagonist", "profile:Age", "profile:Hobbies"),
        *("7_0", "7_1", "7_0_0", "7_1_1", "7_0_0#0", "7_1_1#1"),
    ]
    assert [session.number for session in mara.sessions] == list(range(1, 10))
    assert [session.id for session in oto.sessions] == ["profile:Protagonist", "8_0"]
    assert counts(report) == (16, 14, 2, 0)
    assert problems(report) == {
        ("Mara Linde/7_1", "relation-text", "info"),
        ("Mara Linde/7_1_1#1", "date-unknown", "warning"),
        ("Mara Linde/q0", "answer-integer", "info"),
        ("Oto Kern/8_0", "relation-prose", "warning"),
    }
    assert Counter(q.kind for q in questions) == {
        "profile": 1,
        "social_relationship": 2,
        "events": 1,
        "dialogues": 1,
    }


def test_a_record_is_one_atom_and_a_dialogue_too(load):
    (mara, _), questions, _ = load()
    atoms = {atom.turns[0]: atom for atom in session_atoms(mara)}
    assert GRANULARITIES["record"](mara) == list(atoms.values())
    assert len(atoms) == len(mara.sessions) == 9
    assert {key: atom.text for key, atom in atoms.items()} == {
        "profile:Protagonist": "Mara Linde: Protagonist: Mara Linde",
        "profile:Age": "Mara Linde: Age: 41",
        "profile:Hobbies": "Mara Linde: Hobbies: bees, chess",
        "7_0": "Mara Linde: Bo Muster, neighbour: Lends tools.",
        "7_1": "Mara Linde: Ida Roth, aunt: Taught her chess.",
        "7_0_0": "Mara Linde: A hive\nMara and Bo built a hive.\nTheme: Craft\n"
        "Creation Time: May 12, 2022\nCharacters: Bo Muster",
        "7_1_1": "Mara Linde: Ida won.",
        "7_0_0#0:1": "Mara Linde: Hold the board.\n"
        "Bo Muster: Which one: left or right?\nMara Linde: Thank you.",
        "7_1_1#1:1": "Ida Roth: 将军",
    }
    found = [evidence_atoms(question, atoms.values()) for question in questions]
    assert found == [
        ("Mara Linde/2/0",),
        ("Mara Linde/4/0",),
        ("Mara Linde/5/0",),
        ("Mara Linde/6/0",),
        ("Mara Linde/8/0",),
    ]


def test_only_dialogues_have_a_time_the_first_of_theirs(load):
    """ERSkill leaves the timestamp empty where there is none like a session's."""
    (mara, _), _, _ = load()
    times = {atom.turns[0]: atom.timestamp for atom in session_atoms(mara)}
    assert {key: time for key, time in times.items() if time is not None} == {
        "7_0_0#0:1": "2022-05-12T10:00"
    }
    dates = {session.id: session.date_text for session in mara.sessions}
    assert dates["7_0_0"] == "May 12, 2022"
    assert (dates["7_0_0#0"], dates["7_1_1#1"]) == ("2022-05-12 10:00", "one day")


def test_relations_lead_both_ways_between_records_whatever_their_times(load):
    """Mara's nine records, each with its two nearest, joined by cosine."""
    mara = load()[0][0]
    atoms = session_atoms(mara)
    assert [atom.time_keys for atom in atoms].count(()) == 8
    angles = np.linspace(0, np.pi / 3, len(atoms))
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    similar = similarity_edges(atoms, [atom.id for atom in atoms], vectors, 2)
    shown = [
        (question.source, edge.target)
        for question in relation_questions(atoms, similar, both_ways=True)
        for edge in question.neighbours.values()
    ]
    assert len(shown) == 18
    # All but the ends of the row are shown to each other.
    back = [pair for pair in shown if pair[::-1] in shown]
    assert len(back) == 16
    forward = relation_questions(atoms, similar, both_ways=False)
    assert sum(len(question.neighbours) for question in forward) == 9
    assert temporal_neighbours(atoms) == []


def test_questions_name_their_record_as_evidence(load):
    _, questions, _ = load()
    assert [question.id for question in questions] == [
        f"Mara Linde/q{position}" for position in range(5)
    ]
    assert [question.evidence_sessions for question in questions] == [
        ("profile:Age",),
        ("7_0",),
        ("7_1",),
        ("7_0_0",),
        ("7_0_0#0",),
    ]
    assert questions[4].evidence == ("7_0_0#0:1", "7_0_0#0:2", "7_0_0#0:3")
    assert (questions[0].answer, questions[0].answer_type) == ("41", "integer")
    assert {question.category for question in questions} == {None}


def test_only_the_protagonist_is_a_speaker_that_every_record_shares(load):
    """The others are what questions ask for, so a query must keep their names."""
    conversations, _, _ = load()
    assert [talk.speakers for talk in conversations] == [("Mara Linde",), ("Oto Kern",)]


def test_both_shapes_of_both_files_are_read(load):
    as_list = [dict(record) for record in MEMORY.values()]
    (block,) = QUESTIONS
    sections = dict(block["Mara Linde"])
    merged = {}
    for entry in sections["social_relationship"]:
        merged |= entry
    as_object = {"Mara Linde": sections | {"social_relationship": merged}}
    assert load(as_list, [as_object])[:2] == load()[:2]
    assert load(MEMORY, as_object)[:2] == load()[:2]


def test_a_memory_file_finds_its_question_file_by_name(load, tmp_path):
    expected = load()
    found = load_perltqa(tmp_path / "perltmem_en.json")
    assert found[:2] == expected[:2]
    (tmp_path / "perltqa_en.json").unlink()
    conversations, questions, report = load_perltqa(tmp_path / "perltmem_en.json")
    assert (len(conversations), questions) == (2, [])
    assert "questions-missing" in {p.code for p in report.problems}
    assert counts(report) == (11, 9, 2, 0)


def test_a_character_spelt_otherwise_is_found_by_its_number(load):
    block = {"Mara L.": QUESTIONS[0]["Mara Linde"]}
    _, questions, report = load(questions=[block])
    assert {question.conversation for question in questions} == {"Mara Linde"}
    assert ("Mara L.", "character-renamed", "info") in problems(report)


def test_questions_about_nobody_known_are_failed(load):
    block = {"Someone": {"profile": [asked("How old?", "Age")], "events": [7]}}
    _, questions, report = load(questions=[block])
    assert questions == []
    assert counts(report) == (13, 9, 2, 2)
    assert ("Someone", "character-unknown", "warning") in problems(report)


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("Awards and Role Models", "profile:Awards and Role Models"),
        ("Role Models", "profile:Awards and Role Models"),
        ("Great Age", "profile:Age"),
        ("Models of Roles", None),
        (None, None),
        (5, None),
    ],
)
def test_a_profile_field_is_found_by_an_alias(load, reference, found):
    profile = {**MEMORY["Mara Linde"]["profile"], "Awards and Role Models": "none yet"}
    memory = {"Mara Linde": {**MEMORY["Mara Linde"], "profile": profile}}
    block = {"Mara Linde": {"profile": [asked("Whom?", reference)]}}
    _, (question,), report = load(memory, [block])
    assert question.evidence_sessions == (() if found is None else (found,))
    unknown = "evidence-unknown-record" in {p.code for p in report.problems}
    assert unknown == (found is None)


def test_a_reference_that_names_nothing_gives_way_to_the_enclosing_key(load):
    sections = {
        "events": [
            {"7_0_0": [asked("a", "['9_9']"), asked("b", None), asked("c", ["7_1_1"])]},
            {"9_9": [asked("d", "['9_9']")]},
        ]
    }
    _, questions, report = load(questions=[{"Mara Linde": sections}])
    assert [question.evidence_sessions for question in questions] == [
        ("7_0_0",),
        ("7_0_0",),
        ("7_1_1",),
        (),
    ]
    codes = Counter(p.code for p in report.problems if "/q" in str(p.record))
    assert codes == {"evidence-enclosing": 2, "evidence-unknown-record": 1}


@pytest.mark.parametrize(
    ("source", "key", "value"),
    [
        ("profile", "Age", {"years": 41}),
        ("social_relationship", "7_5", 3),
        ("social_relationship", "7_5", {}),
        ("events", "7_5_0", "prose"),
        ("events", "7_5_0", {"Theme": "Craft"}),
        ("dialogues", "7_5_0#9", {"contents": []}),
        ("dialogues", "7_5_0#9", {"contents": {"2022-05-12 10:00": [" ", 4]}}),
    ],
)
def test_a_record_that_says_nothing_usable_is_failed(load, source, key, value):
    row = MEMORY["Mara Linde"]
    memory = {"Mara Linde": {**row, source: {**row[source], key: value}}}
    (mara,), _, report = load(memory, None)
    assert report.failed == 1
    assert "record-unusable" in {p.code for p in report.problems}
    assert key not in texts(mara)


def test_an_empty_field_is_no_record_and_a_source_of_another_kind_is_failed(load):
    row = {**MEMORY["Mara Linde"], "events": ["none"]}
    row["profile"] = {**row["profile"], "Title": "", "Awards": None}
    (mara,), _, report = load({"Mara Linde": row}, None)
    assert "profile:Title" not in texts(mara)
    assert counts(report) == (8, 6, 1, 1)


def test_a_line_without_a_speaker_is_the_last_speakers(load):
    said = ["No colon here", "Bo Muster: Yes.", "And a second line"]
    row = {**MEMORY["Mara Linde"], "dialogues": {"7_0_0#0": {"contents": {"x": said}}}}
    (mara,), _, report = load({"Mara Linde": row}, None)
    lines = [(t.speaker, t.text) for t in texts(mara)["7_0_0#0"].turns]
    assert lines == [
        ("Mara Linde", "No colon here"),
        ("Bo Muster", "Yes."),
        ("Bo Muster", "And a second line"),
    ]
    codes = Counter(p.code for p in report.problems)
    assert codes["line-without-speaker"] == 2


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({}, r"a folder with .json files, got none"),
        ({"a.json": []}, "expected one memory file of PerLTQA, got none"),
        ({"a.json": MEMORY, "b.json": MEMORY}, r"got a\.json, b\.json"),
        (
            {"m.json": MEMORY, "a.json": QUESTIONS, "b.json": QUESTIONS},
            "one question file",
        ),
        (
            {"a.json": {"X": {"profile": {"Age": None}}}},
            "expected characters with records",
        ),
        ({"a.json": [MEMORY["Oto Kern"]] * 2}, "character 'Oto Kern' is twice"),
    ],
)
def test_what_is_no_edition_is_refused(tmp_path, files, fault):
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=fault):
        load_perltqa(tmp_path)


def test_a_character_that_is_no_object_is_failed_and_the_rest_loads(load):
    conversations, _, report = load({**MEMORY, "Nobody": None}, None)
    assert [talk.id for talk in conversations] == ["Mara Linde", "Oto Kern"]
    assert counts(report) == (12, 9, 2, 1)
