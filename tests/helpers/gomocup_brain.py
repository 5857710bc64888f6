"""An engine of the Gomocup protocol for the tests: it plays the first free cell, and misbehaves as it is told.

    python gomocup_brain.py HOW LOG

It writes its process number and each line that it reads to LOG. It hangs at ABOUT, unless HOW is "about".
"""

import os
import subprocess
import sys
import time

HOW, LOG = sys.argv[1:]
END = {"cr": "\r", "crlf": "\r\n\r\n"}.get(HOW, "\n")


def say(text: str) -> None:
    sys.stdout.write(text + END)
    sys.stdout.flush()


def hang() -> None:
    while True:
        time.sleep(1000)


class Brain:
    def __init__(self) -> None:
        self.width = self.height = self.moves = 0
        self.taken: set[tuple[int, int]] = set()

    def answer(self, word: str, rest: str) -> None:
        if word in ("START", "RECTSTART"):
            if HOW == "hung-at-start":
                hang()
            if HOW == "refuses":
                say("ERROR unsupported size")
                return
            sizes = [int(size) for size in rest.split(",")]
            self.width, self.height = sizes[0], sizes[-1]
            if HOW != "resets-at-restart":
                self.taken = set()
            say("OK")
        elif word == "RESTART":
            if HOW == "no-restart":
                say("UNKNOWN RESTART")
                return
            if HOW != "resets-at-start":
                self.taken = set()
            say("OK")
        elif word == "INFO" and HOW == "chatty":
            say("OK")
        elif word == "TURN":
            self.taken.add(point(rest))
            self.move()
        elif word == "BEGIN":
            self.move()
        elif word == "BOARD":
            self.taken = set()
            while (line := read()) != "DONE":
                self.taken.add(point(line))
            self.move()
        elif word == "SWAP2BOARD":
            self.taken = set()
            while (line := read()) != "DONE":
                self.taken.add(point(line))
            self.swap2()
        elif word == "PLAY":
            self.put(point(rest))
        elif word == "ABOUT" and HOW == "about":
            say("MESSAGE thinking of an answer")
            say('name="First free", version="1.0", author="The tests", country="Nowhere"')
        elif word == "ABOUT" or (word == "END" and HOW == "deaf"):
            hang()
        elif word == "END":
            sys.exit()

    def move(self) -> None:
        self.moves += 1
        free = [(x, y) for y in range(self.height) for x in range(self.width) if (x, y) not in self.taken]
        if self.moves == 2:
            misbehave(self.taken)
        if HOW == "chatty":
            sys.stdout.write("MESSAGE thinking\nDEBUG 1,1\nERROR not really\nUNKNOWN what\nmessage 2,2\n" * 500)
        if HOW.startswith("slow"):
            time.sleep(float(HOW[5:] or 0.3))
        if HOW.startswith("at-"):
            say(HOW[3:].replace("-", ","))
        elif HOW == "suggests":
            say("SUGGEST {},{}".format(*free[0]))
        else:
            self.put(free[0])

    def swap2(self) -> None:
        free = [(x, y) for y in range(self.height) for x in range(self.width) if (x, y) not in self.taken]
        points = {0: 3, 3: {"swaps": 0, "puts-two": 2, "puts-four": 4}.get(HOW, 1), 5: HOW != "swaps"}[len(self.taken)]
        say(" ".join("{},{}".format(*at) for at in free[:points]) or "SWAP")

    def put(self, at: tuple[int, int]) -> None:
        self.taken.add(at)
        say("{},{}".format(*at))


def misbehave(taken: set[tuple[int, int]]) -> None:
    """At the second move."""
    if HOW in ("hung", "family-hung", "stubborn"):
        hang()
    while HOW == "keeps-suggesting":
        say("SUGGEST {},{}".format(*min({(x, y) for x in range(5) for y in range(5)} - taken)))
        time.sleep(0.01)
    if HOW == "crash":
        sys.exit("out of luck")
    if HOW == "taken":
        say("{},{}".format(*min(taken)))
    if HOW == "outside":
        say("99,0")
    if HOW in ("garbage", "family-garbage"):
        say("e5")
    while HOW == "flood":
        sys.stdout.write("DEBUG and so on and so forth\n" * 1000)
    while HOW == "endless-line":
        sys.stdout.write("7" * 10_000)


def point(text: str) -> tuple[int, int]:
    x, y = text.split(",")[:2]
    return int(x), int(y)


def note(text: str) -> None:
    with open(LOG, "a") as log:
        log.write(text + "\n")


def read() -> str:
    line = sys.stdin.readline()
    if not line:
        if HOW == "stubborn":
            hang()
        sys.exit()
    note(line.strip())
    return line.strip()


note(f"pid {os.getpid()}")
if HOW.startswith("family"):
    note(f"pid {subprocess.Popen(['sleep', '1000']).pid}")
brain = Brain()
while True:
    first, _, others = read().partition(" ")
    brain.answer(first.upper(), others)
