"""What Yixin-Board and programs like it say to an engine."""

import os
import re
import threading

from gomocup_manager import Manager, point

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.lines import MAX_PLY
from amoba_env import Position, games
from amoba_experiments.gomocup.brain import Brain

HELLO = ("info show_detail 1", "yxshowinfo", "START 15 15", "INFO timeout_turn 1000", "INFO max_node -1", "INFO rule 2")
DOUBLE_THREE = ("7,7,1", "0,0,2", "7,8,1", "0,14,2", "9,9,1", "14,0,2", "10,9,1", "14,14,2")


def test_a_board_and_its_forbidden_points() -> None:
    ask = Manager("random")
    assert ask(*HELLO) == ["MESSAGE INFO MAX_THREAD_NUM 1", "OK"]
    assert ask("start 15 15", "yxboard", *DOUBLE_THREE, "done", "yxshowforbid") == ["OK", "FORBID 0709."]
    assert ask("yxboard", *DOUBLE_THREE[:3], "done", "yxshowforbid") == ["FORBID ."]  # White is to move
    flipped = [line[:-1] + str(3 - int(line[-1])) for line in DOUBLE_THREE]
    assert ask("yxboard", *flipped, "done", "yxshowforbid") == ["FORBID 0709."]
    assert ask("yxboard", "done", "yxshowforbid", "yxhashclear", "yxblockreset") == ["FORBID ."]
    assert ask("INFO rule 0", "yxboard", *DOUBLE_THREE, "done", "yxshowforbid") == ["FORBID ."]
    (answer,) = ask("yxnbest 3")
    assert f"{answer},1" not in DOUBLE_THREE
    assert len(point(answer)) == 2
    assert ask("yxsetdatabase") == ["UNKNOWN yxsetdatabase"]


def test_a_game() -> None:
    ask = Manager("greedy")
    ask(*HELLO)
    position, moves = Position.start(games.make("renju")), list[str]()
    while not position.over and position.ply < 20:
        board = [f"{move},{1 + (position.ply - n) % 2}" for n, move in enumerate(moves)]
        *before, answer = ask("INFO time_left 60000", "yxhashclear", "start 15 15", "board", *board, "done")
        assert before == ["OK"]
        x, y = point(answer)
        position = position.play(15 * y + x)
        moves.append(answer)


def test_swap2() -> None:
    """The three choices, which the board makes into a game with the words after MESSAGE SWAP2."""
    ask = Manager("random")
    ask("start 9 9", "INFO rule 0", "yxshowinfo")
    (three,) = ask("yxswap2step1")
    said = [line.split() for line in three.splitlines()]
    assert [line[:3] for line in said] == [["MESSAGE", "SWAP2", f"MOVE{number}"] for number in (1, 2, 3)]
    points = [(int(x), int(y)) for *_, x, y in said]
    assert len(set(points)) == 3
    five = [*points, *[(x, 8) for x in range(9) if (x, 8) not in points][:2]]
    choices = set()
    for step, stones in ((2, points), (3, five)):
        board = [f"{x},{y},{1 + n % 2}" for n, (x, y) in enumerate(stones)]
        for _ in range(60):
            (answer,) = ask("start 9 9", "yxboard", *board, "done", f"yxswap2step{step}")[1:]
            choices.add(re.sub(r" \d+ \d+$", "", answer, flags=re.MULTILINE))
    yes_or_no = [f"MESSAGE SWAP2 SWAP{n} {word}" for n in (1, 2) for word in ("YES", "NO")]
    assert choices == {*yes_or_no, "MESSAGE SWAP2 MOVE4\nMESSAGE SWAP2 MOVE5"}
    assert ask("yxboard", "0,0,1", "done", "yxswap2step2") == ["ERROR expected none, three or five different points"]


def test_time_left_before_a_new_board_counts() -> None:
    ask = Manager("alphabeta:nodes=1")
    ask("START 15 15", "INFO timeout_match 100000000", "INFO time_left 3000", "start 15 15")
    assert ask.engine.info["time_left"] == 3000
    ask("BEGIN", "START 15")
    assert "time_left" not in ask.engine.info


def test_a_search_is_stopped() -> None:
    """The search would last an hour; YXSTOP ends it with a move, and the next one is not stopped."""
    ours, theirs = os.pipe(), os.pipe()
    engine = Brain("alphabeta", lambda n: os.read(ours[0], n), lambda text: os.write(theirs[1], f"{text}\n".encode()))
    thread = threading.Thread(target=engine.serve, daemon=True)
    thread.start()
    os.write(ours[1], b"START 9\nINFO timeout_turn 3600000\nBEGIN\nYXSTOP\n")
    with os.fdopen(theirs[0]) as said:
        assert said.readline() == "OK\n"
        assert max(point(said.readline().strip())) < 9
        os.write(ours[1], b"YXSTOP\nABOUT\nEND\n")
        assert "amoba" in said.readline()
        thread.join()
    for end in (ours[1], theirs[1]):
        os.close(end)
    assert all(isinstance(agent, AlphaBeta) and agent._stopped == 0 for agent in engine._agents.values())


def test_a_player_that_is_made_after_the_stop_is_stopped_too() -> None:
    """The thread that reads hears YXSTOP while the engine makes a player with another limit."""
    engine = Brain("alphabeta", lambda _: b"", lambda _: None)
    engine._agent(1000)
    engine._stop(True)
    late = engine._agent(2000)
    assert isinstance(late, AlphaBeta)
    assert late._stopped == 1
    engine.stopped("")
    assert late._stopped == 0


def test_a_stop_among_the_lines_of_a_board_is_over_with_it() -> None:
    ask = Manager("alphabeta")
    ask(*HELLO)
    ask.engine._stop(True)  # by the thread that reads
    ask("YXBOARD", "1,1,1", "YXSTOP", "DONE")
    assert ask.engine.fields == {(1, 1): 1}
    assert not ask.engine._stopped


def test_limits_of_a_level() -> None:
    ask = Manager("alphabeta")
    ask(*HELLO, "INFO max_node 10000", "INFO max_depth 225", "BEGIN")
    (agent,) = ask.engine._agents.values()
    assert isinstance(agent, AlphaBeta)
    assert (agent.nodes, agent.depth) == (10000, MAX_PLY - 1)
