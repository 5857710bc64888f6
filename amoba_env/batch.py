"""Many games of a learner at once: the common part of the Gymnasium and Stable-Baselines3 environments.

In each game the learner has one seat, and agents play the others. Without opponents the learner plays every seat. Each
row is a game with its own random stream, so rows do not depend on each other.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoba_env import checks
from amoba_env.agent import Agent, Players, make_agent
from amoba_env.begin import first_position, opening_number
from amoba_env.border import checked_rows, checked_seats
from amoba_env.core import batch as core
from amoba_env.core import endings as en
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.threads import each, parts

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec

Opponents = str | Agent | Sequence[str | Agent]  # one agent, or a list: one of them is drawn for each seat
SeatChoice = int | Literal["random"]
Loses = Literal["lose", "zero_sum"]  # what an illegal action does, see amoba_env.position.outcome
Rows = NDArray[np.intp]
Planes = NDArray[np.int8]  # [B, H, W, C]
Masks = NDArray[np.int8]  # [B, A]
ENDINGS = np.array(en.NAMES, object)


class Specified:
    """An environment with the specification that Gymnasium made it from."""

    game: Game
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of gymnasium.make; `max_episode_steps` defaults to a bound on the number of moves of a game."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            given = spec.kwargs.get("max_episode_steps")
            most = self.game.most_plies if given in (None, -1) else given
            plain = {key: each.value if isinstance(each, Enum) else each for key, each in spec.kwargs.items()}
            spec = replace(spec, max_episode_steps=most, kwargs=plain)
        self._spec = spec


class Batch:
    """`count` games in lockstep.

    Attributes:
        states: int16[count, CELLS + n], see core/state.py.
        streams: uint64[count].
        seat: int64[count], the learner's seat. Without opponents: the seat to move (after the end: the seat that would
            move).
        opening: int64[count], see amoba_env.begin.opening_number.
        begun: bool[count], in which games an episode has begun; in none after an opponent failed.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        opponents: Opponents | None = None,
        seat: SeatChoice = "random",
        random_plies: int = 0,
        on_illegal: Loses = "lose",
        num_threads: int = 1,
    ) -> None:
        """Prepare the games; begin() begins them.

        Args:
            game: the rules.
            count: the number of games.
            opponents: who plays the other seats: an agent or its text, or a list, from which one is drawn for each
                seat when an episode begins. None: the learner plays every seat.
            seat: the learner's seat, or "random": drawn when an episode begins.
            random_plies: the number of random moves that are played when an episode begins.
            on_illegal: an illegal action, by the learner or an opponent, loses with -1. The others get 0 ("lose") or
                share +1 ("zero_sum").
            num_threads: the number of threads that play and observe the rows. Results do not depend on it.

        Raises:
            ValueError: an unknown seat or agent, or an agent that cannot play this game.
        """
        count = checks.whole("count", count, 1, checks.MOST_COUNT)
        if not isinstance(seat, str) or seat != "random":
            try:
                seat = game.seat(seat)
            except ValueError:
                wanted = f"'random' or one of 0..{game.players - 1}"
                raise checks.BadValue("seat", f"expected {wanted}, got {checks.brief(seat)}") from None
        checks.one_of("on_illegal", on_illegal, get_args(Loses))
        self.game = game
        self.count = count
        self.num_threads = checks.whole("num_threads", num_threads, 1, checks.MOST_THREADS)
        self._zero_sum = on_illegal == "zero_sum"
        self.random_plies = checks.whole("random_plies", random_plies, 0, st.MOST_PLIES)
        self.states = game.batch(count)
        self.streams = streams(secrets.randbits(64), 0, count)
        self.seat = np.zeros(count, np.int64)
        self.opening = np.zeros(count, np.int64)
        self.begun = np.zeros(count, np.bool_)
        self._seat_choice = seat
        self._start = game.start()
        self._players = Players(game, (), count)
        self._pool: NDArray[np.int64] = np.zeros(0, np.int64)  # the players, by number, from which opponents are drawn
        self._player_of = np.full((count, game.players), -1)  # the number of the player on each seat, -1: the learner
        if opponents is not None:
            self.set_opponents(opponents)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or a pickle. ValueError if its arrays do not fit the games."""
        self.__dict__.update(state)
        self.states = checked_rows(self.game, self.states)
        self.seat = checked_seats(self.game, self.seat, self.count)
        if len(self.states) != self.count or self.streams.shape != (self.count,) or self.streams.dtype != np.uint64:
            raise ValueError(f"expected {self.count} positions and random streams (uint64), one of each for a game")

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games are over, bool[count]."""
        return self.states[:, st.STATUS] != st.RUNNING

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which games ended at the limit of plies, bool[count]."""
        return self.states[:, st.ENDING] == en.MAX_PLIES

    def set_opponents(self, opponents: Opponents) -> None:
        """Set the agents from which opponents are drawn when an episode begins.

        Running games keep their opponents; those that began without any have to begin again.

        Raises:
            ValueError: an empty list, or an agent that is unknown or cannot play this game.
        """
        texts = [opponents] if isinstance(opponents, str) or not isinstance(opponents, Sequence) else opponents
        agents = [make_agent(each) for each in texts]
        if not agents:
            raise ValueError("opponents: expected one agent or more, got none")
        playing = np.unique(self._player_of[self._player_of >= 0]).tolist()
        self._players, kept = self._players.replaced_by(agents, playing, self.count)
        new_number = np.full(max(playing, default=-1) + 2, -1)  # the last stays -1: the learner
        new_number[playing] = kept
        self._player_of = new_number[self._player_of]
        if not self._pool.size:
            self.begun[:] = False
        self._pool = np.arange(len(agents))

    def seed(self, rows: Iterable[int], seeds: Iterable[int | None]) -> None:
        """Restart the random streams of these rows; with None a stream continues. ValueError: not a row or a seed."""
        pairs = zip(checks.rows(rows, self.count).tolist(), seeds, strict=True)
        fresh = {row: streams(seed, 0, 1)[0] for row, seed in pairs if seed is not None}
        for row, stream in fresh.items():  # only after all seeds have been checked
            self.streams[row] = stream

    def begin(self, rows: Rows, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode in these rows, up to the learner's first turn.

        Args:
            rows: [k], which games.
            options: see amoba_env.begin.first_position.

        Raises:
            ValueError: see amoba_env.begin.first_position (then no row has changed); or in a hundred tries the game
                ended before the learner's first turn.
        """
        rows, options = checks.rows(rows, self.count), checks.mapping("options", options)
        chosen = rows
        for _ in range(100):
            self._set_up(rows, options)
            self.begun[chosen] = False  # until all is done: an opponent may fail
            self._draw_seats(rows)
            self._play_opponents(rows)
            rows = rows[self.states[rows, st.STATUS] != st.RUNNING]
            if not rows.size:
                self.begun[chosen] = True
                return
        raise ValueError(
            f"in 100 tries the game ended before the first turn of the learner's seat {self.seat[rows[0]]}"
        )

    def _set_up(self, rows: Rows, options: Mapping[str, Any]) -> None:
        """Set the first positions; if this raises, nothing has changed."""
        if not options and not self.random_plies:
            self.states[rows], self.opening[rows] = self._start, 0
            return
        given, rng = {"random_plies": self.random_plies, **options}, self.streams[rows]
        found = [first_position(self.game, given, rng[i : i + 1]) for i in range(len(rng))]
        self.states[rows], self.streams[rows] = found, rng
        self.opening[rows] = [opening_number(self.game, first) for first in found]

    def _draw_seats(self, rows: Rows) -> None:
        """Draw the learner's seat and the players of the other seats."""
        if not self._pool.size:
            return
        rng = self.streams[rows]
        drawn = np.empty(len(rows), np.int64)
        if self._seat_choice == "random":
            core.below_all(rng, self.game.players, drawn)
        else:
            drawn[:] = self._seat_choice
        self.seat[rows] = drawn
        for other in range(1, self.game.players):
            if len(self._pool) > 1:
                core.below_all(rng, len(self._pool), drawn)
            else:
                drawn[:] = 0
            self._player_of[rows, (self.seat[rows] + other) % self.game.players] = self._pool[drawn]
        self._player_of[rows, self.seat[rows]] = -1
        self._players.begin(rows)
        self.streams[rows] = rng

    def _play_opponents(self, rows: Rows) -> None:
        """Play until the learner's next turn or the end of the game."""
        if not self._pool.size:
            np.copyto(self.seat, self.states[:, st.TO_MOVE])
            return
        while True:
            to_move = self.states[rows, st.TO_MOVE]
            waiting = (self.states[rows, st.STATUS] == st.RUNNING) & (to_move != self.seat[rows])
            if not waiting.any():
                return
            rows, seats = rows[waiting], to_move[waiting]
            who = self._player_of[rows, seats]
            actions = self._players.act(self.states, self.streams, rows, seats, who, self.num_threads)
            self._play(rows, actions)

    def _play(self, rows: Rows, actions: NDArray[np.int32]) -> None:
        rules, states = self.game.rules, self.states
        each(lambda part: core.step_rows(rules, states, rows[part], actions[part]), parts(len(rows), self.num_threads))

    def check_begun(self) -> None:
        """Raise RuntimeError unless all games have begun."""
        if np.count_nonzero(self.begun) < self.count:  # faster than all()
            row = int(self.begun.argmin())
            raise RuntimeError(f"no game has begun in row {row}: call reset() first (of a Batch: begin())")

    def step(self, actions: ArrayLike, cut_off: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Play the learner's actions; then the opponents answer.

        Args:
            actions: [count] integers, relative to the learner's seat. An illegal action loses. Where the game is over
                the action is ignored.
            cut_off: bool[count], games that stop now without a move, as if they were over. begin() them before the next
                step. None: no game.

        Returns:
            The seats that acted, int64[count]; the rewards of the step belong to them. (Without opponents `seat` is
            already the seat of the next step.)

        Raises:
            ValueError: not `count` integers, or an action outside the action space where the game is not over. Then no
                game has changed.
            RuntimeError: a game has not begun.
            Exception: what an opponent raises. Then all games have to begin again.
        """
        self.check_begun()
        chosen = checks.array("actions", actions)
        if chosen.shape != (self.count,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions: expected {self.count} integers, got {chosen.dtype} of shape {chosen.shape}")
        rules, states, numbers = self.game.rules, self.states, chosen.astype(np.int64)
        outside = numbers.view(np.uint64) >= self.game.n_actions  # negative ones too
        if cut_off is not None:
            outside &= ~cut_off
        if outside.any() and (running := outside & ~self.over).any():
            row = int(running.argmax())
            raise ValueError(f"actions: expected 0..{self.game.n_actions - 1}, got {chosen[row]} in game {row}")
        if cut_off is not None:
            states[cut_off, st.STATUS] = st.NOBODY
        seats = self.seat.copy()
        self.begun[:] = False  # until all is done: an opponent may fail, and then it is not the learner's turn
        each(lambda part: core.step_all(rules, states[part], numbers[part]), parts(self.count, self.num_threads))
        self._play_opponents(np.arange(self.count))
        self.begun[:] = True
        return seats

    def observe(self, rows: Rows | None = None) -> tuple[Planes, Masks]:
        """The learner's observations of all games, or of these rows: planes int8[k, H, W, C] and masks int8[k, A]."""
        if rows is None:
            return _observe(self.game, self.states, self.seat, self.num_threads)
        rows = checks.rows(rows, self.count)
        return _observe(self.game, self.states[rows], self.seat[rows], self.num_threads)

    def facts(self, rows: Rows | slice = slice(None)) -> dict[str, NDArray[Any]]:
        """What infos say of all games, or of these rows, in new arrays.

        Returns:
            "seat" int64[k], as the attribute; "winner" int64[k], a seat, or -1: nobody, or not yet; "ending" object[k],
            the text of an Outcome, "" while the game goes on; "opening" int64[k], as the attribute; "plies" int64[k],
            the number of moves played.
        """
        states = self.states[rows]
        return {
            "seat": self.seat[rows].copy(),
            "winner": np.maximum(states[:, st.STATUS], -1).astype(np.int64),
            "ending": ENDINGS[states[:, st.ENDING]],
            "opening": self.opening[rows].copy(),
            "plies": states[:, st.PLY].astype(np.int64),
        }

    def rewards(self) -> NDArray[np.float64]:
        """The rewards of all seats, float64[count, players]; 0 while a game goes on."""
        rewards = np.empty((self.count, self.game.players))
        core.rewards_all(self.game.rules, self.states, self._zero_sum, rewards)
        return rewards


def observe(
    game: Game, states: NDArray[np.int16], seats: NDArray[np.integer], num_threads: int = 1
) -> tuple[Planes, Masks]:
    """What seats[i] sees of states[i], in new arrays: planes int8[k, H, W, C] and masks int8[k, A].

    The memory layout is channels first, as convolutions need it: planes.transpose(0, 3, 1, 2) is
    contiguous.

    Raises:
        ValueError: a row is not a position of the game, or a seat does not exist; the message says which.
    """
    return _observe(game, checked_rows(game, states), checked_seats(game, seats, len(states)), num_threads)


def _observe(
    game: Game, states: NDArray[np.int16], seats: NDArray[np.integer], num_threads: int
) -> tuple[Planes, Masks]:
    height, width, channels = game.observation_shape
    planes = np.empty((len(states), channels, height, width), np.int8)
    masks = np.empty((len(states), game.n_actions), np.int8)
    seats = np.ascontiguousarray(seats, np.int64)  # one type: one compiled version
    each(
        lambda part: core.observe_all(game.rules, states[part], seats[part], planes[part], masks[part]),
        parts(len(states), num_threads),
    )
    return planes.transpose(0, 2, 3, 1), masks
