"""A blocking client of one OpenAI-compatible endpoint: JSON in, JSON out.

It knows nothing of chats, never retries and keeps no records; the chat client does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillmill.models.answer import NOT_FOUND
from skillmill.models.endpoint import Address, Secret, read_address, read_secret
from skillmill.models.network import client_options, connection_hint, opened

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI


@dataclass
class DirectClient:
    """Sends requests with the credentials of an endpoint; made when first used.

    Attributes
    ----------
    address : Address
        Where requests go.
    key_variable : str or None
        Name of the environment variable with the key; None: the endpoint needs none.
    role : str
        Who asks; named where the key is missing.
    timeout_s : float
        For each step of a request: to connect, to write, to wait for more bytes.
    http_client : httpx2.Client or None
        Used in place of an own one.
    """

    address: Address
    key_variable: str | None
    role: str
    timeout_s: float
    http_client: "httpx2.Client | None" = field(default=None, repr=False)
    _client: "OpenAI | None" = field(default=None, repr=False)
    _secret: Secret | None = field(default=None, repr=False)

    @property
    def secret(self) -> Secret:
        """The credentials.

        Raises
        ------
        ConfigError
            If the variable is not set, or holds no key.
        """
        if self._secret is None:
            self._secret = read_secret(self.address, self.key_variable, self.role)
        return self._secret

    def get(self, path: str) -> Any:  # noqa: ANN401 as the server sends it
        """Reply to a GET: parsed JSON, or text where it is none.

        Raises
        ------
        openai.OpenAIError, ValueError
            As the `openai` package raises them, and for an error that comes under a
            good status; `reason` words them.
        """
        reply = self._opened().get(path, cast_to=object, options=self._options())
        return _no_error(reply)

    def post(self, path: str, body: Mapping[str, object]) -> Any:  # noqa: ANN401
        """Reply to a POST, as `get`."""
        reply = self._opened().post(
            path, body=dict(body), cast_to=object, options=self._options()
        )
        return _no_error(reply)

    def reason(self, error: Exception) -> str:
        """What an error of a request says, in one line, without credentials."""
        import openai  # noqa: PLC0415 lazy: the request has imported it

        if isinstance(error, openai.APIStatusError):
            hint = NOT_FOUND if error.status_code == 404 else ""
            text = self.secret.mask(error.response.text)[:200].strip()
            said = f"HTTP {error.status_code}: {text}{hint}"
        elif isinstance(error, openai.APITimeoutError):
            said = f"no reply within {self.timeout_s:g} s"
        elif isinstance(error, openai.APIConnectionError):
            cause = error.__cause__ or error
            hint = connection_hint(self.address.url, cause)
            said = f"no connection ({type(cause).__name__}: {cause}){hint}"
        else:
            said = f"the reply cannot be read ({error})"
        return " ".join(self.secret.mask(said).split())[:300]

    def _options(self) -> Any:  # noqa: ANN401 a private type of openai
        """Options of one request: without a key, none is sent."""
        import openai  # noqa: PLC0415

        return {
            "headers": {} if self.secret.header else {"Authorization": openai.Omit()}
        }

    def _opened(self) -> "OpenAI":
        if self._client is None:
            from openai import OpenAI  # noqa: PLC0415 lazy: a third of a second

            url = self.address.url
            options = client_options(url, self.secret.header, self.http_client)
            self._client = opened(
                url, lambda: OpenAI(timeout=self.timeout_s, **options)
            )
        return self._client


def _no_error(reply: Any) -> Any:  # noqa: ANN401 as the server sends it
    """A reply, unless it is an error that came in its place."""
    error = reply.get("error") if isinstance(reply, dict) else None
    if error and not {"choices", "data"} & reply.keys():
        raise ValueError(f"an error in place of a reply: {error}")
    return reply


def direct_client(
    base_url: str,
    key_variable: str | None,
    role: str,
    timeout_s: float,
    http_client: "httpx2.Client | None" = None,
) -> DirectClient:
    """Client of the endpoint at a base URL.

    Raises
    ------
    ConfigError
        If the URL cannot be used.
    """
    return DirectClient(
        read_address(base_url), key_variable, role, timeout_s, http_client
    )
