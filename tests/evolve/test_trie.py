import pytest

from skillmill.evolve.trie import Event, Tally, Trie, summary
from tests.evolve.skills import skill

D, L, DL = skill("D"), skill("L"), skill("DL")
SEEDS = Trie().added(D, source=None, step=-1).added(L, source=None, step=-1)


def test_a_path_that_was_tried_is_refused_whatever_its_words_weights_and_arguments():
    trie = SEEDS.added(DL, source=D.content_hash, step=0)
    heavier = skill("DL", "heavier", weight=2.0)
    assert trie.refusal(heavier) == (
        "repeats the path of dl, dense_search > lexical_search"
    )
    with pytest.raises(ValueError, match=r"heavier.*repeats the path"):
        trie.added(heavier, source=None, step=1)


def test_by_program_another_weight_or_argument_is_new_but_other_words_are_not():
    trie = Trie((), "program").added(DL, source=None, step=0)
    assert trie.refusal(skill("DL", "heavier", weight=2.0)) is None
    assert trie.refusal(skill("DL", "literal", args={"form": "literal"})) is None
    assert "repeats the program of dl" in trie.refusal(skill("DL", "words"))


@pytest.mark.parametrize("identity", ["path", "program"])
def test_llm_process_is_one_type_whatever_it_is_told(identity):
    trie = Trie((), identity).added(skill("DM"), source=None, step=0)
    told = skill("DM", "told", args={"instruction": "Give the month."})
    assert "repeats" in trie.refusal(told)


def test_a_name_is_given_once():
    assert SEEDS.refusal(skill("LD", "d")) == "the name d is taken"


def test_rollouts_add_up_by_split():
    trie = SEEDS.tallied("train", {D.content_hash: [1, 0.5]})
    trie = trie.tallied("train", {D.content_hash: [0], L.content_hash: []})
    assert trie[D.content_hash].rollouts == {"train": Tally(3, 1.5)}
    assert trie[D.content_hash].mean("train") == 0.5
    assert trie[D.content_hash].mean("val") is None
    assert trie[L.content_hash].rollouts == {}


def test_a_skill_stands_where_the_frontiers_and_its_history_say():
    trie = SEEDS.added(DL, source=D.content_hash, step=0)
    trie = trie.standing([L.content_hash], [L.content_hash])
    assert [one.status for one in trie.explored] == ["displaced", "both", "rejected"]
    assert trie.retired() == (D, DL)
    trie = trie.happened(DL.content_hash, Event(0, "entered"))
    trie = trie.standing([DL.content_hash], [L.content_hash])
    assert [one.status for one in trie.explored] == [
        "displaced", "deploy", "capability",
    ]  # fmt: skip
    trie = trie.standing([], [L.content_hash])
    assert trie[DL.content_hash].status == "displaced"


def test_shared_prefixes_are_one_node():
    trie = SEEDS.added(DL, source=D.content_hash, step=0)
    trie = trie.added(skill("DLS"), source=DL.content_hash, step=1)
    trie = trie.tallied("val", {DL.content_hash: [0.5], D.content_hash: [0.25]})
    nodes = {node.path: node for node in trie.prefixes()}
    assert len(nodes) == 4
    dense = nodes["dense_search",]
    assert (dense.explored, dense.ends, dense.best) == (3, 1, 0.5)
    assert nodes["lexical_search",].best is None


def test_the_summary_has_a_line_a_skill():
    trie = SEEDS.tallied("train", {D.content_hash: [1, 0]})
    assert summary(trie).split("\n")[0] == (
        "dense_search [d] proposed; train 0.500 (n = 2); seed at -1"
    )
    assert summary(Trie()) == ""


def test_an_unknown_skill_is_no_member():
    assert D.content_hash in SEEDS
    assert "x" not in SEEDS
    with pytest.raises(KeyError):
        SEEDS["x"]
