"""Halma for two or three: a search that knows how many moves each seat needs to get home."""

from amoba_agents.endgame.player import Endgame as Endgame
