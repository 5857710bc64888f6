"""Halma for two: alpha-beta that knows how far from home each side is."""

from amoba_agents.endgame.player import Endgame as Endgame
