"""What the machine's environment does to connections: proxies, certificates, names.

The environment may send requests through a proxy and bring certificates. It never adds
an identity to them: an organisation or a project is sent to its own vendor alone.
"""

import os
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from skillmill.errors import ConfigError

Opened = TypeVar("Opened")

#: Whose account the variables of the `openai` package are about.
_VENDOR = "api.openai.com"
_ROUTES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def own_headers(url: str, authorization: str | None) -> dict[str, Any]:
    """Headers of all requests to a base URL: ours, and nothing of the environment."""
    from openai import Omit  # noqa: PLC0415 lazy: a third of a second

    headers: dict[str, Any] = {}
    if urlsplit(url).hostname != _VENDOR:
        headers |= {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    return headers | ({"Authorization": authorization} if authorization else {})


def client_options(
    url: str, authorization: str | None, http_client: object
) -> dict[str, Any]:
    """What every client of the `openai` package is made with.

    No key of the environment is sent, and nothing is tried again behind our back.
    """
    return {
        "api_key": "unused",
        "base_url": url,
        "max_retries": 0,
        "default_headers": own_headers(url, authorization),
        "http_client": http_client,
    }


def opened(url: str, build: Callable[[], Opened]) -> Opened:
    """Make an HTTP client of a base URL by `build`.

    Raises
    ------
    ConfigError
        If the environment names a proxy or a certificate that cannot be used. It names
        the variables, never their values, which may hold a password.
    """
    try:
        return build()
    except (ImportError, OSError, ValueError) as error:
        wants_file = isinstance(error, OSError)
        variables = _set_variables(_CERTIFICATES if wants_file else _ROUTES)
        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        if isinstance(error, ImportError):
            why = "a SOCKS proxy needs the package socksio"
        what = "certificates" if wants_file else "a proxy"
        raise ConfigError(
            f"{url}: expected {what} that can be used in the environment, got"
            f" {', '.join(variables) or 'something else'} ({why}); mend or unset the"
            " variable",
            record=variables[0] if variables else None,
        ) from None


def connection_hint(url: str, cause: BaseException | None) -> str:
    """What else to look at after a connection to a URL has failed; '' if nothing."""
    if is_untrusted(cause):
        return (
            "; if the certificate is your own, name it (or its authority's) in the"
            " environment variable SSL_CERT_FILE"
        )
    parts = urlsplit(url)
    proxies = getproxies()
    via = proxies.get(parts.scheme) or proxies.get("all")
    if not via or _is_direct(parts.hostname or ""):
        return ""
    names = [f"{parts.scheme}_proxy".upper(), "ALL_PROXY"]
    return (
        f"; it went through the proxy in {' or '.join(_set_variables(names))}: name the"
        " host in NO_PROXY if it is to be asked directly"
    )


def is_untrusted(cause: BaseException | None) -> bool:
    """Whether a connection failed since its certificate is not trusted: it stays so."""
    seen = cause
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _is_direct(host: str) -> bool:
    with suppress(OSError):
        return bool(proxy_bypass(host))
    return False


def _set_variables(names: tuple[str, ...] | list[str]) -> list[str]:
    """Those of the variables that are set, in either case of letters."""
    spelled = [form for name in names for form in (name, name.lower())]
    return [name for name in spelled if os.environ.get(name)]
