"""`skillmill explain`, by id and in words; models are stood in for."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from skillmill.errors import InputError, ModelError
from skillmill.interfaces import freetext
from skillmill.interfaces.cli import main
from skillmill.interfaces.explain import explain
from skillmill.interfaces.traces import trace_lines, trace_rows
from skillmill.store import conversations
from skillmill.store.artifact import writing
from tests.interfaces.gardens import ENCODER, SETTINGS, build, direction, provenance

B = "garden/1/1"
C = "garden/2/0"


@pytest.fixture
def results(tmp_path):
    build(tmp_path)
    return tmp_path


class Models:
    """Stands for encoder and tagger; remembers what it was asked."""

    identity = ENCODER

    def __init__(self):
        self.texts = []

    def encode(self, texts):
        self.texts += texts
        return np.array([direction(90)] * len(texts))

    def encode_tokens(self, texts):
        self.texts += [("tokens", text) for text in texts]
        return [np.ones((1, 2))] * len(texts)

    def tag(self, texts):
        self.texts += [("tags", text) for text in texts]
        return [{"noun": {"shed": 1}, "ner": {"Oslo": 1}}]


@pytest.fixture
def models(monkeypatch):
    made = Models()
    for name in ("load_encoder", "load_token_encoder", "load_tagger"):
        monkeypatch.setattr(freetext, name, lambda *given, m=made: m)
    monkeypatch.setattr(freetext, "identity_of", lambda settings: made.identity)
    return made


def test_a_question_of_the_study_is_explained_by_its_id_without_any_model(results):
    told = explain(results, "plot", "garden/q0")
    assert told.query.text == "Does Ines paint the shed?"
    assert told.skill.name == "fixed-best"
    assert told.evidence == (C,)
    assert told.execution.ranking.items[0] == C
    assert [step.node for step in told.execution.trace] == [
        "meaning",
        "words",
        "days",
        "beside",
    ]


def test_the_lines_tell_each_step_and_mark_the_evidence(results):
    told = explain(results, "plot", "garden/q0", "fused-clues", budget=2)
    text = "\n".join(trace_lines(told))
    assert "question  garden/q0: Does Ines paint the shed?" in text
    assert "without names: Does paint the shed?" in text
    assert "days: it names no date" in text
    assert "meaning  dense_search form=tuned" in text
    assert f"    1.0000 * {C}  Ines: The shed needs paint" in text
    assert f"added 2: {B}, {C}" in text
    assert "returned  ok, 2 atoms" in text
    assert "evidence  1 of 1 returned (*)" in text


def test_evidence_that_is_not_known_is_not_spoken_of(results):
    words = explain(results, "plot", "garden/q1", "surface-fact", budget=1)
    assert words.evidence == ()
    assert not [line for line in trace_lines(words) if line.startswith("evidence")]


def test_a_step_that_changes_the_order_by_days_is_seen(results):
    told = explain(results, "plot", "garden/q1", "fixed-best")
    lines = list(trace_lines(told))
    assert "          days: 2024-04-01 to 2024-04-30" in lines
    days = next(step for step in told.execution.trace if step.node == "days")
    assert [atom for atom, _ in days.scores] == ["garden/2/1", "garden/2/0"]


def test_a_step_that_is_left_out_is_told_with_its_reason(results):
    skill = results / "asks.md"
    skill.write_text(
        "---\nname: asks\ndescription: d\npreference: p\n---\n\n```json program\n"
        '[{"id": "rewrite", "primitive": "llm_process", "budget": 3}]\n```\n'
    )
    told = explain(results, "plot", "garden/q0", str(skill))
    text = "\n".join(trace_lines(told))
    assert "    skipped, merged by sum x 1, at most 3 held, " in text
    assert "llm_process: no language model is asked" in text
    assert "returned  empty, 0 atoms" in text
    assert f"missed * {C}" in text


def test_rows_are_json_with_all_scores_and_the_same_ranking(results):
    done = CliRunner().invoke(
        main,
        [
            "explain",
            "garden/q0",
            "--study",
            "plot",
            "--results",
            str(results),
            "--json",
        ],
    )
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["row"] for row in rows] == ["question", *["step"] * 4, "ranking"]
    assert rows[0]["evidence"] == [C]
    assert rows[1]["scores"] == {C: 1.0, B: 0.866025}
    assert rows[1]["added"] == [B, C]
    assert rows[3]["reason"] == "the question names no date"
    told = explain(results, "plot", "garden/q0")
    assert rows[-1]["items"] == list(told.execution.ranking.items)
    assert len(list(trace_rows(told))) == len(rows)


def test_words_are_read_by_the_study_s_own_encoder(results, models):
    told = explain(results, "plot", "Does Tom paint?", conversation="garden")
    assert models.texts == ["Does Tom paint?", "Does paint?"]
    assert (told.query.id, told.query.tuned_text) == ("question", "Does paint?")
    assert told.evidence is None
    assert told.execution.ranking.items[0] == C


def test_entities_and_tokens_are_made_only_if_the_skill_reads_them(results, models):
    told = explain(
        results, "plot", "Is it cold?", "entity-focus-literal", conversation="garden"
    )
    assert ("tags", "Is it cold?") in models.texts
    assert list(told.query.entity_vectors) == ["Oslo"]
    models.texts.clear()
    told = explain(
        results, "plot", "Is it cold?", "semantic-clue-late", conversation="garden"
    )
    assert models.texts[-1] == ("tokens", "Is it cold?")
    assert told.execution.ranking.state == "ok"


def test_another_encoder_than_the_study_s_is_refused_u38(results, models):
    models.identity = ENCODER | {"name": "big", "dimension": 3}
    with pytest.raises(ModelError, match="made by 'tiny', not by 'big'"):
        explain(results, "plot", "Does Tom paint?", conversation="garden")
    assert models.texts == []


def test_vectors_without_a_noted_encoder_are_refused(results, models):
    shard = results / "plot" / "memory" / "0"
    with writing(shard / "vectors.sqlite", provenance("vectors")):
        pass
    with pytest.raises(ModelError, match="expected the settings of its encoder"):
        explain(results, "plot", "Does Tom paint?", conversation="garden")
    assert SETTINGS["name"] == "folder"


def test_a_memory_without_token_vectors_says_so_in_the_trace(tmp_path):
    build(tmp_path, tokens=False)
    told = explain(tmp_path, "plot", "garden/q0", "semantic-clue-late")
    assert told.execution.ranking.state == "failed"
    assert "holds no token vectors" in told.execution.ranking.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plan", "garden/q0"), "no memory of study 'plan' below .* there are: plot"),
        (("plot", "garden/q9"), "no question 'garden/q9' in this study"),
        (
            ("plot", "garden shed/q9"),
            "name one with --conversation; there are: garden,",
        ),
        (("plot", " \n"), "got a blank one"),
        (("plot", "What?"), "name one with --conversation; there are: garden, pond"),
        (("plot", "What?", "fixed-best", "lake"), "there is no 'lake' with --conv"),
        (("plot", "garden/q0", "fixed-best", "pond"), "is about conversation 'garden'"),
        (("plot", "garden/q0", "nope"), "no retrieval skill 'nope'; there are: entity"),
        (("plot", "garden/q0", "nope.md"), "no retrieval skill at nope.md"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(results, arguments, message):
    with pytest.raises(InputError, match=message):
        explain(results, *arguments)


def test_a_conversation_with_blanks_in_its_name_has_questions_with_ids(tmp_path):
    shard = tmp_path / "plot" / "memory" / "2"
    with writing(shard / "memory.sqlite", provenance("memory")) as db:
        conversations.save_speakers(db, [("small pond", ("Ann",))])
    with pytest.raises(InputError, match="no question 'small pond/q1' in this study"):
        explain(tmp_path, "plot", "small pond/q1")
    with pytest.raises(InputError, match="there is no 'sea' with --conversation"):
        explain(tmp_path, "plot", "small sea/q1", conversation="sea")


def test_no_results_at_all_is_one_sentence(tmp_path):
    done = CliRunner().invoke(
        main, ["explain", "x", "--study", "s", "--results", str(tmp_path)]
    )
    assert done.exit_code == 3
    assert "there are: none yet, run `skillmill run` first" in done.stderr


def test_a_skill_of_the_study_is_found_by_its_name(results):
    own = results / "own.md"
    own.write_text(
        "---\nname: own\ndescription: d\npreference: p\n---\n\n```json program\n"
        '[{"id": "near", "primitive": "dense_search"}]\n```\n'
    )
    shard = results / "plot" / "memory" / "0"
    made = provenance("rankings", inputs={"skills": [own]})
    with writing(shard / "rollouts.sqlite", made):
        pass
    assert explain(results, "plot", "garden/q0", "own").skill.path == ("dense_search",)
    own.unlink()
    with pytest.raises(InputError, match="no retrieval skill 'own'"):
        explain(results, "plot", "garden/q0", "own")


def test_control_characters_of_a_memory_never_reach_the_terminal(tmp_path, models):
    build(tmp_path)
    told = explain(tmp_path, "plot", "Is \x1b[2J it?", conversation="garden")
    assert all("\x1b" not in line for line in trace_lines(told))
    assert any("⟨U+001B⟩" in line for line in trace_lines(told))
