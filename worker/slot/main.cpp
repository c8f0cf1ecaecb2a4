// kernsweep-slot: the process that measures. Started by the worker; with --once, by hand for one job.
#include "worker/slot/slot_main.hpp"

int main(int argc, char** argv) {
  return kernsweep::slot_main(argc, argv);
}
