"""Figures over the rounds: the median, and the quartiles as its spread."""

import statistics


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": middle, "low": low, "high": high}


def ratio(over, under):
    """Of each round by itself: what disturbs a round disturbs both alike."""
    return spread([a / b for a, b in zip(over, under, strict=True)])
