"""Openings in which seats put stones, swap colours and offer moves, all by ordinary actions with a mask.

Until PHASE is PLAYING, it says what the player to move has to do, and LEFT is the number of actions left in the phase:

    PUT_THREE     put the first three stones, black, white, black
    CHOOSE        stay, or swap colours (swap2: or put two more stones)
    PUT_TWO       put a white and a black stone
    CHOOSE_AGAIN  stay, or swap colours
    FOURTH        put the fourth stone
    DECLARE       say how many fifth stones Black has to offer
    OFFER         offer a cell for the fifth stone; no two may be mirror images of each other
    PICK          pick one of the offered cells, where Black's fifth stone goes

    swap      PUT_THREE CHOOSE
    swap2     PUT_THREE CHOOSE (PUT_TWO CHOOSE_AGAIN)
    rif26     PUT_THREE CHOOSE FOURTH OFFER PICK            two offers
    soosyrv8  PUT_THREE CHOOSE FOURTH DECLARE CHOOSE_AGAIN OFFER PICK

and then normal play begins, White to move. rif26 and soosyrv8 begin with one of the 26 canonical openings: the first
stone in the centre, the second next to it, the third within two cells of the centre.

Actions 0 .. n - 1 are cells; n is "stay", n + 1 "swap"; n + 2 "more" (swap2: put two more stones), or
n + 2 .. n + 9 "declare-1" .. "declare-8" (soosyrv8). A swap exchanges the owners of all stones and changes BLACK: the
seat that had the black stones now has the white ones. Sources: the opening rules of the Renju International Federation,
https://www.renju.net/rifrules/ (rif26, soosyrv8), and of the Gomoku world championships (swap, swap2).
phases.py has the legal actions of each phase and their effects.
"""

OPENING_RULES = ("none", "swap", "swap2", "rif26", "soosyrv8")
SWAP, SWAP2, RIF26, SOOSYRV8 = range(1, 5)
STAY_ACTION, SWAP_ACTION, MORE_ACTION = range(3)  # added to n
MOST_OFFERS = 8
MOST_CHOICES = 99  # actions of a game that put no stone
CHOICE_NAMES = (
    (),
    ("stay", "swap"),
    ("stay", "swap", "more"),
    ("stay", "swap"),
    ("stay", "swap", *(f"declare-{count}" for count in range(1, MOST_OFFERS + 1))),
)

PHASES = ("play", "put_three", "choose", "put_two", "choose_again", "fourth", "declare", "offer", "pick")
PLAYING, PUT_THREE, CHOOSE, PUT_TWO, CHOOSE_AGAIN, FOURTH, DECLARE, OFFER, PICK = range(9)

SCRIPTS = (  # the phases of each opening
    (PLAYING,),
    (PUT_THREE, CHOOSE, PLAYING),
    (PUT_THREE, CHOOSE, PUT_TWO, CHOOSE_AGAIN, PLAYING),
    (PUT_THREE, CHOOSE, FOURTH, OFFER, PICK, PLAYING),
    (PUT_THREE, CHOOSE, FOURTH, DECLARE, CHOOSE_AGAIN, OFFER, PICK, PLAYING),
)
