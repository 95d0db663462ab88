"""What the environment may do to a request, and what it must not."""

import ssl

import httpx2
import pytest

from skillmill.errors import ConfigError, ModelError
from skillmill.models.endpoint_encoder import EndpointEncoder, EndpointSettings
from skillmill.models.llm import ChatClient
from tests.models.endpoint import (
    MemoryReplies,
    RawServer,
    Script,
    request,
    rng,
    says,
    settings,
)

CLOSED = "http://localhost:9/v1"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE")


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def asked(url, **changes):
    roles = {"linker": settings(base_url=url, **changes)}
    with ChatClient(roles, MemoryReplies(), rng=rng()) as chat:
        return chat.ask_many([request()])[0]


@pytest.mark.parametrize(
    ("name", "value", "url", "says"),
    [
        ("ALL_PROXY", "socks5://me:secret99@127.0.0.1:9", CLOSED, "socksio"),
        ("http_proxy", "htp://me:secret99@127.0.0.1:9", CLOSED, "a proxy that can"),
        ("SSL_CERT_FILE", "/secret99.pem", "https://localhost:9/v1", "No such file"),
    ],
)
def test_a_proxy_or_certificate_that_cannot_be_used_is_named_by_its_variable(
    name, value, url, says, monkeypatch
):
    monkeypatch.setenv(name, value)
    encoder = EndpointEncoder(EndpointSettings("m", url, max_tries=1))
    for ask in (lambda: asked(url), lambda: encoder.encode(["a"])):
        with pytest.raises(ConfigError, match=name) as caught:
            ask()
        assert says in str(caught.value)
        assert "secret99" not in str(caught.value)


def test_a_connection_that_fails_in_a_proxy_says_so(monkeypatch):
    assert "proxy" not in asked(CLOSED, max_tries=1).message
    monkeypatch.setenv("HTTP_PROXY", "http://me:secret99@127.0.0.1:9")
    outcome = asked(CLOSED, max_tries=1)
    assert outcome.reason == "connection"
    assert "the proxy in HTTP_PROXY: name the host in NO_PROXY" in outcome.message
    encoder = EndpointEncoder(EndpointSettings("m", CLOSED, max_tries=1))
    with pytest.raises(ModelError, match="in NO_PROXY") as caught:
        encoder.encode(["a"])
    assert "secret99" not in outcome.message + str(caught.value)


def test_a_host_in_no_proxy_is_asked_directly(monkeypatch):
    server = RawServer(0, says())
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    try:
        assert asked(server.url, max_tries=1).state == "ok"
    finally:
        server.close()


@pytest.mark.parametrize(
    ("url", "sent"),
    [("https://api.openai.com/v1", "org-1"), ("http://localhost:8000/v1", None)],
)
def test_an_organisation_in_the_environment_is_sent_to_its_vendor_alone(
    url, sent, monkeypatch
):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "org-1")
    script = Script(says())
    with ChatClient(
        {"linker": settings(base_url=url)},
        MemoryReplies(),
        rng=rng(),
        http_client=script.client(),
    ) as chat:
        assert chat.ask_many([request()])[0].state == "ok"
    assert script.headers[0].get("openai-organization") == sent
    assert script.headers[0].get("openai-project") == sent


def test_a_certificate_that_is_not_trusted_is_not_tried_again():
    def refused(body):
        untrusted = ssl.SSLCertVerificationError("self-signed certificate")
        raise httpx2.ConnectError("no") from untrusted

    script = Script(refused)
    with ChatClient(
        {"linker": settings()}, MemoryReplies(), rng=rng(), http_client=script.client()
    ) as chat:
        [outcome] = chat.ask_many([request()])
    assert (outcome.reason, len(script.asked)) == ("connection", 1)
    assert "SSL_CERT_FILE" in outcome.message
