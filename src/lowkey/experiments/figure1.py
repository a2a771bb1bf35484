"""Figure 1: how many people each mechanism needs over ε, on the six workloads with n = 512."""

from __future__ import annotations

from lowkey.experiments.experiment import Experiment
from lowkey.experiments.grid import grid
from lowkey.experiments.measure import measure
from lowkey.experiments.sample_complexity import picture_over, table_over
from lowkey.experiments.settings import QUICK_SECONDS, Settings

TITLE = "Figure 1: sample complexity over ε"

FIGURE_1 = Experiment(
    name="figure1",
    title=TITLE,
    full=Settings(sizes=(512,), epsilons=(0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)),
    quick=Settings(sizes=(32,), epsilons=(0.5, 1.0, 2.0, 4.0), time_limit=QUICK_SECONDS),
    tasks=grid,
    measure=measure,
    picture=picture_over("epsilon", TITLE, "privacy budget ε"),
    table=table_over("epsilon", TITLE),
)
