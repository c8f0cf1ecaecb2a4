"""Is a ratio worse than its limit? A sign test over pairs that are measured in turns, with early looks.

At a ratio that is exactly the limit, each pair says "worse" with probability 1/2, whatever the machine
does meanwhile. The bounds are computed from that alone: over all looks together, no more than ALPHA of such
series end "worse". "fine" has the same bounds, and only ends a series early.
"""
from fractions import Fraction

ALPHA = Fraction(1, 100)
LOOKS = (8, 11, 14, 18, 22, 26, 30)  # after so many pairs
PAIRS_MAX = LOOKS[-1]


def spent(pairs):
    """How much of ALPHA the looks up to this one may use."""
    return ALPHA * int(1000 * (pairs / PAIRS_MAX) ** 0.5) / 1000


def add_pair(paths):
    """{pairs that said "worse": probability} after one more pair."""
    after = {}
    for count, share in paths.items():
        for more in (0, 1):
            after[count + more] = after.get(count + more, 0) + share / 2
    return after


def bounds():
    """{look: the least number of pairs that shows "worse"}, and the probability that any look shows it."""
    paths, used, found = {0: Fraction(1)}, Fraction(0), {}
    for pairs in range(1, PAIRS_MAX + 1):
        paths = add_pair(paths)
        if pairs not in LOOKS:
            continue
        bound = pairs + 1
        while used + paths.get(bound - 1, 0) <= spent(pairs):
            bound -= 1
            used += paths.pop(bound, 0)
        found[pairs] = bound
    return found, used


BOUNDS, FALSE_ALARMS = bounds()


def verdict(worse):
    """`worse`: what each pair says. "worse", "fine", or None: undecided, or between two looks."""
    bound = BOUNDS.get(len(worse))
    if bound is None:
        return None
    if sum(worse) >= bound:
        return "worse"
    return "fine" if len(worse) - sum(worse) >= bound else None


def decide(is_worse, in_time=lambda: True):
    """Asks `is_worse` for one pair after the other: ("worse", "fine" or "undecided", what each pair said).
    None: this pair does not count. After the pairs of the first look there are more only while `in_time` is
    true."""
    said, asked = [], 0
    while len(said) < PAIRS_MAX and (asked < LOOKS[0] or in_time()):
        asked += 1
        worse = is_worse()
        if worse is None:
            continue
        said.append(worse)
        answer = verdict(said)
        if answer:
            return answer, said
    return "undecided", said
