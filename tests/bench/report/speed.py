#!/usr/bin/env python3
"""How large a report is, how soon it is there, how fast it reacts: speed.py DATABASE [KERNSWEEP].

Needs chromium and chromedriver. Loads the report five times; then brings each chart into view and clicks
a filter ten times: the time from the click until the browser has painted. Prints
milliseconds: median, largest.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "browser"))
from browser import Browser  # noqa: E402

PAINTED = "await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 0)));"
LOADED = PAINTED + "return performance.now();"
REACTED = """
  document.getElementById(arguments[0]).scrollIntoView();
  const axis = document.querySelector('.filters details');
  axis.open = true;
  for (let i = 0; i < 20; ++i) {""" + PAINTED + """}
  const box = axis.querySelector('input'), times = [];
  for (let i = 0; i < 10; ++i) {
    const before = performance.now();
    box.click();
    """ + PAINTED + """
    times.push(performance.now() - before);
  }
  return times;
"""


def told(name, times):
    print(f"{name:12} {statistics.median(times):6.0f} {max(times):6.0f}")


def main(database, program):
    with tempfile.TemporaryDirectory() as home:
        report = os.path.join(home, "report.html")
        before = time.monotonic()
        subprocess.run([program, "report", database, "-o", report], check=True, stdout=subprocess.DEVNULL)
        print(f"written in {time.monotonic() - before:.2f} s, {os.path.getsize(report) / 2 ** 20:.1f} MiB")
        browser = Browser(home)
        try:
            browser.size(1200, 900)
            loads = []
            for _ in range(5):
                browser.open(report)
                loads.append(browser.run(LOADED))
            told("loads", loads)
            for chart in ("picture", "lines", "heat", "roofline", "scaling", "strips"):
                told(chart, browser.run(REACTED, chart))
        finally:
            browser.close()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    default = os.path.join(HERE, "..", "..", "..", "build", "release", "bin", "kernsweep")
    main(sys.argv[1], os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else default))
