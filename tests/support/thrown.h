#pragma once
// The messages of errors.

#include "base/error.h"

#include "tests/support/test.h"

namespace simreel::test {

// What `body` throws; empty where it throws nothing. Other kinds of errors pass.
template <class Error = UsageError, class Body>
std::string thrown(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace simreel::test
