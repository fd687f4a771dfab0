"""Which address this node has on the way to another, and which interface holds it."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct

SIOCGIFADDR = 0x8915
SIOCGIFNETMASK = 0x891B


def resolve(host: str) -> tuple[int, str]:
    """Address family and numeric address of `host`, IPv4 first. Raises OSError."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    families = sorted(((family == socket.AF_INET6, family, place[0]) for family, _, _, _, place in found))
    _last, family, address = families[0]
    return int(family), str(address)


def own_address(family: int, toward: str) -> str:
    """Our address on the route to `toward`; its own where it is one of ours. Sends nothing. Raises OSError."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((toward, 9))
        return str(probe.getsockname()[0])


def interface_of(address: str) -> str | None:
    """The name of the interface that holds `address`, or None."""
    wanted = ipaddress.ip_address(address.partition("%")[0])
    if wanted.version == 6:
        return _interface_of_six(wanted.packed.hex())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        held = {name: _ask(asked, name, SIOCGIFADDR) for _number, name in socket.if_nameindex()}
        for name, found in held.items():
            if found == wanted.packed:
                return name
        # A second address of an interface, or one of the whole net that the loopback is.
        for name, found in held.items():
            mask = _ask(asked, name, SIOCGIFNETMASK)
            if found is not None and mask is not None:
                bits = int.from_bytes(mask, "big")
                if int.from_bytes(found, "big") & bits == int(wanted) & bits:
                    return name
    return None


def _ask(asked: socket.socket, name: str, request: int) -> bytes | None:
    try:
        return fcntl.ioctl(asked.fileno(), request, struct.pack("256s", name.encode()[:15]))[20:24]
    except OSError:
        return None


def _interface_of_six(digits: str) -> str | None:
    try:
        with open("/proc/net/if_inet6", encoding="ascii") as file:
            for line in file:
                parts = line.split()
                if parts[0] == digits:
                    return parts[5]
    except FileNotFoundError:
        return None
    return None
