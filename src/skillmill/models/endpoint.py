"""One OpenAI-compatible endpoint: its address, its key, and one request to it.

Nothing here retries or decides; a request ends in an `Answer` or a `Fault`.
"""

import asyncio
import base64
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from skillmill.errors import ConfigError
from skillmill.models.answer import Answer, Fault, read_answer, read_refusal
from skillmill.models.network import (
    client_options,
    connection_hint,
    is_untrusted,
    opened,
)

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_PORTS = {"http": 80, "https": 443}
_PATH = "/chat/completions"
_MASK = "***"

#: Shorter credentials are words that occur in any text ("none", "EMPTY").
_LEAST_MASKED = 4
#: From this length on, a key without a digit still looks like one.
_LONG_KEY = 16
_SHORT_KEY = 8


class Secret:
    """Credentials that are sent and never shown."""

    def __init__(self, header: str | None, *parts: str) -> None:
        self.header = header
        shown = {part for part in parts if len(part) >= _LEAST_MASKED}
        shown |= {quote(part, safe="") for part in shown}
        self._parts = sorted(shown, key=lambda part: (-len(part), part))

    def __repr__(self) -> str:
        return f"Secret({_MASK})"

    def mask(self, text: str) -> str:
        """Cover every credential in a message."""
        for part in self._parts:
            text = text.replace(part, _MASK)
        return text

    def mask_reply(self, text: str) -> str:
        """Cover what looks like a credential in a reply.

        A local server takes any word as a key, and that word may be part of an
        honest reply; so short words without a digit stay.
        """
        for part in self._parts:
            has_digit = any(character.isdigit() for character in part)
            if len(part) >= (_SHORT_KEY if has_digit else _LONG_KEY):
                text = text.replace(part, _MASK)
        return text


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL without its credentials.

    `url` is what requests go to and what replies are recorded under: scheme and host
    in lower case, no default port, no slash at the end.
    """

    url: str
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


def read_address(base_url: str) -> Address:
    """Take a base URL apart.

    Raises
    ------
    ConfigError
        If it is no http(s) URL, or has a query, which would be logged with its
        secrets. Credentials in it are not repeated.
    """
    try:
        parts = urlsplit(base_url.strip())
        port = parts.port
    except ValueError:
        # What Python says about it repeats a part, which may be the password.
        raise _no_address("something that cannot be read") from None
    shown = f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
    if parts.scheme not in _PORTS or not parts.hostname:
        raise _no_address(repr(shown))
    if parts.query or parts.fragment:
        raise _no_address(f"{shown!r} with a query or fragment")
    path = parts.path.rstrip("/")
    if path.endswith(_PATH):
        raise _no_address(f"{shown!r}, which goes on to {_PATH}")
    return Address(
        url=f"{parts.scheme}://{_host(parts, port)}{path}",
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def read_secret(address: Address, key_variable: str | None, role: str) -> Secret:
    """Find the credentials for an address in the environment or in its URL.

    Raises
    ------
    ConfigError
        If the variable is not set, or holds no key, or the URL has credentials too.
        The message names the variable, never its value.
    """
    pair = f"{address.user}:{address.password}" if address.user else ""
    if key_variable is None:
        if not pair:
            return Secret(None)
        basic = base64.b64encode(pair.encode()).decode()
        return Secret(f"Basic {basic}", basic, address.password, pair)
    key = os.environ.get(key_variable, "").strip()
    if not key:
        raise ConfigError(
            f"role {role!r}: expected the key to {address.url} in the environment"
            f" variable {key_variable}, which is not set; export it, or set the"
            " variable's name to null if the endpoint needs no key",
            record=key_variable,
        )
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(
            f"role {role!r}: the key in the environment variable {key_variable} has"
            " characters that no HTTP header can hold; copy it again",
            record=key_variable,
        )
    if pair:
        raise ConfigError(
            f"role {role!r}: {address.url} has credentials in its URL and a key in"
            f" {key_variable}, and one header holds both; leave one out",
            record=key_variable,
        )
    return Secret(f"Bearer {key}", key)


class Sender:
    """Sends requests to one endpoint; to be used within one event loop."""

    def __init__(
        self, address: Address, secret: Secret, http_client: "httpx2.AsyncClient | None"
    ) -> None:
        self.secret = secret
        self._address = address
        self._http_client = http_client
        self._client: AsyncOpenAI | None = None

    async def post(self, body: Mapping[str, Any], timeout_s: float) -> Answer | Fault:
        """Send one chat request; every text that comes back is masked.

        `timeout_s` ends it even if bytes are still coming in.
        """
        import httpx2  # noqa: PLC0415 lazy: a run with everything recorded sends nothing
        import openai  # noqa: PLC0415

        headers = {} if self.secret.header else {"Authorization": openai.Omit()}
        client = self._opened()
        started = time.perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                response = await client.post(
                    _PATH,
                    body=dict(body),
                    cast_to=httpx2.Response,
                    options={"timeout": timeout_s, "headers": headers},
                )
        except (TimeoutError, openai.APITimeoutError):
            seconds = time.perf_counter() - started
            message = f"no whole reply within {timeout_s:.1f} s"
            return Fault("time-out", message, is_transient=True, seconds=seconds)
        except openai.APIStatusError as error:
            return self._refusal(error.response, time.perf_counter() - started)
        except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
            return self._no_connection(error, time.perf_counter() - started)
        text = self.secret.mask_reply(response.text)
        kind = response.headers.get("content-type", "")
        return read_answer(text, kind, time.perf_counter() - started)

    async def close(self) -> None:
        """Close the connections, unless they belong to the caller."""
        if self._client is not None and self._http_client is None:
            await self._client.close()

    def _no_connection(self, error: Exception, seconds: float) -> Fault:
        cause = error.__cause__ or error
        what = self.secret.mask(f"{type(cause).__name__}: {cause}")
        what += connection_hint(self._address.url, cause)
        transient = not is_untrusted(cause)
        return Fault("connection", what, is_transient=transient, seconds=seconds)

    def _refusal(self, response: "httpx2.Response", seconds: float) -> Fault:
        text = self.secret.mask(response.text)
        return read_refusal(response.status_code, response.headers, text, seconds)

    def _opened(self) -> "AsyncOpenAI":
        if self._client is None:
            from openai import AsyncOpenAI  # noqa: PLC0415

            url = self._address.url
            options = client_options(url, self.secret.header, self._http_client)
            self._client = opened(url, lambda: AsyncOpenAI(**options))
        return self._client


def _host(parts: SplitResult, port: int | None) -> str:
    name = (parts.hostname or "").lower()
    host = f"[{name}]" if ":" in name else name
    return host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"


def _no_address(found: str) -> ConfigError:
    return ConfigError(
        "expected a base URL such as http://localhost:8000/v1, without a query, ending"
        f" before {_PATH}, got {found}; mend `base_url` in the configuration",
        record="base_url",
    )
