"""Opponents for self-play: fixed players, and frozen copies of the policy in training."""

from __future__ import annotations

import itertools
from typing import Any

from amoba_agents import make_agent
from amoba_agents.networks.inference import Sb3Network
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.agent import Agent

NEWEST = 3 / 5  # the share of the newest copies; the others are older ones


def copy_of(policy: Any, weights: dict[str, Any] | None = None) -> Any:
    """A copy of a policy, with its weights or these. (A policy in use cannot be deep-copied.)"""
    same = type(policy)(**policy._get_constructor_parameters()).to(policy.device)
    same.load_state_dict(policy.state_dict() if weights is None else weights)
    return same


class OpponentPool:
    """Fixed players, and frozen copies: the newest, and older ones spread over the run.

    Attributes:
        copies: (step when it was frozen, agent, its policy), in this order.
    """

    def __init__(self, fixed: tuple[str, ...], copies: int) -> None:
        self.fixed = [make_agent(text) for text in fixed]
        self.most, self.older = copies, copies - round(NEWEST * copies)
        self.copies: list[tuple[int, PolicyAgent, Any]] = []

    def freeze(self, step: int, policy: Any, weights: dict[str, Any] | None = None) -> None:
        """Add a copy of the policy as it is now, or with these weights."""
        if not self.most:
            return
        frozen = copy_of(policy, weights)
        self.copies.append((step, PolicyAgent(Sb3Network(frozen), f"copy of step {step}"), frozen))
        if len(self.copies) > self.most:
            # Drop the older copy that is closest to its predecessor; keep the first.
            ages = [step for step, *_ in self.copies[: self.older + 1]]
            gaps = [after - before for before, after in itertools.pairwise(ages)]
            del self.copies[gaps.index(min(gaps)) + 1 if gaps else 0]

    def opponents(self) -> list[str | Agent]:
        """All opponents."""
        return [*self.fixed, *(agent for _, agent, _ in self.copies)]

    def weights(self) -> list[tuple[int, dict[str, Any]]]:
        """The arguments with which `freeze` restores the copies."""
        return [(step, policy.state_dict()) for step, _, policy in self.copies]
