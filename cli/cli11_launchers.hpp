// The options of the commands that start Kernsweep on other hosts; apart from the other commands because
// they are many.
#pragma once

namespace CLI {
class App;
}

namespace kernsweep {

struct Arguments;

// Adds `slurm` and `ssh`. `sweep_options` are those of a sweep file: -a, --set, --only, --sample, --quick.
// The Arguments must outlive the application.
template <class SweepOptions>
void add_launchers(CLI::App& app, Arguments& out, SweepOptions sweep_options);

void add_slurm(CLI::App& slurm, Arguments& out);
void add_ssh(CLI::App& ssh, Arguments& out);

}  // namespace kernsweep
