"""Errors in a log that names nobody."""

from __future__ import annotations

import logging
import traceback


def log_error(log: logging.Logger, what: str, error: BaseException) -> None:
    """Log an error by its type and its place: messages, also those of its causes, may have people in them."""
    kinds, cause = type(error).__name__, error.__cause__
    while cause is not None:
        kinds, cause = f"{kinds} after {type(cause).__name__}", cause.__cause__
    log.error("%s: %s\n%s", what, kinds, "".join(traceback.format_tb(error.__traceback__)))
