"""Where this node stands in its gang: made before anything is started, so that what cannot work is refused."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from dataclasses import dataclass

from her_agent.errors import AgentError
from her_agent.gang import Gang
from her_agent.interface import interface_of, own_address, resolve

INTERFACES = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME")


@dataclass(frozen=True)
class Place:
    """`main` is node 0's numeric address, `own` this node's; `listener` the bound socket of node 0's link."""

    family: int
    main: str
    own: str
    interface: str | None
    listener: socket.socket | None


def take(gang: Gang) -> Place:
    """Look and, on node 0, take the ports. Raises AgentError; nothing was started then."""
    try:
        family, main = resolve(gang.address)
        own = own_address(family, main)
    except OSError as error:
        raise AgentError(
            "gang-address",
            f"no way from here to node 0 at {gang.address}: {error.strerror or error}",
            "give node 0's address as the others reach it, under `addresses` of the target",
        ) from error
    listener = None
    if gang.first:
        _not_by_loopback(gang.address, main)
        _bind(family, main, gang.port).close()
        if gang.launcher == "ray":
            _bind(family, main, client_port(gang)).close()
        listener = _bind(family, main, gang.link_port)
    return Place(family, main, own, interface_of(own), listener)


def client_port(gang: Gang) -> int:
    """For the server that Ray starts for its remote clients: one for each cluster of a machine."""
    return 61_000 + gang.port % 4500


def environment(gang: Gang, place: Place, given: dict[str, str]) -> dict[str, str]:
    """What the processes of this node are told of the gang. Interfaces that the request names stay."""
    told = {"HER_NODE_ADDRESS": place.own}
    if place.interface is not None:
        told.update({name: place.interface for name in INTERFACES if name not in given})
    if gang.launcher == "ray":
        told.update(RAY_ADDRESS=joined(place.main, gang.port), RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=gang.derive("ray"))
        return told
    return {
        **told,
        "NNODES": str(gang.size),
        "NODE_RANK": str(gang.index),
        "MASTER_ADDR": place.main,
        "MASTER_PORT": str(gang.port),
        "NPROC_PER_NODE": str(gang.processes),
    }


def joined(address: str, port: int) -> str:
    """`address:port`, in brackets where the address has colons."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _not_by_loopback(said: str, address: str) -> None:
    if said != address and ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        raise AgentError(
            "gang-address",
            f"{said} is {address} on node 0 itself: the other nodes cannot reach it there",
            "give the number, under `addresses` of the target",
        )


def _bind(family: int, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(64)
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise _refusal(address, port, error) from error
    return made


def _refusal(address: str, port: int, error: OSError) -> AgentError:
    why = f"port {port} of {address}: {os.strerror(error.errno or 0)}"
    if error.errno == errno.EADDRINUSE:
        return AgentError("port-taken", why, "end what uses it, or start the job's next attempt: it has other ports")
    return AgentError("gang-address", why, "node 0's address must be one of its own")
