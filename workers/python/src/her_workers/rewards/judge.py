"""A judge model behind verl's router: one question, one answer, and an exception where the judge cannot be asked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import aiohttp

# No honest answer comes near this; a server that is not the judge might.
MAX_BODY = 8 * 1024 * 1024
MAX_PAUSE_SECONDS = 30.0
_BUSY = (408, 425, 429)


class JudgeFailed(RuntimeError):
    """The judge gave no answer at all, which must never look like a verdict."""


class _Passing(Exception):
    """What may be over at the next try."""


@dataclass(frozen=True)
class JudgeOptions:
    """How a judge is asked. `seed` is the base that every request's own seed is derived from."""

    temperature: float = 0.6
    top_p: float = 0.95
    max_tokens: int = 4096
    seed: int = 42
    # An answer without a verdict is asked for again so many times, each time with another seed.
    retries: int = 2
    # None asks for whatever model the server has, which is one.
    model: str | None = None
    connect_seconds: float = 10.0
    # A whole batch may stand in the judge's queue before this question.
    answer_seconds: float = 1800.0
    network_retries: int = 4
    backoff_seconds: float = 1.0


@dataclass(frozen=True)
class Answer:
    """What the judge wrote. An answer that was cut at its limit is not `whole`."""

    text: str
    whole: bool


def client(options: JudgeOptions) -> aiohttp.ClientSession:
    """A session for a few questions. Imported here, so that reading an answer needs no HTTP client."""
    import aiohttp

    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=options.answer_seconds, sock_connect=options.connect_seconds)
    )


def _answer(body: bytes) -> Answer:
    try:
        choice = json.loads(body)["choices"][0]
        text, reason = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _Passing(f"not a chat completion: {body[:200]!r}") from error
    return Answer(text if isinstance(text, str) else "", reason != "length")


async def _post(session: aiohttp.ClientSession, url: str, request: dict[str, Any]) -> Answer:
    import aiohttp

    try:
        async with session.post(url, json=request, allow_redirects=False) as response:
            body = bytearray()
            async for chunk in response.content.iter_chunked(65536):
                body += chunk
                if len(body) > MAX_BODY:
                    raise JudgeFailed(f"{url}: an answer of more than {MAX_BODY} bytes")
            status = response.status
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise _Passing(f"{type(error).__name__}: {error}") from error
    if status >= 500 or status in _BUSY:
        raise _Passing(f"HTTP {status}: {bytes(body[:200])!r}")
    if status != 200:
        raise JudgeFailed(f"{url}: refused with HTTP {status}: {bytes(body[:200])!r}")
    return _answer(bytes(body))


async def ask(session: aiohttp.ClientSession, address: str, options: JudgeOptions, prompt: str, seed: int) -> Answer:
    """Asks one question at `address` (host:port).

    Raises:
        JudgeFailed: if there is no answer after all tries, or the question itself is refused.
    """
    url = f"http://{address}/v1/chat/completions"
    request = {
        **({} if options.model is None else {"model": options.model}),
        "messages": [{"role": "user", "content": prompt}],
        "temperature": options.temperature,
        "top_p": options.top_p,
        "max_tokens": options.max_tokens,
        "seed": seed,
    }
    tries = options.network_retries + 1
    for attempt in range(tries):
        try:
            return await _post(session, url, request)
        except _Passing as error:
            if attempt + 1 == tries:
                raise JudgeFailed(f"{url}: no answer in {tries} tries, at last {error}") from error
        await asyncio.sleep(min(options.backoff_seconds * 2**attempt, MAX_PAUSE_SECONDS))
    raise AssertionError("unreachable")
