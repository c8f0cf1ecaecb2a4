// Passes an error on to the caller: for functions that return a Result or a Status.
//
//   KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(name));  // `sweep` is the value
//   KS_RETURN_IF_ERROR(database.execute(statement));
//
// The expression is evaluated once; on failure the function returns its error. Each is a statement of its
// own, in a block: never the single statement of an `if`.
#pragma once

#include <utility>

#include "shared/base/result.hpp"

#define KS_JOINED_(left, right) left##right
#define KS_NAME_(left, right) KS_JOINED_(left, right)

#define KS_ASSIGN_OR_RETURN(declaration, ...) \
  KS_ASSIGN_OR_RETURN_(KS_NAME_(ks_result_, __LINE__), declaration, __VA_ARGS__)
#define KS_ASSIGN_OR_RETURN_(result, declaration, ...)                                 \
  auto result = __VA_ARGS__;                                                           \
  if (!result) return ::tl::unexpected<::kernsweep::Error>(std::move(result).error()); \
  declaration = *std::move(result)

#define KS_RETURN_IF_ERROR(...)                                                                          \
  do {                                                                                                   \
    if (auto&& ks_status = __VA_ARGS__; !ks_status)                                                      \
      return ::tl::unexpected<::kernsweep::Error>(std::forward<decltype(ks_status)>(ks_status).error()); \
  } while (false)
