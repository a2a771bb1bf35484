"""experiments: the paper's figures, computed again row by row and drawn."""

from lowkey.experiments.catalogue import experiment, names
from lowkey.experiments.experiment import Experiment
from lowkey.experiments.results import Outcome, Row, Task
from lowkey.experiments.run import Moment, Reproduction, reproduce
from lowkey.experiments.settings import Settings

__all__ = [
    "Experiment",
    "Moment",
    "Outcome",
    "Reproduction",
    "Row",
    "Settings",
    "Task",
    "experiment",
    "names",
    "reproduce",
]
