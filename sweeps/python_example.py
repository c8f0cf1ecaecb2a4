"""Kernels of python_example.yaml: what is prepared once is outside of the function that is timed."""
import operator
import random


def sum_of_squares(n, algorithm, seed):
    numbers = random.Random(seed).choices(range(1000), k=n)

    def loop():
        total = 0
        for number in numbers:
            total += number * number
        return total

    def comprehension():
        return sum([number * number for number in numbers])

    def generator():
        return sum(number * number for number in numbers)

    def mapped():
        return sum(map(operator.mul, numbers, numbers))

    return {"loop": loop, "comprehension": comprehension, "generator": generator, "map": mapped}[algorithm]
