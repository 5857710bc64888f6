"""The player `alphabeta`."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta import opening_play
from amoba_agents.alphabeta import stone_values as sv
from amoba_agents.alphabeta.alphabeta_search import PROVEN, find_fours, think
from amoba_agents.alphabeta.deadline import READS_CLOCK, set_deadline
from amoba_agents.alphabeta.kept_tables import KeptTables
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.stone_values import StoneNetwork
from amoba_agents.sources import Values
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.checks import warn_of_depth
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import call
from amoba_env.core.rng import streams
from amoba_env.core.rules import table
from amoba_env.core.state import State, States
from amoba_env.games import Game
from amoba_env.options import Option, named

NODES = 20_000  # the default
MOST_NODES = 1 << 40
MOST_MS = 2**31 - 1
NODES_PER_MS = 400  # roughly
MOST_THREAT_NODES = 100_000  # limit of nodes for the searches by fours and threes before alpha-beta
MOVES_TRIED = 3.0  # the effective branching factor, roughly
OPENING_NODES = 500  # nodes for each position that is compared in an opening phase

StoneEvaluation = Literal["counted", "learned"]


class AlphaBeta(Agent):
    """Placing games of two: wins by fours and threes, then alpha-beta; limited by `nodes` (20000), `ms` or `depth`.

    With `nodes` (positions searched for a move) or `depth` (moves ahead, without forced ones) the same seed gives the
    same moves, in a batch of any size. With `ms` the moves depend on the machine and its load, and the search reuses
    the transposition table of its last move in the game, see kept_tables.py. Of several limits the first that is
    reached ends the search. Leaves are evaluated by a small network, learned from games, in five in a row; in other
    games, and with evaluation=counted, by counting open rows.
    """

    @named("alphabeta")
    def __init__(
        self,
        *,
        nodes: Annotated[
            int,
            Option("positions searched for a move; 0: no limit if `ms` or `depth` is set, else 20,000", 0, MOST_NODES),
        ] = 0,
        ms: Annotated[
            int, Option("milliseconds for a move (which then depends on the machine); 0: no limit", 0, MOST_MS)
        ] = 0,
        depth: Annotated[
            int, Option("search depth in moves; forced moves do not count; 0: no limit", 0, li.MAX_PLY - 1)
        ] = 0,
        evaluation: Annotated[
            StoneEvaluation,
            Option("static evaluation; `learned`: a small network; `counted`: open rows, faster and weaker"),
        ] = "learned",
        values: Values = "",
    ) -> None:
        """Set the limits. Games without learned values are evaluated by counting, see stone_values.py.

        Raises:
            ValueError: a number out of range, an unknown evaluation, or `values` that would not be used.
        """
        if values and evaluation == "counted":
            raise ValueError("alphabeta: values: expected evaluation=learned too")
        self.nodes = nodes or (MOST_NODES if ms or depth else NODES)
        self.ms, self.depth = ms, depth or li.MAX_PLY
        self.rowwise = not ms  # with `ms` it keeps tables
        self.evaluation, self.values = evaluation, values
        self.tables = KeptTables()
        self._stopped, self._work = 0, np.zeros(li.STOP + 1, np.int64)  # the work row of the running search
        self.threat_nodes = min(self.nodes, ms * NODES_PER_MS if ms else MOST_THREAT_NODES, MOST_THREAT_NODES)

    def memory(self, game: Game) -> int:
        """Return 0. ValueError for a game that this player does not play. Warns if a move may take an hour or more."""
        if game.moves_men or game.players != 2:
            raise ValueError(f"alphabeta: expected a game of two players who place stones, got {game}")
        if self.values and not self._learned(game):
            raise ValueError(f"alphabeta: values: expected a game with learned values, got {game}")
        if np.diff(table(game.rules, ru.THROUGH_INDEX)).max() > li.MOST_SETS:
            raise ValueError(f"alphabeta: a cell of {game} is in more than {li.MOST_SETS} winning sets")
        if self.nodes == MOST_NODES and not self.ms:
            warn_of_depth(self.name, game.name, MOVES_TRIED**self.depth)
        return 0

    def load(self, game: Game) -> StoneNetwork:
        """The learned values, if they are used."""
        return self._network(game)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        playing = states[:, st.PHASE] == 0
        rows = np.flatnonzero(playing)
        own = rng[rows]
        actions[rows], _ = self.think(game, states[rows], own)
        rng[rows] = own
        for b in np.flatnonzero(~playing):
            actions[b] = self._in_opening(game, states[b], rng[b : b + 1])
        return actions

    def _in_opening(self, game: Game, state: State, stream: Streams) -> int:
        def best(plain: State) -> int:
            return int(self.think(game, plain[None], stream)[0][0])

        def values(plain: States) -> list[int]:
            in_time = max(20, self.ms * NODES_PER_MS // len(plain)) if self.ms else OPENING_NODES
            nodes = min(self.nodes, OPENING_NODES, in_time)
            short = AlphaBeta(nodes=nodes, evaluation=self.evaluation, values=self.values)
            return short.think(game, plain, streams(0, 0, len(plain)))[1].tolist()

        return opening_play.choose(game, state, stream, best, values)

    def think(self, game: Game, states: States, rng: Streams) -> tuple[Actions, NDArray[np.int32]]:
        """Search positions outside the phases of an opening.

        Args:
            game: the rules.
            states: int16[B, S].
            rng: uint64[B], advanced in place.

        Returns:
            The best actions, int32[B], and the values for the players to move, int32[B], see alphabeta_search.py.
        """
        actions, values = np.empty(len(states), np.int32), np.empty(len(states), np.int32)
        fresh = li.workspace(game.rules)
        known, limits = self._network(game), (self.depth, self.nodes, self.threat_nodes)
        if not self.ms:
            call(think, game.rules, states, rng, fresh, self._table(game, fresh), known, *limits, actions, values)
            return actions, values
        none = np.zeros(0, np.uint64)
        call(think, game.rules, states[:0], rng[:0], fresh.copy(), none, known, *limits, actions[:0], values[:0])
        begun = time.perf_counter()  # the time limit includes neither compiling nor loading
        for b in range(len(states)):
            part, w = slice(b, b + 1), fresh.copy()
            self._work = w
            if self._stopped:  # stop() may write to the row from here on: a 0 would overwrite its 1
                w[li.STOP] = 1
            t = self._table(game, w, self.tables.take(game, states[b]))
            with stopping(w, begun + self.ms / 1000):
                call(think, game.rules, states[part], rng[part], w, t, known, *limits, actions[part], values[part])
            self.tables.keep(game, states[b], t)
            begun = time.perf_counter()
        return actions, values

    def stop(self, now: bool = True) -> None:
        """See Agent. Searches without `ms` are not stopped."""
        self._stopped = int(now)
        self._work[li.STOP] = self._stopped

    def expected(self, game: Game, states: States) -> NDArray[np.float64]:
        """The results that the players to move can expect, float64[B], from -1 to 1, outside phases of openings."""
        return expected_result(self.think(game, states, streams(0, 0, len(states)))[1])

    def _learned(self, game: Game) -> bool:
        return self.evaluation == "learned" and sv.fits(game.rules)

    def _network(self, game: Game) -> StoneNetwork:
        return sv.network(game.rules, self.values) if self._learned(game) else sv.COUNTED

    def _table(self, game: Game, w: StoneWork, kept: HashTable | None = None) -> HashTable:
        return li.hash_table(w, game.n_cells, min(20, max(10, self.nodes.bit_length())), kept)


def win_by_fours(game: Game, state: State) -> list[int]:
    """The cells of a win by fours for the player to move: four, answer, four, ..., and the cell that wins.

    Args:
        game: of two players who place stones.
        state: int16[S], a position outside the phases of an opening that is not over.

    Returns:
        The cells. If the last answer is a forbidden point, the last cell is the four before it. Empty: no win is found.
    """
    w = li.workspace(game.rules)
    t = li.hash_table(w, game.n_cells, 0, log_failed=MOST_THREAT_NODES.bit_length())
    if not call(find_fours, game.rules, state, w, t, MOST_THREAT_NODES):
        return []
    pairs: list[int] = w[w[li.SEQUENCE] : w[li.SEQUENCE] + 2 * w[li.SEQUENCE_LENGTH]].tolist()
    final: list[int] = w[w[li.FINAL_CELLS] : w[li.FINAL_CELLS] + w[li.FINAL_COUNT]].tolist()
    return [*pairs, next(cell for cell in final if cell not in pairs)] if final else pairs[:-1]


def expected_result(values: NDArray[np.integer]) -> NDArray[np.float64]:
    """The results to expect at values of AlphaBeta.think: -1 is a loss, 1 a win, and both are exact if proven.

    A learned value is VALUE_UNIT times the log odds of a win, so the mean result is tanh(value / (2 * VALUE_UNIT)).
    Counted values have about the same scale.
    """
    return np.where(np.abs(values) > PROVEN, np.sign(values), np.tanh(values / 2 / sv.VALUE_UNIT))


@contextmanager
def stopping(w: StoneWork, until: float) -> Iterator[None]:
    """A context in which the search on this work row stops at a time of time.perf_counter.

    Where compiled code cannot read the clock, a thread stops the search.
    """
    if READS_CLOCK:
        set_deadline(w, until)
        yield
        return
    finished = threading.Event()

    def stop() -> None:
        if not finished.wait(max(0.0, until - time.perf_counter())):
            w[li.STOP] = 1

    thread = threading.Thread(target=stop, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
