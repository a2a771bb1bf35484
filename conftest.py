"""What all tests share: Hypothesis without deadlines, for a busy machine is no error."""

from hypothesis import settings

settings.register_profile("lowkey", deadline=None)
settings.load_profile("lowkey")
