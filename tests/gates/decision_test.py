"""When a series of pairs is decided, by a machine made of random numbers."""
import os
import random
import tempfile
import time
import unittest
from unittest import mock

import decision
import ratios
import selection

SERIES = 4000


def share(answer, worse_share, seed=41):
    """Of how many series that is the answer, where each pair is worse with that probability."""
    source = random.Random(seed)
    answers = [decision.decide(lambda: source.random() < worse_share)[0] for _ in range(SERIES)]
    return answers.count(answer) / SERIES


class Decision(unittest.TestCase):
    def test_two_equal_sides_are_red_in_one_series_of_a_hundred_at_most(self):
        self.assertLessEqual(decision.FALSE_ALARMS, decision.ALPHA)
        self.assertGreater(decision.FALSE_ALARMS, decision.ALPHA / 2)  # no look is wasted
        four_sigma = 4 * (0.01 * 0.99 / SERIES) ** 0.5
        self.assertLessEqual(share("worse", 0.5), 0.01 + four_sigma)

    def test_what_is_always_worse_is_red_at_the_first_look(self):
        self.assertEqual(("worse", [True] * decision.LOOKS[0]), decision.decide(lambda: True))

    def test_what_is_never_worse_ends_at_the_first_look(self):
        self.assertEqual(("fine", [False] * decision.LOOKS[0]), decision.decide(lambda: False))

    def test_what_is_worse_in_four_pairs_of_five_is_red_in_most_series(self):
        self.assertGreater(share("worse", 0.8), 0.75)

    def test_a_series_without_an_end_is_undecided_and_has_all_pairs(self):
        turns = iter([True, False] * decision.PAIRS_MAX)
        answer, said = decision.decide(lambda: next(turns))
        self.assertEqual(("undecided", decision.PAIRS_MAX), (answer, len(said)))

    def test_without_time_there_is_the_first_look_all_the_same(self):
        turns = iter([True, False] * decision.PAIRS_MAX)
        answer, said = decision.decide(lambda: next(turns), lambda: False)
        self.assertEqual(("undecided", decision.LOOKS[0]), (answer, len(said)))
        self.assertEqual("worse", decision.decide(lambda: True, lambda: False)[0])

    def test_a_pair_without_a_say_is_in_no_look(self):
        turns = iter([None, True] * decision.PAIRS_MAX)
        answer, said = decision.decide(lambda: next(turns))
        self.assertEqual(("worse", [True] * decision.LOOKS[0]), (answer, said))
        self.assertEqual(("undecided", []), decision.decide(lambda: None, iter([True, False]).__next__))


class Verdicts(unittest.TestCase):
    def noted(self, *turns, others=0):
        """What run_ctest.py shows of a series whose ratios are these, again and again. `others`: cores that
        other programs use."""
        ours, test = iter(turns * decision.PAIRS_MAX), ratios.RatioTest("hold")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ratios, "SERIES_S", 0), \
                mock.patch.object(ratios, "used_by_others_s", lambda: others * time.monotonic()), \
                mock.patch.dict(os.environ, {selection.RESULTS: folder}):
            test.hold("cost", lambda: next(ours), lambda: 1, at_most=2)
            return selection.Results(folder).notes

    def test_all_are_noted(self):
        for turns, answer in (((1,), "fine"), ((1, 3), "undecided")):
            line, = self.noted(*turns)
            self.assertEqual(("cost", answer), (line.split(":")[0], line.split(": ")[2].split(",")[0]), line)

    def test_pairs_beside_other_programs_are_no_evidence(self):
        line, = self.noted(3, others=1)
        self.assertEqual("undecided", line.split(": ")[2].split(",")[0], line)
        self.assertEqual(["without", "a", "say"], line.split("; ")[1].split(":")[0].split()[1:])
