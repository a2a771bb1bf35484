"""What leaves the analyst's desk: one file that says what is asked, how it is reported, and under which ε."""

from lowkey.deployment.deployment import Deployment, deploy, load

__all__ = ["Deployment", "deploy", "load"]
