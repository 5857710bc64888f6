"""A categorical distribution that computes with the legal actions only.

A position of halma has some 25 legal actions among 1,369. A masked distribution takes exponentials of all of them,
twice: more than half of the training time.
"""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from torch import Tensor, nn

IMPOSSIBLE = -1e8  # logit of an illegal action


class LegalCategorical(MaskableDistribution):
    """Probabilities proportional to exp(logit) for legal actions, 0 for others. Without a mask all actions are legal.

    Attributes:
        logits: float [B, A], of all actions, not normalized.
        actions: int64 [B, k], the legal actions of each row, padded with zeros; k is the largest number of them.
        log_probs: float [B, k], of these actions; IMPOSSIBLE or less in the padding.
    """

    logits: Tensor
    actions: Tensor
    log_probs: Tensor

    def __init__(self, action_dim: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.action_dim = action_dim

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """The layer that maps features to logits."""
        return nn.Linear(latent_dim, self.action_dim)

    def proba_distribution(self, action_logits: Tensor) -> LegalCategorical:
        """Set new logits; all actions are legal until apply_masking is called."""
        self.logits = action_logits
        self._settled = False
        return self

    def apply_masking(self, masks: Any) -> None:
        """Set the legal actions: [B, A], nonzero where legal."""
        legal = torch.as_tensor(masks, device=self.logits.device).reshape(self.logits.shape) != 0
        rows, columns = legal.nonzero(as_tuple=True)
        counts = rows.bincount(minlength=len(legal))
        slots = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
        most = int(counts.max())
        self.actions = torch.zeros(len(legal), most, dtype=torch.int64, device=rows.device)
        self.actions[rows, slots] = columns
        absent = torch.arange(most, device=rows.device) >= counts[:, None]
        self._normalize(self.logits.gather(1, self.actions).masked_fill(absent, IMPOSSIBLE))

    def _normalize(self, logits: Tensor) -> None:
        self._total = logits.logsumexp(1, keepdim=True)
        self.log_probs = logits - self._total
        self._settled = True

    def _settle(self) -> None:
        if not self._settled:
            self.actions = torch.arange(self.action_dim, device=self.logits.device).expand_as(self.logits)
            self._normalize(self.logits)

    def log_prob(self, actions: Tensor) -> Tensor:
        """The log probabilities of these legal actions, [B] -> [B]."""
        self._settle()
        return (self.logits.gather(1, actions.reshape(-1, 1)) - self._total).squeeze(1)

    def entropy(self) -> Tensor:
        """The entropy of each row, [B]."""
        self._settle()
        return -(self.log_probs.exp() * self.log_probs).sum(1)

    def sample(self) -> Tensor:
        """An action for each row, int64 [B]."""
        self._settle()
        return self.actions.gather(1, self.log_probs.exp().multinomial(1)).squeeze(1)

    def mode(self) -> Tensor:
        """The most probable action of each row, int64 [B]."""
        self._settle()
        return self.actions.gather(1, self.log_probs.argmax(1, keepdim=True)).squeeze(1)

    def actions_from_params(self, action_logits: Tensor, deterministic: bool = False) -> Tensor:
        """Actions drawn from these logits, with all actions legal."""
        return self.proba_distribution(action_logits).get_actions(deterministic=deterministic)

    def log_prob_from_params(self, action_logits: Tensor) -> tuple[Tensor, Tensor]:
        """Actions sampled from these logits, and their log probabilities."""
        actions = self.actions_from_params(action_logits)
        return actions, self.log_prob(actions)
