"""Embeddings of an endpoint: over a scripted transport, and over a real socket."""

import json
import logging
import socket

import httpx2
import numpy as np
import pytest

from skillmill.errors import ConfigError, ModelError
from skillmill.models.encoder import EncoderSettings, identity_of, load_encoder
from skillmill.models.endpoint_encoder import EndpointEncoder, EndpointSettings

URL = "http://embeddings.example/v1"
KEY = "sk-0123456789abcdef"


def vector_of(text):
    """An easy rule: (3, 4) times the length of the text, so always (0.6, 0.8)."""
    return [3.0 * len(text), 4.0 * len(text)]


def reply_to(request, change=None):
    """A good reply to a request, its rows in reverse; `change` may spoil it."""
    texts = json.loads(request.content)["input"]
    rows = [
        {"object": "embedding", "index": n, "embedding": vector_of(text)}
        for n, text in enumerate(texts)
    ][::-1]
    body = {"object": "list", "data": rows, "model": "m"}
    if change:
        change(body)
    return httpx2.Response(200, json=body)


class Server:
    """Answers with a script, one entry a request; the last goes on for ever."""

    def __init__(self, *script):
        self.script = list(script)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(step, Exception):
            raise step
        return step(request) if callable(step) else step

    def sent(self):
        return [json.loads(request.content)["input"] for request in self.requests]


def encoder_for(server, batch_size=16, **settings):
    waits = []
    encoder = EndpointEncoder(
        EndpointSettings("m", settings.pop("base_url", URL), **settings),
        batch_size,
        httpx2.Client(transport=httpx2.MockTransport(server)),
        np.random.default_rng(0),
        waits.append,
    )
    return encoder, waits


def test_rows_are_of_length_one_in_the_order_given_whatever_the_server_sends():
    server = Server(reply_to)
    encoder, _ = encoder_for(server)
    vectors = encoder.encode(["long text", "b"])
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[0.6, 0.8], [0.6, 0.8]]))
    assert server.sent() == [["b", "long text"]]


def test_equal_texts_are_asked_for_once_and_batches_are_cut():
    server = Server(reply_to)
    encoder, _ = encoder_for(server, batch_size=2)
    assert encoder.encode(["c", "a", "b", "a", "c"]).shape == (5, 2)
    assert server.sent() == [["a", "b"], ["c"]]


def test_half_a_surrogate_pair_is_sent_as_the_replacement_character_u37():
    server = Server(reply_to)
    assert encoder_for(server)[0].encode(["a\ud800b"]).shape == (1, 2)
    assert server.sent() == [["a\ufffdb"]]


def test_no_text_asks_nothing():
    server = Server(reply_to)
    assert encoder_for(server, dimension=7)[0].encode([]).shape == (0, 7)
    assert server.requests == []


def test_the_dimension_is_asked_for_and_held():
    server = Server(reply_to)
    encoder, _ = encoder_for(server, dimension=3)
    with pytest.raises(ModelError, match="vectors of 2 numbers, not 3"):
        encoder.encode(["a"])
    assert json.loads(server.requests[0].content)["dimensions"] == 3


def test_a_dimension_that_changes_from_batch_to_batch_is_refused():
    def shorter(body):
        body["data"][0]["embedding"] = [1.0]

    server = Server(reply_to, lambda request: reply_to(request, shorter))
    encoder, _ = encoder_for(server, batch_size=1)
    with pytest.raises(ModelError, match="vectors of 1 numbers, not 2"):
        encoder.encode(["a", "b"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda body: body.pop("data"), "KeyError 'data'"),
        (lambda body: body["data"].pop(), r"1 vectors, numbered \[1\]"),
        (lambda body: body["data"].append(body["data"][0]), "3 vectors"),
        (lambda body: body["data"][0].update(embedding=[0.0, 0.0]), "zero or not fin"),
        (lambda body: body["data"][0].update(embedding=[None, 1.0]), "zero or not fin"),
        (lambda body: body["data"][0].update(embedding=[404.5, 1]), "zero or not fin"),
        (lambda body: body["data"][0].update(embedding=[1.0]), "no list of vectors"),
        (lambda body: body["data"][0].update(embedding="aGk="), "no list of vectors"),
    ],
)
def test_a_reply_without_one_good_vector_a_text_is_a_failure_never_zeros(
    change, reason
):
    def spoiled(request):
        response = reply_to(request, change)
        return httpx2.Response(
            200,
            content=response.content.replace(b"404.5", b"NaN"),
            headers={"content-type": "application/json"},
        )

    encoder, _ = encoder_for(Server(spoiled))
    with pytest.raises(ModelError, match=reason) as caught:
        encoder.encode(["a", "b"])
    assert "for 2 texts, the first 'a' (1 characters)" in str(caught.value)
    assert "'m' at http://embeddings.example/v1" in str(caught.value)


@pytest.mark.parametrize(
    "response",
    [
        httpx2.Response(200, text="<html>hello</html>"),
        httpx2.Response(200, text="{", headers={"content-type": "application/json"}),
        httpx2.Response(200, json=[1, 2]),
    ],
)
def test_what_is_no_reply_of_an_embeddings_endpoint_is_a_failure(response):
    encoder, _ = encoder_for(Server(response))
    with pytest.raises(ModelError, match="cannot be read"):
        encoder.encode(["a"])


def test_an_error_under_a_good_status_is_told_in_the_server_s_words():
    encoder, _ = encoder_for(Server(httpx2.Response(200, json={"error": "no memory"})))
    with pytest.raises(ModelError, match="in place of a reply: no memory"):
        encoder.encode(["a"])


def test_an_address_that_is_not_there_asks_for_the_end_of_the_base_url():
    encoder, _ = encoder_for(Server(httpx2.Response(404, text="404 \n" * 50)))
    with pytest.raises(ModelError, match=r"404; is .* does base_url end in /v1"):
        encoder.encode(["a"])


def test_what_may_pass_is_tried_again_and_the_server_is_given_its_time():
    busy = httpx2.Response(429, headers={"retry-after": "7"})
    server = Server(busy, httpx2.Response(503), httpx2.ConnectError("no"), reply_to)
    encoder, waits = encoder_for(server)
    assert encoder.encode(["a"]).shape == (1, 2)
    assert len(server.requests) == 4
    assert 7 <= waits[0] <= 7.7
    assert len(waits) == 3


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (httpx2.Response(500, text="over  heated"), "HTTP 500: over heated"),
        (httpx2.ReadTimeout("slow"), "no reply within 60 s"),
        (httpx2.ConnectError("refused"), r"no connection \(ConnectError: refused\)"),
    ],
)
def test_tries_are_bounded_and_the_last_reason_is_told(step, reason):
    server = Server(step)
    encoder, waits = encoder_for(server, max_tries=3)
    with pytest.raises(ModelError, match=reason):
        encoder.encode(["a"])
    assert (len(server.requests), len(waits)) == (3, 2)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_will_not_pass_is_not_tried_again(status):
    server = Server(httpx2.Response(status, json={"error": {"message": "no such"}}))
    encoder, _ = encoder_for(server)
    with pytest.raises(ModelError, match=f"HTTP {status}.*no such.*skillmill doctor"):
        encoder.encode(["a", "b"])
    assert len(server.requests) == 1


def test_a_text_that_is_too_long_is_found_by_halving_and_named():
    def picky(request):
        texts = json.loads(request.content)["input"]
        if any(len(text) > 100 for text in texts):
            return httpx2.Response(400, json={"error": {"message": "context length"}})
        return reply_to(request)

    server = Server(picky)
    encoder, _ = encoder_for(server, batch_size=8)
    with pytest.raises(ModelError, match=r"1 texts, .* \(101 characters\).*max_length"):
        encoder.encode([*"abcdefg", "x" * 101])
    assert [len(batch) for batch in server.sent()] == [8, 4, 4, 2, 2, 1, 1]
    assert encoder.encode([*"abcdefg"]).shape == (7, 2)


def test_the_key_is_sent_and_never_shown(monkeypatch, caplog):
    monkeypatch.setenv("EMBED_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    server = Server(
        httpx2.Response(503, text=f"bad key {KEY}"),
        httpx2.Response(401, text=f"wrong key {KEY}"),
    )
    encoder, _ = encoder_for(server, key_variable="EMBED_KEY")
    with pytest.raises(ModelError, match=r"wrong key \*\*\*") as caught:
        encoder.encode(["a"])
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{caught.value!r} {encoder!r} {encoder.identity} {caplog.text}"
    assert caught.value.__cause__ is None


def test_without_a_key_variable_no_key_of_the_environment_is_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = Server(reply_to)
    encoder_for(server)[0].encode(["a"])
    assert "authorization" not in server.requests[0].headers


def test_a_missing_key_is_named_by_its_variable(monkeypatch):
    monkeypatch.delenv("EMBED_KEY", raising=False)
    encoder, _ = encoder_for(Server(reply_to), key_variable="EMBED_KEY")
    with pytest.raises(ConfigError, match="EMBED_KEY"):
        encoder.encode(["a"])


def test_the_identity_names_the_endpoint_without_credentials():
    settings = EncoderSettings(
        name="endpoint:nomic",
        base_url="http://me:secret-word@Example.com:80/v1/",
        dimension=256,
    )
    identity = identity_of(settings)
    assert identity == {
        "name": "nomic",
        "revision": "as served",
        "dimension": 256,
        "pooling": "as served",
        "prefix": "",
        "max_length": 0,
        "normalised": 1,
        "backend": "endpoint",
        "endpoint": "http://example.com/v1",
    }
    assert "secret-word" not in repr(settings) + repr(settings.endpoint)
    assert load_encoder(settings).identity == identity


def test_an_endpoint_without_an_address_is_refused_with_the_way_out():
    with pytest.raises(ConfigError, match=r"set encoder\.base_url"):
        load_encoder(EncoderSettings(name="endpoint:nomic"))


def test_it_works_over_a_real_socket(httpserver):
    def answer(request):
        from werkzeug import Response

        body = reply_to(httpx2.Request("POST", URL, content=request.data)).content
        return Response(body, content_type="application/json")

    httpserver.expect_request("/v1/embeddings", method="POST").respond_with_handler(
        answer
    )
    settings = EncoderSettings(
        name="endpoint:m", base_url=httpserver.url_for("/v1"), batch_size=2
    )
    vectors = load_encoder(settings).encode(["a", "b", "c"])
    assert vectors == pytest.approx(np.tile([0.6, 0.8], (3, 1)))


def test_a_port_that_nobody_listens_to_is_a_failure():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    settings = EncoderSettings(
        name="endpoint:m", base_url=f"http://127.0.0.1:{port}/v1", max_tries=1
    )
    with pytest.raises(ModelError, match="no connection"):
        load_encoder(settings).encode(["a"])
