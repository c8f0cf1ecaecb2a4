"""The answers of the benchmarks, in one folder, as the markdown tables of docs/internals/performance.md.

Usage: table.py FOLDER    (tests/bench/run_all.sh calls it)
"""
import json
import os
import platform
import sys
import time


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file) if name.endswith(".json") else file.read().strip()


def figures_of(answer):
    return {name: (each["median"], each["unit"]) for name, each in answer.get("figures", {}).items()}


def text_of(number):
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    kernel = platform.release().split("-")[0]
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {kernel}"


def starting(figures, prefix):
    return next((value for name, (value, _) in figures.items() if name.startswith(prefix)), None)


def goal_rows(whole, slot, tensors):
    """(name, goal, measured, the bare equivalent)"""
    jobs = starting(whole, "noop jobs, a committed row each")
    messages = starting(whole, "bare ZeroMQ messages")
    if jobs:
        yield ("noop jobs per second, a committed row each", ">= 100,000", text_of(jobs),
               f"{jobs / messages:.3f} of bare ZeroMQ messages ({text_of(messages)}/s)")
        yield ("coordinator CPU per job", "<= 10 us",
               text_of(starting(whole, "CPU per job: coordinator, all")) + " us",
               f"all processes together {text_of(starting(whole, 'CPU per job: everything'))} us")
        pending = starting(whole, "memory per pending job")
        yield ("memory per pending job", "<= 1 B", text_of(pending) + " B", "")
    for name, (value, unit) in slot.items():
        if name.endswith(" adds"):
            yield (name + " to the median", "<= 0.5 %", f"{value:+.2f} {unit}", "")
    for each in tensors.get("benchmarks", []):
        if each["name"].startswith("map_in_child"):
            yield ("a second process maps 1 GiB", "< 100 us", text_of(each["median_us"]) + " us",
                   f"{each['copies']:.2f}x memory")
        if each["name"].startswith("generate/") and "of_copy" in each:
            yield (each["name"].split("/")[1] + " generated", ">= 1/3 of copy", f"{each['of_copy']:.2f}", "")


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main(folder):
    whole = figures_of(read(folder, "end_to_end.json"))
    slot = figures_of(read(folder, "slot_overhead.json"))
    print(f"{time.strftime('%Y-%m-%d')}; {machine()}.\n")
    print(f"Load before: {read(folder, 'load_before')}; after: {read(folder, 'load_after')}.\n")
    print_table(("what", "goal", "measured", "beside it"),
                goal_rows(whole, slot, read(folder, "tensors.json")))
    print("All figures, medians of the rounds:\n")
    print_table(("figure", "median", "unit"),
                [(name, text_of(value), unit) for name, (value, unit) in {**whole, **slot}.items()])
    others = []
    for each in read(folder, "results.json").get("benchmarks", []):
        rate = each.get("items_per_second")
        others.append((each["name"], f"{each['real_time']:.4g} {each['time_unit']}",
                       text_of(rate) if rate else ""))
    print_table(("benchmark", "time of an iteration", "items per second"), others)


if __name__ == "__main__":
    main(sys.argv[1])
