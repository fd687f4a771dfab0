"""Whether a server of the network answers: name, connection, and the handshake of TLS."""

from __future__ import annotations

import os
import socket
import ssl
import time
from urllib.parse import urlsplit

PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


def reach_facts(host: str, port: int, tls: bool, seconds: float) -> dict[str, object]:
    """Milliseconds to an answer. Raises OSError with what went wrong."""
    started = time.monotonic()
    proxy = next((os.environ[name] for name in PROXIES if os.environ.get(name)), None)
    if proxy is None:
        with socket.create_connection((host, port), timeout=seconds) as plain:
            _handshake(plain, host, tls)
    else:
        with _through(proxy, host, port, seconds) as plain:
            _handshake(plain, host, tls)
    return {"milliseconds": round((time.monotonic() - started) * 1000), "proxy": proxy is not None}


def _handshake(plain: socket.socket, host: str, tls: bool) -> None:
    if tls:
        with ssl.create_default_context().wrap_socket(plain, server_hostname=host):
            pass


def _through(proxy: str, host: str, port: int, seconds: float) -> socket.socket:
    """A connection by the proxy that the node's environment names, as the trainers would have it."""
    parts = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
    connection = socket.create_connection((parts.hostname or "", parts.port or 3128), timeout=seconds)
    try:
        connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer and len(answer) < 65536:
            chunk = connection.recv(4096)
            if not chunk:
                break
            answer += chunk
        words = answer.split(b" ", 2)
        if len(words) < 2 or words[1] != b"200":
            line = answer.split(b"\r\n", 1)[0][:120].decode("latin-1")
            raise OSError(f"the proxy refused: {line or 'it closed the connection'}")
    except BaseException:
        connection.close()
        raise
    return connection
