// The result type of everything that may be expected to fail.
//
// Three different things have three different forms (see docs/architecture.md):
//   - our own bug:       KS_ASSERT, on in every build, never on bytes from wire, disk, user or pack;
//   - expected failure:  Result<T>, with a message fit for the user: what is wrong, where, what to do next;
//   - absence:           std::optional<T>.
// A library's exception is caught in the adapter of that library and becomes a Result.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace kernsweep {

// Text for a person: "<where>: <what is wrong>; <what to do next>". No trailing newline.
struct Error {
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

// The value of a successful Result that returns nothing.
struct Done {};
using Status = Result<Done>;

inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace kernsweep

#define KS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::kernsweep::assertion_failed(#condition, __FILE__, __LINE__))
