"""Texts that belong together, taken from a library."""

from skillmill.library.pairs import Pair, training_pairs
from skillmill.types import Task
from tests.library.linker import skill

BODY = (
    "Short.\n# Sort\nPut the pots in a row, the largest first, then count them.\n"
    "## Weigh\n" + "word " * 200 + "\n# Two words\n"
)


def test_names_sections_and_queries_are_paired_with_what_is_indexed():
    pots = skill("x/clay-pots", "All about pots.", body=BODY)
    asked = [Task("q", "which pot is heaviest", ("x/clay-pots", "y/gone"), ())]
    found = training_pairs([pots], asked)
    assert [pair.anchor[:20] for pair in found] == [
        "clay pots",
        "Sort Put the pots in",
        "Weigh word word word",
        "which pot is heavies",
    ]
    assert {pair.positive for pair in found} == {"clay-pots: All about pots."}
    assert max(len(pair.anchor) for pair in found) == 400


def test_kinds_and_the_number_of_sections_can_be_chosen():
    pots = skill("pots", "All about pots.", body=BODY)
    assert training_pairs([pots], kinds=["name"]) == [
        Pair("pots", "pots: All about pots.")
    ]
    assert len(training_pairs([pots], kinds=["section"], sections=1)) == 1


def test_no_pair_comes_twice_and_the_order_is_that_of_the_ids():
    asked = [Task(name, "how", ("b", "a"), ()) for name in ("q1", "q2")]
    found = training_pairs([skill("b"), skill("a")], asked, kinds=["query"])
    assert [pair.positive for pair in found] == ["a: ", "b: "]
    assert training_pairs([]) == []
