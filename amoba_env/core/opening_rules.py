"""Openings in which seats put stones, swap colours and offer moves, all by ordinary actions with a mask.

Until PHASE is PLAYING, it says what the player to move has to do, and LEFT is the number of actions left in the phase:

    PUT_THREE     put the first three stones, black, white, black
    CHOOSE        stay, or swap colours (swap2: or put two more stones; taraguchi10: or offer ten fifth stones)
    PUT_TWO       put a white and a black stone
    CHOOSE_AGAIN  stay, or swap colours
    FOURTH        put the fourth stone
    DECLARE       say how many fifth stones Black has to offer
    OFFER         offer a cell for the fifth stone; no two may be mirror images of each other
    PICK          pick one of the offered cells, where Black's fifth stone goes
    PUT_ONE       put the next stone, in a square around the centre that grows with each stone

    swap         PUT_THREE CHOOSE
    swap2        PUT_THREE CHOOSE (PUT_TWO CHOOSE_AGAIN)
    rif26        PUT_THREE CHOOSE FOURTH OFFER PICK            two offers
    soosyrv8     PUT_THREE CHOOSE FOURTH DECLARE CHOOSE_AGAIN OFFER PICK
    taraguchi10  (PUT_ONE CHOOSE) five times; or OFFER PICK    ten offers, in place of the fourth choice of a colour
    yamaguchi    PUT_THREE DECLARE CHOOSE FOURTH OFFER PICK

and then normal play begins, White to move. All but swap and swap2 begin with one of the 26 canonical openings: the
first stone in the centre, the second next to it, the third within two cells of the centre. taraguchi10 puts the fourth
within three cells and, unless it is offered, the fifth within four. In CHOOSE_AGAIN of soosyrv8, and in CHOOSE and
FOURTH of yamaguchi, LEFT is the number of offers that is declared.

Actions 0 .. n - 1 are cells; n is "stay", n + 1 "swap"; n + 2 "more" (swap2: put two more stones) or "offer"
(taraguchi10: offer ten fifth stones), or n + 2 and on "declare-1" .. "declare-8" (soosyrv8; "declare-10" in yamaguchi,
whose rule has no limit). A swap exchanges the owners of all stones and changes BLACK: the seat that had the black
stones now has the white ones. Sources: the opening rules of the Renju International Federation,
https://www.renju.net/rifrules/ (rif26, soosyrv8), https://www.renju.net/rule/25/ (taraguchi10),
http://renju.net/media/showrule.php?rule=5 (yamaguchi), and of the Gomoku world championships (swap, swap2).
phases.py has the legal actions of each phase and their effects.
"""

OPENING_RULES = ("none", "swap", "swap2", "rif26", "soosyrv8", "taraguchi10", "yamaguchi")
SWAP, SWAP2, RIF26, SOOSYRV8, TARAGUCHI10, YAMAGUCHI = range(1, 7)
STAY_ACTION, SWAP_ACTION, MORE_ACTION = range(3)  # added to n
OFFERS = ((0, 0), (0, 0), (0, 0), (2, 2), (1, 8), (10, 10), (1, 10))  # least and most fifth stones in each opening
MOST_CHOICES = 99  # actions of a game that put no stone
CHOICE_NAMES = (
    (),
    ("stay", "swap"),
    ("stay", "swap", "more"),
    ("stay", "swap"),
    ("stay", "swap", *(f"declare-{count}" for count in range(1, OFFERS[SOOSYRV8][1] + 1))),
    ("stay", "swap", "offer"),
    ("stay", "swap", *(f"declare-{count}" for count in range(1, OFFERS[YAMAGUCHI][1] + 1))),
)

PHASES = ("play", "put_three", "choose", "put_two", "choose_again", "fourth", "declare", "offer", "pick", "put_one")
PLAYING, PUT_THREE, CHOOSE, PUT_TWO, CHOOSE_AGAIN, FOURTH, DECLARE, OFFER, PICK, PUT_ONE = range(10)

SCRIPTS = (  # the phases of each opening, the first one first
    (PLAYING,),
    (PUT_THREE, CHOOSE, PLAYING),
    (PUT_THREE, CHOOSE, PUT_TWO, CHOOSE_AGAIN, PLAYING),
    (PUT_THREE, CHOOSE, FOURTH, OFFER, PICK, PLAYING),
    (PUT_THREE, CHOOSE, FOURTH, DECLARE, CHOOSE_AGAIN, OFFER, PICK, PLAYING),
    (PUT_ONE, CHOOSE, OFFER, PICK, PLAYING),
    (PUT_THREE, DECLARE, CHOOSE, FOURTH, OFFER, PICK, PLAYING),
)
HIGHEST = tuple(max(8, most, *script) for (_, most), script in zip(OFFERS, SCRIPTS, strict=True))  # in observations
