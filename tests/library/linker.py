"""Invented skills, and a scripted endpoint that links them."""

import hashlib
import json
import re
import threading
from collections.abc import Callable
from typing import Any

import httpx2
import numpy as np
from werkzeug import Request, Response

from skillmill.compute.vectors import nearest
from skillmill.library.cousage import CoUsage
from skillmill.library.edges import EdgeSettings, build_graph
from skillmill.library.emitting import Emitter
from skillmill.library.shortlist import ShortlistSettings
from skillmill.library.vocabulary import RELATIONS
from skillmill.models.chat import RoleSettings
from skillmill.models.llm import ChatClient
from skillmill.types import Edge, LibrarySkill

URL = "http://linker.test/v1"
VERBS = ["sort", "weigh", "label", "press", "dry", "cut", "fold", "bind", "stamp"]
THINGS = ["leaves", "pots", "letters", "tiles", "ropes", "maps", "seeds", "bricks"]

Edges = list[dict[str, Any]]


def skill(id_, description="", **fields):
    """A skill of which only what matters is given."""
    blank = {
        "kind": "skill",
        "name": id_.rsplit("/", 1)[-1],
        "path": f"{id_}/SKILL.md",
        "department": "",
        "category": "",
        "tags": (),
        "related": (),
        "inputs": (),
        "outputs": (),
        "tools": (),
        "part_of": None,
        "body": "",
        "content_hash": hashlib.sha256(f"{id_}{description}".encode()).hexdigest(),
    }
    return LibrarySkill(id=id_, description=description, **blank | fields)


def invented(count, seed=0):
    """So many skills whose descriptions share words."""
    rng = np.random.default_rng(seed)
    return [skill(f"s{number:03d}", sentence(rng)) for number in range(count)]


def sentence(rng):
    """A description made of the words above."""
    pairs = zip(rng.choice(VERBS, 3), rng.choice(THINGS, 3), strict=True)
    return ", ".join(f"{verb} {thing}" for verb, thing in pairs) + "."


def similar_edges(skills, neighbours=8, floor=0.2):
    """`similar_to` by shared words, as an encoder of words would see it."""
    words = [*VERBS, *THINGS]
    rows = [[s.description.count(word) + 1e-3 for word in words] for s in skills]
    source, target, cosine = nearest(np.array(rows), neighbours, floor)
    return [
        Edge(skills[s].id, skills[t].id, "similar_to", float(c), "embedding")
        for s, t, c in zip(source, target, cosine, strict=True)
    ]


def by_hash(asked: dict[str, Any], shown: list[dict[str, Any]]) -> Edges:
    """Edges of about a third of the pairs; they depend on the texts alone."""
    edges = []
    for other in shown:
        text = asked["description"] + "|" + other["description"]
        digest = hashlib.sha256(text.encode()).digest()
        if digest[0] % 3 == 0:
            ends = (asked["id"], other["id"])
            source, target = ends if digest[1] % 2 else ends[::-1]
            relation = RELATIONS[digest[2] % len(RELATIONS)]
            edges.append({"source": source, "target": target, "relation": relation})
    return edges


class Linker:
    """Answers `emit_edges` by a rule, and remembers what it was asked (once).

    A request to mend a reply is answered like the first.
    """

    def __init__(self, rule: Callable[..., object] = by_hash) -> None:
        self.rule = rule
        self.asked: list[tuple[str, ...]] = []
        self.prompts: list[str] = []
        self.status = 200
        self.out_of_order_after: int | None = None
        self._lock = threading.Lock()

    def reply(self, body: bytes) -> tuple[int, bytes]:
        """Status and body of the response to a request."""
        messages = json.loads(body)["messages"]
        prompt = next(m["content"] for m in messages if m["role"] == "user")
        asked = json.loads(_fenced(prompt, "skill"))
        lines = _fenced(prompt, "candidates").splitlines()
        shown = [json.loads(line) for line in lines]
        if messages[-1]["content"] == prompt:
            with self._lock:
                self.asked.append((asked["id"], *(other["id"] for other in shown)))
                self.prompts.append(prompt)
        if self.out_of_order_after is not None:
            self.status = 200 if len(self.asked) <= self.out_of_order_after else 403
        if self.status != 200:
            return self.status, b'{"error": {"message": "out of order"}}'
        said = self.rule(asked, shown)
        content = said if isinstance(said, str) else json.dumps({"edges": said})
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": content},
        }
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 9}
        return 200, json.dumps({"choices": [choice], "usage": usage}).encode()

    def client(self) -> httpx2.AsyncClient:
        """An HTTP client whose every request comes here."""

        async def answer(request: httpx2.Request) -> httpx2.Response:
            status, content = self.reply(request.content)
            return httpx2.Response(
                status, headers={"content-type": "application/json"}, content=content
            )

        return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))

    def serve(self, request: Request) -> Response:
        """Answer a request of pytest-httpserver."""
        status, content = self.reply(request.get_data())
        return Response(content, status, {"content-type": "application/json"})


def _fenced(prompt: str, name: str) -> str:
    return re.search(rf'<data name="{name}">\n(.*?)\n?</data>', prompt, re.DOTALL)[1]


#: Candidates by the embedding alone, as in the paper.
PAPER = ShortlistSettings({"similar": 8}, 8)


def build(
    skills,
    linker,
    replies,
    *,
    answers=None,
    similar=None,
    usage=None,
    curated=None,
    mode="live",
    failed_share=0.2,
    role=None,
    **settings,
):
    """A graph, the emitter that asked for it, and the client."""
    chat = ChatClient(
        {
            "emit_edges": RoleSettings(
                **{"model": "tiny", "base_url": URL, **(role or {})}
            )
        },
        replies,
        rng=np.random.default_rng(0),
        mode=mode,
        http_client=None if role else linker.client(),
    )
    with chat:
        emitter = Emitter(chat, answers, model="tiny", failed_share=failed_share)
        graph = build_graph(
            skills,
            similar_edges(skills) if similar is None else similar,
            usage or CoUsage({}),
            curated,
            EdgeSettings(**{"shortlist": PAPER, **settings}),
            emitter,
        )
    return graph, emitter
