"""What a skill's text and declarations say of others, and the shortlist made of it."""

import math

import pytest

from skillmill.library.cousage import CoUsage
from skillmill.library.declared import (
    Names,
    feeding_edges,
    part_edges,
    producers,
    related,
    related_edges,
)
from skillmill.library.shortlist import ShortlistSettings, shortlists
from skillmill.library.textlinks import (
    file_types_of,
    links,
    mentions,
    shared_file_types,
    shared_tools,
    tools_of,
)
from skillmill.types import Edge
from tests.library.linker import skill

ALL = {
    "similar": 8, "related": 8, "part_of": 8, "link": 8, "mention": 8,
    "declared_io": 8, "co_usage": 8, "tool": 3, "file_type": 3,
}  # fmt: skip


def near(source, target, cosine):
    return Edge(source, target, "similar_to", cosine, "embedding")


def test_a_link_to_another_folder_or_file_is_found():
    body = (
        "See [pots](../pots/SKILL.md), [ropes](../ropes/#how) and [maps](maps/skill.md)"
        " and [web](https://example.org/pots/SKILL.md), [self](./SKILL.md) [x](a b)"
        " [own](references/pots.md) [again](../pots)"
    )
    skills = [
        skill("garden/leaves", body=body),
        skill("garden/pots"),
        skill("garden/ropes"),
        skill("maps", aliases=("old/maps",)),
        skill(
            "far", body="[m](/old/maps/SKILL.md) [up](../../../maps) [bad](http://[x)"
        ),
    ]
    found = links(skills)
    assert found["garden/leaves"] == [
        ("garden/pots", 2.0),
        ("garden/ropes", 1.0),
        ("maps", 1.0),
    ]
    assert found["far"] == [("maps", 2.0)]
    assert found["garden/pots"] == []


def test_a_name_of_several_parts_is_a_mention_wherever_it_stands():
    body = (
        "First use Leaf-Press, then leaf-press again; not leaf-presser or leaf press."
    )
    skills = [skill("a", body=body), skill("b/leaf-press"), skill("leaf-press-2")]
    assert mentions(skills)["a"] == [("b/leaf-press", 2.0)]


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("A pot is made of clay; the pot dries.", False),
        ("Use the `pot` skill.", True),
        ("see skill `pot` for that", True),
        ('the skill "pot" does it', True),
        ("**pot** skill", True),
        ("run /pot now", True),
        ("lies in data/pot or ./pot", False),
        ("`pot` is a word", False),
    ],
)
def test_a_name_of_one_word_needs_a_sign_that_a_skill_is_meant(text, is_meant):
    skills = [skill("a", description=text), skill("pot")]
    assert mentions(skills)["a"] == ([("pot", 1.0)] if is_meant else [])


def test_a_name_that_several_skills_have_means_them_all_and_never_itself():
    skills = [skill("x/dry-it", body="dry-it, x/dry-it"), skill("y/dry-it"), skill("z")]
    assert mentions(skills)["x/dry-it"] == [("y/dry-it", 2.0)]


def test_tools_are_imports_installs_and_allowed_programs():
    one = skill(
        "a",
        tools=("Bash(kiln:*)", "Read", "Bash(git:add *)"),
        body="import words\n```python\nimport clay\nfrom glaze.deep import x\n```\n"
        "```bash\npip install wheel-2 'tongs>=1' && kiln\n```\n",
    )
    assert tools_of(one) == {"kiln", "git", "clay", "glaze", "wheel-2"}


def test_file_types_are_known_endings_in_text_and_slots():
    one = skill(
        "a",
        "Turn *.STL files and scan.tif into a `.csv`. E.g. np.array is none.",
        inputs=("survey-gpx",),
        outputs=("report",),
    )
    assert file_types_of(one) == {"stl", "tif", "csv", "gpx"}


def test_the_rarest_shared_tools_come_first():
    block = "```\nimport {}\n```\n"
    skills = [
        skill("a", body=block.format("rare") + block.format("common")),
        skill("b", body=block.format("rare")),
        skill("c", body=block.format("common")),
        skill("d", body=block.format("common")),
        skill("e"),
    ]
    found = shared_tools(skills, 2)
    assert found["a"] == [
        ("b", round(math.log(5 / 2), 6)),
        ("c", round(math.log(5 / 3), 6)),
    ]
    assert found["e"] == []


def test_what_very_many_share_says_nothing():
    skills = [skill(f"s{n:02d}", "about .csv") for n in range(30)]
    assert set(map(len, shared_file_types(skills, 3).values())) == {0}


def test_related_is_resolved_by_id_alias_and_unique_name():
    skills = [
        skill("a", related=("x/pots", "old", "Ropes", "twice", "nobody", "a")),
        skill("x/pots"),
        skill("new", aliases=("old",)),
        skill("y/ropes"),
        skill("x/twice"),
        skill("y/twice"),
    ]
    found, lost = related(skills)
    assert found["a"] == ["new", "x/pots", "y/ropes"]
    assert lost == 2
    assert related_edges(skills)[0] == Edge("a", "new", "complements", None, "derived")


def test_a_related_pair_is_one_edge_whoever_declares_it():
    skills = [skill("b", related=("a",)), skill("a", related=("b",))]
    assert related_edges(skills) == [Edge("a", "b", "complements", None, "derived")]


def test_a_nested_skill_is_part_of_the_one_around_it_u46():
    skills = [skill("a"), skill("a/deep/b", part_of="a"), skill("c", part_of="gone")]
    assert part_edges(skills) == [Edge("a/deep/b", "a", "part_of", None, "derived")]


def test_feeding_needs_enough_of_the_consumers_inputs():
    skills = [
        skill("clay", outputs=("Raw Clay",)),
        skill("both", outputs=("raw-clay", "glaze_powder")),
        skill("pot", inputs=("raw_clay", "glaze powder"), outputs=("pot",)),
    ]
    assert producers(skills, 8)[0]["pot"] == [("both", 1.0), ("clay", 0.5)]
    half = feeding_edges(skills, 0.5, 8)
    assert [(e.source, e.target, e.weight, e.provenance) for e in half] == [
        ("both", "pot", 1.0, "rule"),
        ("clay", "pot", 0.5, "rule"),
    ]
    assert [e.source for e in feeding_edges(skills, 0.6, 8)] == ["both"]
    assert [e.source for e in feeding_edges(skills, 0.5, 1)] == ["both"]
    assert producers(skills, 1)[1] == 1


def test_a_skill_does_not_feed_itself():
    same = [skill("coin", inputs=("table",), outputs=("table",)), skill("none")]
    assert feeding_edges(same, 0.5, 8) == []


def test_candidates_of_every_source_are_gathered_with_their_source():
    skills = [
        skill(
            "a/b-c", "Fire it.", related=("pot",), inputs=("clay",), body="[x](../../k)"
        ),
        skill("a/b-c/in", part_of="a/b-c"),
        skill("dig", outputs=("clay",), body="then a/b-c"),
        skill("k"),
        skill("pot"),
    ]
    usage = CoUsage({"t": ("pot", "k")})
    made = shortlists(
        skills, [near("k", "dig", 0.9)], usage, ShortlistSettings(ALL, 20)
    )
    assert dict(made.found["a/b-c"]) == {
        "dig": ("declared_io",),
        "k": ("link",),
        "pot": ("related",),
    }
    assert dict(made.found["a/b-c/in"]) == {"a/b-c": ("part_of",)}
    assert dict(made.found["dig"]) == {"a/b-c": ("mention",)}
    assert dict(made.found["k"]) == {"dig": ("similar",), "pot": ("co_usage",)}
    assert made.left_out == 0
    assert ("k", "pot", "co_usage") in made.rows()


def test_a_source_that_is_off_gives_nothing():
    skills = [skill("a", related=("b",)), skill("b")]
    made = shortlists(
        skills, [near("a", "b", 1.0)], CoUsage({}), ShortlistSettings({}, 9)
    )
    assert dict(made.found["a"]) == {}


def test_lists_are_bounded_by_source_and_in_all_the_most_trusted_first():
    skills = [skill(name) for name in "abcdef"]
    skills[0] = skill("a", related=("f", "e"))
    similar = [near("a", other, 1 - n / 10) for n, other in enumerate("bcd")]
    made = shortlists(
        skills, similar, CoUsage({}), ShortlistSettings({"similar": 2, "related": 5}, 3)
    )
    # of similar b and c, then the limit of 3 leaves e, f and the nearest
    assert [*made.found["a"]] == ["b", "e", "f"]
    assert made.left_out == 2


def test_the_order_of_the_list_is_that_of_the_ids_whatever_the_cosines():
    skills = [skill(name) for name in "abc"]
    one = [near("a", "b", 0.8), near("a", "c", 0.7)]
    other = [near("a", "c", 0.8), near("a", "b", 0.7)]
    settings = ShortlistSettings({"similar": 8}, 8)
    made = [shortlists(skills, s, CoUsage({}), settings) for s in (one, other)]
    assert [*made[0].found["a"]] == [*made[1].found["a"]] == ["b", "c"]


def test_a_neighbour_that_is_gone_is_no_candidate_u16():
    made = shortlists(
        [skill("a")], [near("a", "ghost", 0.9)], CoUsage({}), ShortlistSettings(ALL, 9)
    )
    assert dict(made.found["a"]) == {}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_libraries_have_tiny_lists(count):
    skills = [skill(name, "All the same .csv text.") for name in "ab"[:count]]
    made = shortlists(skills, [], CoUsage({}), ShortlistSettings(ALL, 9))
    assert len(made.found) == count


def test_a_huge_body_is_read_in_no_time():
    body = "```\nimport clay\n" + "x_y [a](b) `pot` /k " * 250_000
    skills = [skill("a", body=body), skill("b")]
    assert (
        shortlists(skills, [], CoUsage({}), ShortlistSettings(ALL, 9)).found["b"] == {}
    )


def test_names_find_ids_aliases_and_unique_names():
    names = Names([skill("x/pots", aliases=("p",)), skill("y/ropes"), skill("z/ropes")])
    assert [names.find(n) for n in ("x/pots", "p", "POTS", "ropes", "no")] == [
        "x/pots", "x/pots", "x/pots", None, None,
    ]  # fmt: skip
    assert names.all() == ["p", "x/pots", "y/ropes", "z/ropes"]
