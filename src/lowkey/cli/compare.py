"""lowkey compare: the optimized mechanism among the known ones."""

from __future__ import annotations

from lowkey.analysis.variance import check_alpha
from lowkey.cli.accuracy import bound, bound_words
from lowkey.cli.optimization import ending, headline, leave_if_interrupted, optimized, outcome
from lowkey.cli.options import (
    ADevice,
    Alpha,
    AMethod,
    AnObjective,
    AsJson,
    Device,
    Epsilon,
    Method,
    Objective,
    Seed,
    SurveyFile,
    TimeLimit,
)
from lowkey.cli.output import print_json, show
from lowkey.cli.rivals import rivals, rivals_table
from lowkey.survey import load_survey


def compare(
    survey: SurveyFile,
    epsilon: Epsilon = None,
    objective: AnObjective = Objective.WORST,
    method: AMethod = Method.AUTO,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    time_limit: TimeLimit = 60.0,
    device: ADevice = Device.AUTO,
    as_json: AsJson = False,
) -> None:
    """Rank the mechanisms for a survey.

    The one optimized for it stands among the known ones; nothing is written. Those that cannot answer the survey
    come last, with the reason.

    Example:

        lowkey compare survey.toml --epsilon 0.5
    """
    check_alpha(alpha)
    asked = load_survey(survey)
    solution = optimized(asked, epsilon, objective, method, seed, time_limit, device)
    chosen = solution.mechanism.epsilon
    found = rivals(solution, alpha)
    if as_json:
        record = {"survey": asked.name, "epsilon": chosen, "alpha": alpha, "competitors": found}
        print_json({**record, "bound": bound(solution, alpha), **ending(solution)})
    else:
        show(headline(asked, chosen), rivals_table(found, alpha))
        show(bound_words(solution, alpha), outcome(solution))
    leave_if_interrupted(solution)
