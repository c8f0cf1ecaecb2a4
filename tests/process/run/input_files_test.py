"""Inputs that are read from files: what a file holds counts, and not what it is called.

The coordinator, the worker and its slots live on while a file is rewritten.
"""
import struct

from clients_test import ClientsTest
from sandbox import sweep_text

M, N, K = 24, 16, 8
AXES = f"{{variant: [naive, blocked], m: {M}, n: {N}, k: {K}, dtype: f32, input.a: a.npy}}"


def npy(values, shape):
    """An array of f32 as numpy.save writes it."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(
        f"<{len(values)}f", *values)


class RewrittenFile(ClientsTest):
    def rewrite(self, factor):
        """The same path, shape and size, in place, as numpy.save does it."""
        self.write("a.npy", npy([factor * (i % 7) for i in range(M * K)], (1, M, K)))

    def both_outcomes(self, sweep):
        rows = self.rows("all.db", "select r.status, r.reason, hex(o.output_hash) as output from results r "
                         "join outcome o on o.sweep_id = r.sweep_id and o.job = r.job "
                         "join sweep s on s.id = r.sweep_id where s.name = ? order by r.job", sweep)
        return rows if len(rows) == 2 else None

    def measured(self, address, name, *arguments):
        """Outputs of the sweep's jobs, which all succeeded."""
        self.write(f"{name}.yaml", sweep_text(name, "gemm", AXES))
        self.ask(address, "submit", f"{name}.yaml", *arguments)
        outcomes = self.until(lambda: self.both_outcomes(name), f"the end of {name}")
        self.assertEqual(["ok", "ok"], [row["status"] for row in outcomes],
                         [row["reason"] for row in outcomes])
        return {row["output"] for row in outcomes}

    def test_is_another_input_for_a_worker_that_knew_it(self):
        coordinator, address = self.coordinate()
        worker = self.work(address)
        self.rewrite(1)
        first = self.measured(address, "first")
        for round_, factor in enumerate((2, 3, 4)):  # within the same tick of the clock, too
            self.rewrite(factor)
            again = self.measured(address, f"again{round_}", "--again")
            self.assertFalse(first & again, "the outputs are those of the old content")
        self.rewrite(1)
        self.assertEqual(first, self.measured(address, "last", "--again"))
        self.stop(coordinator, worker)
