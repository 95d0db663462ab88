"""Encoders behind an OpenAI-compatible embeddings endpoint.

A text that gets no vector is an error with its reason, never a row of zeros.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from skillmill.errors import ModelError
from skillmill.models.direct import DirectClient, direct_client
from skillmill.models.endpoint import read_address
from skillmill.models.local_encoder import Floats
from skillmill.models.retry import asked_wait, is_transient, next_wait
from skillmill.models.tokens import encodable

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

#: Statuses by which a server may say that a text is too long, or a batch too large.
_TOO_MUCH = frozenset({400, 413, 422})


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where embeddings are asked for, and how patiently.

    Attributes
    ----------
    model, base_url : str
        As the endpoint knows them; the URL ends before `/embeddings`.
    key_variable : str or None
        Name of the environment variable with the key; None: the endpoint needs none.
    dimension : int or None
        Numbers of a vector, asked for in each request; None: as the model has them.
    max_length : int or None
        Pieces of a text that the model reads; None: unknown.
    timeout_s : float
        For one request.
    max_tries : int
        The most requests for one batch.
    """

    model: str
    base_url: str = field(repr=False)
    key_variable: str | None = None
    dimension: int | None = None
    max_length: int | None = None
    timeout_s: float = 60.0
    max_tries: int = 6

    @property
    def identity(self) -> dict[str, str | int]:
        """What a vector depends on beside its text, as far as it can be known.

        `endpoint` has no credentials. A `dimension` or `max_length` of 0 is unknown.
        """
        return {
            "name": self.model,
            "revision": "as served",
            "dimension": self.dimension or 0,
            "pooling": "as served",
            "prefix": "",
            "max_length": self.max_length or 0,
            "normalised": 1,
            "backend": "endpoint",
            "endpoint": read_address(self.base_url).url,
        }


@dataclass
class EndpointEncoder:
    """Asks an endpoint for vectors, a batch a request, one request at a time.

    Attributes
    ----------
    settings : EndpointSettings
        What is asked, and where.
    batch_size : int
        The most texts of one request.
    http_client : httpx2.Client or None
        Used in place of an own one.
    rng : numpy.random.Generator
        Spreads the waits before retries.
    sleep : callable
        Waits for so many seconds.
    truncated : int
        Always 0: what an endpoint leaves out it does not tell.
    """

    settings: EndpointSettings
    batch_size: int = 16
    http_client: "httpx2.Client | None" = field(default=None, repr=False)
    rng: np.random.Generator = field(default_factory=np.random.default_rng, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    truncated: int = 0
    _dimension: int = 0

    @property
    def identity(self) -> dict[str, str | int]:
        """See `EndpointSettings.identity`."""
        return self.settings.identity

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode texts as (n, d) float32 rows of length one, in the order given.

        Raises
        ------
        ConfigError
            If the URL cannot be used, or the key is not set.
        ModelError
            If the endpoint cannot be reached, refuses, or gives anything but one finite
            vector of the same dimension for each text; names the first text.
        """
        if not texts:
            return np.zeros((0, self.settings.dimension or 0), dtype=np.float32)
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        row: dict[str, Floats] = {}
        for start in range(0, len(distinct), self.batch_size):
            batch = distinct[start : start + self.batch_size]
            row.update(zip(batch, self._batch(batch), strict=True))
        return np.stack([row[text] for text in texts])

    @cached_property
    def _client(self) -> DirectClient:
        settings = self.settings
        return direct_client(
            settings.base_url,
            settings.key_variable,
            "encoder",
            settings.timeout_s,
            self.http_client,
        )

    def _batch(self, texts: Sequence[str]) -> Floats:
        """Vectors of a few texts; a batch that is refused as too much is halved."""
        import openai  # noqa: PLC0415 lazy: not needed where all is known

        try:
            return self._checked(self._ask(texts), texts)
        except openai.APIStatusError as error:
            if error.status_code not in _TOO_MUCH or len(texts) == 1:
                raise self._failure(texts, self._client.reason(error)) from None
        except (openai.OpenAIError, ValueError) as error:
            raise self._failure(texts, self._client.reason(error)) from None
        half = len(texts) // 2
        return np.concatenate([self._batch(texts[:half]), self._batch(texts[half:])])

    def _ask(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 as the server sends it
        """One reply, asked for again while that may help."""
        import openai  # noqa: PLC0415

        body: dict[str, object] = {
            "model": self.settings.model,
            "input": [encodable(text) for text in texts],
            "encoding_format": "float",
        }
        if self.settings.dimension:
            body["dimensions"] = self.settings.dimension
        last: openai.APIError
        for tries in range(1, self.settings.max_tries + 1):
            try:
                return self._client.post("/embeddings", body)
            except openai.APIConnectionError as error:
                status, asked, last = None, None, error
            except openai.APIStatusError as error:
                if not is_transient(error.status_code):
                    raise
                status, last = error.status_code, error
                asked = asked_wait(error.response.headers, time.time())
            if tries < self.settings.max_tries:
                wait = next_wait(tries, status, asked, self.rng)
                reason = self._client.reason(last)
                _log.info("embeddings: %s; trying again in %.1f s", reason, wait)
                self.sleep(wait)
        raise last

    def _checked(self, reply: Any, texts: Sequence[str]) -> Floats:  # noqa: ANN401
        """The rows of a reply by their index, each of length one.

        Raises
        ------
        ValueError
            If it is no list of one finite vector for each text.
        """
        try:
            rows = sorted(reply["data"], key=lambda row: int(row["index"]))
            places = [int(row["index"]) for row in rows]
            matrix = np.array([row["embedding"] for row in rows], dtype=np.float64)
        except (KeyError, TypeError, ValueError) as error:
            said = f"no list of vectors: {type(error).__name__} {error}"
            raise ValueError(said) from error
        if places != list(range(len(texts))) or matrix.ndim != 2:
            raise ValueError(f"{len(places)} vectors, numbered {places[:20]}")
        self._dimension = self._dimension or self.settings.dimension or matrix.shape[1]
        if matrix.shape[1] != self._dimension:
            said = f"vectors of {matrix.shape[1]} numbers, not {self._dimension}"
            raise ValueError(said)
        length = np.linalg.norm(matrix, axis=1, keepdims=True)
        lost = np.flatnonzero(~(np.isfinite(length) & (length > 0)))
        if lost.size:
            named = texts[lost[0]][:60]
            raise ValueError(f"the vector of {named!r} is zero or not finite")
        return np.asarray(matrix / length, dtype=np.float32)

    def _failure(self, texts: Sequence[str], reason: str) -> ModelError:
        """Say what happened, and to which text."""
        return ModelError(
            f"encoder {self.settings.model!r} at {self.identity['endpoint']}: no vector"
            f" for {len(texts)} texts, the first {texts[0][:60]!r} ({len(texts[0])}"
            f" characters): {reason}; mend encoder.name, base_url, key_variable or"
            " max_length (`skillmill doctor` tells more) and run again, which goes on"
            " where this stopped",
            record=self.settings.model,
        )
