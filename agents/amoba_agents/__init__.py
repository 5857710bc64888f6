"""Players: one file or folder a player. They see positions, never a screen or a file."""

from amoba_agents.registry import AGENTS, describe, fingerprint, make_agent, names, register
from amoba_agents.seat import Seat
from amoba_env.agent import Agent

__all__ = ["AGENTS", "Agent", "Seat", "describe", "fingerprint", "make_agent", "names", "register"]
