"""How the nodes of a gang come together: nobody's ranks start before all nodes are there."""

from __future__ import annotations

from her_agent.crew import Crew
from her_agent.gang import Gang
from her_agent.gang_main import MainWatch
from her_agent.gang_member import MemberWatch
from her_agent.gang_part import Launcher
from her_agent.gang_place import Place
from her_agent.gang_ray import RayHead, RayMember
from her_agent.gang_torch import TorchMain, TorchMember
from her_agent.ray_cluster import Gathering


def launcher(gang: Gang, place: Place, env: dict[str, str], crew: Crew, watch: MainWatch | MemberWatch) -> Launcher:
    """What brings this node into its gang."""
    if isinstance(watch, MainWatch):
        if gang.launcher == "ray":
            return RayHead(crew, gang, place, watch, Gathering(gang, place, env))
        return TorchMain(crew, gang, place, watch)
    return RayMember(crew, gang, place, watch) if gang.launcher == "ray" else TorchMember(crew, gang, place, watch)
