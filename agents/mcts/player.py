"""mcts."""
import numpy as np
from agents.mcts.rollouts import search
from agents.mcts.tree import trees
from amoba_env.agent import Forgetful
from amoba_env.core.state import CELLS, EMPTY

class Mcts(Forgetful):
    """MCTS."""
    def __init__(self, sims: int = 400, c: str = "1", playout: str = "random", cut: int = 10000, prior: str = "") -> None:
        self.sims, self.c, self.kind, self.cut, self.prior = sims, float(c), ["random","greedy"].index(playout), cut, prior
        self.name = "mcts"

    def act(self, game, states, rng, memory):
        actions = np.empty(len(states), np.int32)
        width = 128 if game.moves_men else int((game.cells(states)<0).sum(axis=1).max())+8
        step=max(1, 2_000_000 // (width*(self.sims+2)))
        for f in range(0,len(states),step):
            part=states[f:f+step]
            t = trees(len(part), self.sims+2, (self.sims+2)*width)
            search(game.rules, part, rng[f:f+step], t, self.sims, self.prior=="", self.c, self.kind, self.cut)
            for i in range(len(part)):
                n=t.count[i,0]; e=t.first[i,0]
                k=np.argmax(t.visits[i,e:e+n]+1e-3*t.total[i,e:e+n]/np.maximum(1,t.visits[i,e:e+n]))
                actions[f+i]=t.action[i,e+k]
        return actions
