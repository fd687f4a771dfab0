"""Requests to presigned URLs. A URL is a secret: it is never shown, logged or written, nor is an answer's text, which
may repeat it; of a refusal only its code is told.
"""

from __future__ import annotations

import http.client
import os
import re
import ssl
import urllib.request
from typing import Callable, NamedTuple, Protocol
from urllib.parse import urlsplit

TIMEOUT = 60.0
BLOCK = 1024 * 1024
CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,64})</Code>")


class Body(Protocol):
    """What is sent; from its beginning again where a kept connection turned out to be closed."""

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""

    def rewind(self) -> None:
        """To the beginning."""


class Refusal(Exception):
    """The request came to nothing: the status, where there was an answer, and a word for it."""

    def __init__(self, status: int | None, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


class _Place(NamedTuple):
    scheme: str
    host: str
    port: int | None


class Link:
    """One connection, kept between requests to the same place. For one thread."""

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self._timeout = timeout
        self._place: _Place | None = None
        self._connection: http.client.HTTPConnection | None = None
        self._by_proxy = False

    def put(self, url: str, headers: dict[str, str], body: Body, size: int) -> None:
        """Send `size` bytes. Raises Refusal, or what the body raises."""
        response = self._ask("PUT", url, {**headers, "Content-Length": str(size)}, body)
        self._finish(response, (200,))

    def get(self, url: str, headers: dict[str, str], start: int, take: Callable[[bytes], None]) -> None:
        """Give the bytes from `start` on to `take`. Raises Refusal, or what `take` raises."""
        ranged = {**headers, "Range": f"bytes={start}-"} if start > 0 else headers
        response = self._ask("GET", url, ranged, None)
        if response.status != (206 if start > 0 else 200):
            self._finish(response, ())
        if start > 0 and not (response.getheader("Content-Range") or "").startswith(f"bytes {start}-"):
            self.close()
            raise Refusal(response.status, "WrongRange")
        try:
            while True:
                data = self._block(response)
                if not data:
                    return
                take(data)
        except BaseException:
            self.close()
            raise

    def _block(self, response: http.client.HTTPResponse) -> bytes:
        try:
            return response.read(BLOCK)
        except (OSError, http.client.HTTPException) as error:
            raise Refusal(None, type(error).__name__) from None

    def close(self) -> None:
        """Let the connection go."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _ask(self, method: str, url: str, headers: dict[str, str], body: Body | None) -> http.client.HTTPResponse:
        kept = self._reach(url)
        try:
            return self._once(method, url, headers, body)
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected) as error:
            self.close()
            if not kept:
                raise Refusal(None, type(error).__name__) from None
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # Of a file, not of the network: the caller's own matter.
            if isinstance(error, OSError) and error.filename is not None:
                raise
            raise Refusal(None, type(error).__name__) from None
        if body is not None:
            body.rewind()
        return self._ask(method, url, headers, body)

    def _once(self, method: str, url: str, headers: dict[str, str], body: Body | None) -> http.client.HTTPResponse:
        assert self._connection is not None
        parts = urlsplit(url)
        target = url if self._by_proxy else f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path
        try:
            self._connection.request(method, target, body=body, headers=headers)  # type: ignore[arg-type]
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses early says why before it closes.
            return self._connection.getresponse()
        return self._connection.getresponse()

    def _reach(self, url: str) -> bool:
        """Whether there is a kept connection to the URL's place; else one is made."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refusal(None, "BadUrl")
        place = _Place(parts.scheme, parts.hostname, parts.port)
        if self._connection is not None and self._place == place:
            return True
        self.close()
        self._place = place
        self._connection = self._connect(place)
        return False

    def _connect(self, place: _Place) -> http.client.HTTPConnection:
        proxy = _proxy(place)
        self._by_proxy = proxy is not None and place.scheme == "http"
        host, port = proxy or (place.host, place.port)
        if place.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout, blocksize=BLOCK)
        context = ssl.create_default_context()
        secure = http.client.HTTPSConnection(host, port, timeout=self._timeout, blocksize=BLOCK, context=context)
        if proxy is not None:
            secure.set_tunnel(place.host, place.port or 443)
        return secure

    def _finish(self, response: http.client.HTTPResponse, good: tuple[int, ...]) -> None:
        try:
            text = response.read(65536)
            if response.read(1):
                self.close()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Refusal(None, type(error).__name__) from None
        if response.status in good:
            return
        self.close()
        found = CODE.search(text)
        raise Refusal(response.status, found.group(1).decode() if found else "")


def _proxy(place: _Place) -> tuple[str, int | None] | None:
    if urllib.request.proxy_bypass(place.host):
        return None
    named = urllib.request.getproxies().get(place.scheme)
    if not named:
        return None
    parts = urlsplit(named if "//" in named else f"//{named}")
    return (parts.hostname, parts.port) if parts.hostname else None


class Region:
    """A part of a file, as a body; `count` is told of every piece that was read for sending."""

    def __init__(self, path: str, offset: int, size: int, count: Callable[[int], None]) -> None:
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed by `close`
        self._path = path
        self._offset = offset
        self._size = size
        self._count = count
        self._left = 0
        self.rewind()

    def rewind(self) -> None:
        """To the beginning of the part."""
        self._file.seek(self._offset, os.SEEK_SET)
        self._left = self._size

    def read(self, size: int = -1) -> bytes:
        """The next bytes of the part; a file that became shorter is not found any more."""
        wanted = self._left if size < 0 else min(size, self._left)
        if wanted == 0:
            return b""
        try:
            data = self._file.read(wanted)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._path) from error
        if not data:
            raise FileNotFoundError(2, "it became shorter", self._path)
        self._left -= len(data)
        self._count(len(data))
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
