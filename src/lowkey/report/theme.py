"""Colours of pictures and pages: light, dark, and tokens that the page's style sheet fills in.

Hues are of Okabe and Ito's palette for colour-blind readers ("Color universal design", 2008), darkened or lightened
until text in them has a contrast of at least 4.5 to the paper. What differs in colour differs in shape too.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Theme:
    """The colour of each role, as #rrggbb."""

    paper: str
    ink: str
    muted: str
    grid: str
    estimate: str
    truth: str
    heat: str  # full heat behind text in ink: empty cells are paper
    green: str  # from here on: curves beside the estimate and the truth
    purple: str
    gold: str
    cyan: str
    rose: str

    @property
    def roles(self) -> dict[str, str]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


LIGHT = Theme(
    paper="#ffffff",
    ink="#1b2430",
    muted="#586374",
    grid="#dde2e9",
    estimate="#0072b2",
    truth="#b84a00",
    heat="#7cc0ee",
    green="#00795a",
    purple="#7a4fb5",
    gold="#8a6a00",
    cyan="#007f94",
    rose="#c0397a",
)
DARK = Theme(
    paper="#12161d",
    ink="#e9edf3",
    muted="#a2aebd",
    grid="#2e3744",
    estimate="#56b4e9",
    truth="#f2a33c",
    heat="#1c639f",
    green="#3fcf9f",
    purple="#b79bf0",
    gold="#e3cf4a",
    cyan="#4fd3e3",
    rose="#f08fbd",
)
# Colours that nobody would choose: a picture drawn in them is themed by replacing each by its role.
TOKENS = Theme(*(f"#0101{place:02x}" for place in range(len(fields(Theme)))))


def style_variables(theme: Theme) -> str:
    """The theme as CSS custom properties: "--paper: #ffffff; --ink: …"."""
    return " ".join(f"--{role}: {colour};" for role, colour in theme.roles.items())
