// A Python for builds with sanitizers, whose library is part of a program and cannot be loaded into another
// one: it loads kernsweep-slot.so as the user's Python does in any other build.
#include <Python.h>

int main(int argc, char** argv) {
  return Py_BytesMain(argc, argv);
}
