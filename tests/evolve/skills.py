"""Small retrieval skills for the tests of evolution."""

from dataclasses import replace

from skillmill.evolve.trie import with_own_hash
from skillmill.types import Node, RetrievalSkill

WORDS = {"D": "dense_search", "L": "lexical_search", "E": "entity_search"}
WORDS |= {"S": "similarity_expand", "R": "relation_expand", "M": "llm_process"}


def skill(letters, name=None, **last):
    """A skill by letters of its primitives; `last` are fields of its last node."""
    nodes = [Node(f"n{n}", WORDS[letter]) for n, letter in enumerate(letters)]
    nodes[-1] = replace(nodes[-1], **last)
    return with_own_hash(
        RetrievalSkill(name or letters.lower(), "d", "p", tuple(nodes), "")
    )
