"""report: tables, pictures and pages of a survey's design and answers, for people."""

from lowkey.report.page import page, write_page
from lowkey.report.picture import Picture
from lowkey.report.repeats import Repeats, repeat
from lowkey.report.results import FamilyResult, Results
from lowkey.report.tables import Table

__all__ = ["FamilyResult", "Picture", "Repeats", "Results", "Table", "page", "repeat", "write_page"]
