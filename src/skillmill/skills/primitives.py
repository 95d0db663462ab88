"""The primitives that retrieval programs are made of (ERSkill, appendix A.1, table 3).

Each is a function of the query, the state, the view and its arguments that gives
scores over the atoms of the view, above 0 where an atom was found; the executor
merges them.
"""

from collections.abc import Mapping
from dataclasses import replace

from skillmill.skills.arguments import Argument
from skillmill.skills.asking import llm_primitive, llm_process
from skillmill.skills.expansions import (
    range_conflict,
    range_read,
    relation_expand,
    similarity_expand,
    temporal_focus_expand,
)
from skillmill.skills.primitive import Kind, Primitive, RunMany, one_of_many
from skillmill.skills.searches import (
    dense_search,
    entities_read,
    entity_search,
    late_conflict,
    lexical_search,
    vectors_read,
)

_FORM = {"form": Argument("choice", "tuned", ("literal", "tuned"))}
_LATE = {"late": Argument("flag", False)}
_SEEDS = {"seeds": Argument("count", 5)}
_WALK = {
    "restart": Argument("share", 0.3),
    "prior": Argument("share", 0.5),
    "matches": Argument("count", 3),
}
#: What happened on a day is mostly told within the week after it: on LoCoMo a range
#: that ends 3 to 10 days later finds most.
_DAYS = {
    "time_range": Argument("days"),
    "range": Argument("choice", "given", ("given", "question")),
    "days_before": Argument("number", 1),
    "days_after": Argument("number", 7),
    "rerank": Argument("flag", True),
}


def _built_in(
    kind: Kind, many: RunMany, arguments: Mapping[str, Argument]
) -> Primitive:
    """Make the primitive of a function for many queries, by the function's name."""
    run = one_of_many(many)
    return Primitive(many.__name__, kind, run, arguments, many=many)


#: All primitives by name. A program may use those of any such mapping.
PRIMITIVES: Mapping[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        replace(
            _built_in("search", dense_search, _FORM | _LATE),
            conflict=late_conflict,
            reads=vectors_read,
            evidence=False,
        ),
        replace(_built_in("search", lexical_search, _FORM), evidence=False),
        replace(
            _built_in("search", entity_search, _FORM | _WALK),
            reads=entities_read,
            evidence=False,
        ),
        replace(_built_in("expand", similarity_expand, _SEEDS), reads=vectors_read),
        _built_in("expand", relation_expand, _SEEDS | {"relations": Argument("names")}),
        replace(
            _built_in("expand", temporal_focus_expand, _FORM | _DAYS),
            needs=("time_range",),
            needless={"range": "question"},
            conflict=range_conflict,
            reads=range_read,
            evidence=False,
        ),
        llm_primitive(llm_process),
    )
}
