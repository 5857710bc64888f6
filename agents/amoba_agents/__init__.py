"""The players, one file or folder each. They act on positions, without screens and files of games."""

from amoba_agents.registry import AGENTS, describe, fingerprint, make_agent, register
from amoba_agents.seat import Seat
from amoba_agents.sources import read_file
from amoba_env.agent import Agent

__all__ = ["AGENTS", "Agent", "Seat", "describe", "fingerprint", "make_agent", "read_file", "register"]
