"""Reports as a browser shows them: all is drawn, filters work, nothing is fetched, nothing is too wide,
hostile texts are texts."""
import os
import sqlite3
import tempfile
import unittest

from browser import MISSING, Browser
from sandbox import BUILD, UNHURRIED, ProcessTest, sweep_text

PAGE = os.path.join(BUILD, "share", "kernsweep", "report", "page.html")
WIDTHS = (360, 800, 1600)
HOSTILE = ['<script>globalThis.hit = 1</script>', '"><img src=x onerror="globalThis.hit = 1">',
           '</style></script><!--<script>globalThis.hit = 1//', "' onload='globalThis.hit = 1",
           "%%kernsweep:data%%", "\u202eright to left \u05d0\u05d1", "a" * 10_000,
           "&lt;b&gt; \\u003c ${1} `x`", "\u2028\u2029\ufeff"]
DRAWN = """
  const done = () => [...document.querySelectorAll('main > section')].length;
  for (let i = 0; i < 4; ++i) await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 0)));
  return done();
"""
TOO_WIDE = """
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > wide + 1 &&
    !e.closest('.wide')).slice(0, 5).map((e) => e.outerHTML.slice(0, 200));
"""


@unittest.skipIf(MISSING, MISSING)
@unittest.skipUnless(os.path.exists(PAGE), "this build has no page for reports: D3 was missing")
class ReportTest(ProcessTest):
    """A database of a small sweep, and a browser, for all tests of a class."""
    database = b""

    @classmethod
    def setUpClass(cls):
        home = tempfile.TemporaryDirectory(prefix="kernsweep-browser-")
        cls.addClassCleanup(home.cleanup)
        cls.browser = Browser(home.name)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        if not type(self).database:
            type(self).database = self.measured()
        self.write("page.db", self.database)

    def measured(self):
        axes = "{variant: [naive, blocked], m: [4, 8], n: 16, k: 16, threads: [1, 2], dtype: f32}"
        claim = "claims: [{name: blocked pays, faster: {variant: blocked}, than: {variant: naive}}]"
        rules = UNHURRIED.replace("processes: 1", "processes: 2")
        self.write("s.yaml", sweep_text("page", "gemm", axes, claim, measure=rules))
        self.call("run", "s.yaml", "-q")
        with open(os.path.join(self.folder, "page.db"), "rb") as file:
            return file.read()

    def show(self, database="page.db", width=800, height=12_000):
        """The page, high enough that all its charts are drawn."""
        self.call("report", database, "-o", "r.html")
        self.browser.size(width, height)
        self.browser.open(os.path.join(self.folder, "r.html"))
        self.assertEqual("yes", self.browser.run("return document.documentElement.dataset.ready"),
                         self.browser.complaints())
        self.browser.run(DRAWN)

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)


class ReportPage(ReportTest):
    def test_draws_everything_at_each_width_and_fetches_nothing(self):
        for width in WIDTHS:
            with self.subTest(width):
                self.show(width=width)
                self.assertEqual(
                    "answer picture filters lines heat roofline scaling strips comparison claims failed "
                    "provenance", self.browser.run(
                        "return [...document.querySelectorAll('main > section')]"
                        ".map((s) => s.id).join(' ')"))
                for place in ("#picture circle", "#lines path.series", "#heat td.top", "#roofline canvas",
                              "#scaling path.series", "#strips circle", "#claims svg.chart circle"):
                    self.assertGreater(self.count(place), 0, place)
                self.assertEqual([], self.browser.run(TOO_WIDE))
                self.assertEqual([], self.browser.complaints())
                self.assertEqual([], self.browser.run(
                    "return performance.getEntriesByType('resource').map((e) => e.name)"))

    def test_may_fetch_nothing_and_runs_no_script_but_its_own(self):
        self.show()
        self.assertEqual("refused", self.browser.run(
            "return fetch('http://127.0.0.1:9/').then(() => 'fetched', () => 'refused')"))
        blocked = self.browser.run("""
          const seen = [];
          addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));
          const script = document.createElement('script');
          script.append('globalThis.hit = 1');
          try { document.body.append(script); } catch (error) { seen.push(error.name); }
          new Image().src = 'http://127.0.0.1:9/x.png';
          await new Promise((next) => setTimeout(next, 100));
          return [seen.length > 0, globalThis.hit === undefined];
        """)
        self.assertEqual([True, True], blocked)

    def test_filters_leave_out_points_and_bring_them_back(self):
        self.show()
        shown = "return document.querySelector('#filters [role=status]').textContent"
        before = self.browser.run(shown), self.count("#scaling circle")
        self.browser.run("""
          const axis = document.querySelector('[data-axis="variant"]');
          axis.open = true;
          await new Promise((next) => setTimeout(next, 50));
          axis.querySelector('input').click();
        """)
        self.assertEqual((" 8 of 8 points shown", " 4 of 8 points shown"),
                         (before[0], self.browser.run(shown)))
        self.assertEqual(before[1], 2 * self.count("#scaling circle"))
        self.browser.run("[...document.querySelectorAll('#filters button')].find((b) => "
                         "b.textContent === 'Show all').click()")
        self.assertEqual(before, (self.browser.run(shown), self.count("#scaling circle")))
        self.browser.run("""
          const axis = document.querySelector('[data-axis="m"]');
          axis.open = true;
          await new Promise((next) => setTimeout(next, 50));
          [...axis.querySelectorAll('button')].find((b) => b.textContent === 'None').click();
        """)
        self.assertEqual(0, self.count("#scaling circle"))
        self.assertEqual([], self.browser.complaints())

    def test_another_metric_and_other_axes_are_drawn(self):
        self.show()
        self.browser.run("""
          for (const id of ['filters', 'lines', 'heat', 'scaling'])
            for (let i = 0; i < document.querySelectorAll(`#${id} select`).length; ++i)
              for (let k = 0; k < document.querySelectorAll(`#${id} select`)[i].options.length; ++k) {
                const list = document.querySelectorAll(`#${id} select`)[i];
                if (!list || k >= list.options.length) continue;
                list.selectedIndex = k;
                list.dispatchEvent(new Event('change'));
              }
        """)
        self.assertEqual([], self.browser.complaints())
        self.assertGreater(self.count("#lines circle"), 0)

    def test_is_used_by_keyboard_and_read_aloud(self):
        self.show()
        self.browser.run("document.querySelector('[data-axis=\"variant\"] summary').focus()")
        self.browser.press("\ue007")  # Enter
        self.assertEqual(1, self.count('[data-axis="variant"][open]'))
        self.browser.press("\ue00c")  # Escape
        self.assertEqual(0, self.count('[data-axis="variant"][open]'))
        nameless = self.browser.run("""
          const named = (e) => e.getAttribute('aria-label') || e.closest('label') || e.textContent.trim();
          return [...document.querySelectorAll('select, input, button, svg.chart, summary, a')]
            .filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 100));
        """)
        self.assertEqual([], nameless)
        self.assertEqual(1, self.count("h1"))
        self.assertEqual("en", self.browser.run("return document.documentElement.lang"))


class HostileReport(ReportTest):
    def test_an_axis_may_be_called_as_a_column_of_the_answer(self):
        self.write("n.db", self.database)
        with sqlite3.connect(os.path.join(self.folder, "n.db")) as store:
            store.execute("update sweep_column set name = 'times_better' where name = 'threads'")
            store.execute("update sweep_column set name = 'set' where name = 'm'")
        store.close()
        self.show("n.db")
        self.assertEqual([], self.browser.complaints())
        first = self.browser.run("return [...document.querySelectorAll('#answer tbody tr > :first-child')]"
                                 ".map((e) => e.textContent)")
        self.assertEqual(["4", "8"], sorted(first))
        told = self.browser.run("return [...document.querySelectorAll('#answer td')].map((e) => "
                                "e.textContent).filter((text) => text.includes('times_better='))")
        self.assertEqual(2, len(told))
        for text in told:
            self.assertRegex(text, r"^(naive|blocked) times_better=[12]$")

    def test_values_are_shown_with_each_digit(self):
        long = "x" * 70
        self.write("v.yaml", sweep_text("values", "noop", "{}", measure=UNHURRIED).replace(
            "kernel: noop", "command: 'true {k} {size} {word}'").replace("axes: {}", (
                "axes: {k: [9007199254740993, 9007199254740992], size: [123456.5, 0.00012345], "
                f"word: [{long}1, {long}2]" "}")))
        self.call("run", "v.yaml", "--db", "v.db", "-q")
        self.show("v.db")
        self.assertEqual([], self.browser.complaints())
        shown = self.text("main")
        for value in ("9007199254740993", "9007199254740992", "123456.5", "0.00012345", "x1", "x2"):
            self.assertIn(value, shown)
        ticks = self.browser.run("return [...document.querySelectorAll('#lines svg .tick text')]"
                                 ".map((e) => e.textContent)")
        self.assertTrue({"123456.5", "0.00012345"} <= set(ticks), ticks)

    def test_texts_from_others_are_shown_as_texts(self):
        """Every text of the database that a report shows is hostile, in turn."""
        for number, text in enumerate(HOSTILE):
            with self.subTest(number):
                self.write("h.db", self.database)
                with sqlite3.connect(os.path.join(self.folder, "h.db")) as store:
                    store.execute("update sweep set name = ?1, kernel = ?1, text = ?1, file = ?1", (text,))
                    store.execute("update host set name = ?1, cpu = ?1, isa = ?1", (text,))
                    store.execute("update software set git = ?1, libraries = ?1", (text,))
                    store.execute("update outcome set variant = ?1 where variant = 'naive'", (text,))
                    store.execute("update sweep_column set name = ?1 where name = 'm'", (text,))
                    store.execute("insert into sweep_tag values (1, ?1, ?1)", (text,))
                    store.execute("insert into text values (9999, ?1)", (text,))
                    store.execute("update attempt_row set grade_reasons = 9999, reason = 9999,"
                                  " stderr = 9999")
                    store.execute("update outcome set status = 'failed_run', median_s = null where job = 0")
                store.close()
                self.show("h.db", width=360, height=20_000)
                self.assertIsNone(self.browser.run("return globalThis.hit"))
                self.assertEqual([], self.browser.run(TOO_WIDE))
                self.assertEqual([], self.browser.complaints())
                self.assertEqual(text[:300], self.text("h1 bdi")[:300])
                self.assertEqual(3, self.count("script"))
                self.assertEqual(0, self.count("img, iframe, main style, main script"))


if __name__ == "__main__":
    unittest.main()
