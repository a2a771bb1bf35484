"""Figure 2: how many people each mechanism needs over the domain size n, on the six workloads with ε = 1."""

from __future__ import annotations

from lowkey.experiments.experiment import Experiment
from lowkey.experiments.grid import grid
from lowkey.experiments.measure import measure
from lowkey.experiments.sample_complexity import picture_over, table_over
from lowkey.experiments.settings import QUICK_SECONDS, Settings

TITLE = "Figure 2: sample complexity over n"

FIGURE_2 = Experiment(
    name="figure2",
    title=TITLE,
    full=Settings(sizes=(8, 16, 32, 64, 128, 256, 512, 1024), epsilons=(1.0,)),
    quick=Settings(sizes=(8, 16, 32, 64), epsilons=(1.0,), time_limit=QUICK_SECONDS),
    tasks=grid,
    measure=measure,
    picture=picture_over("n", TITLE, "domain size n"),
    table=table_over("n", TITLE),
)
