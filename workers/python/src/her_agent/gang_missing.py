"""Who is missing where a gang did not come together in time, for people."""

from __future__ import annotations

from her_agent.gang import Gang
from her_agent.gang_main import MainWatch
from her_agent.gang_member import MemberWatch
from her_agent.gang_part import Fault
from her_agent.gang_place import Place, joined

# So much longer do the others wait than node 0, which knows who is missing.
PATIENCE_SECONDS = 15.0


def missed(watch: MainWatch, node: int, what: str = "its agent was not heard") -> str:
    """A node that is missed, for people."""
    state = watch.state_of(node)
    if not state:
        return f"node {node}: {what}"
    lost = "its link broke" if what else ""
    return f"node {node} ({state.get('host')}, {state.get('address')}): {lost}"


def incomplete(seconds: float, said: list[str], watch: MainWatch) -> str:
    """Who is missing after so long, and who was sent away meanwhile."""
    strangers = [f"{address} was refused: {why}" for address, why in watch.refused.items()]
    return f"after {seconds:.0f} s: " + "; ".join([*said, *strangers])


def unheard(gang: Gang, place: Place, watch: MemberWatch, waited: float) -> Fault | None:
    """What is said where node 0 did not let this node begin in time."""
    if waited < gang.gather + min(PATIENCE_SECONDS, gang.gather):
        return None
    where = f"node 0 ({joined(place.main, gang.link_port)})"
    what = "did not let the others begin" if watch.link_up(0) else f"was not heard: {watch.unheard or 'no answer'}"
    return Fault("cluster-incomplete", f"after {waited:.0f} s: {where} {what}")
