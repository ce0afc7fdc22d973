// How a command ends when it cannot do its job: one sentence on stderr and an exit code.
#pragma once

#include <string>
#include <utility>

#include "tilewright/status.h"

namespace tilewright::measure::cli {

enum class Exit {
  kOk = 0,
  kFailure = 1,     // a verification failed, a device gave an error
  kWrongUsage = 2,  // the command line asks for what does not exist
  kUndecided = 3,
  kInvalid = 4,   // a file or a comparison that says nothing
  kNoDevice = 5,  // no such device here
};

// Thrown anywhere in a command, caught once in run_tool.
struct Failure {
  Exit code;
  std::string sentence;
};

[[noreturn]] inline void wrong_usage(std::string sentence) {
  throw Failure{Exit::kWrongUsage, std::move(sentence)};
}

inline Exit exit_of(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return Exit::kOk;
    case StatusCode::kInvalidArgument:
      return Exit::kWrongUsage;
    case StatusCode::kNoDevice:
      return Exit::kNoDevice;
    case StatusCode::kUnsupported:
    case StatusCode::kDeviceError:
      return Exit::kFailure;
  }
  return Exit::kFailure;
}

inline void require(const Status& status) {
  if (!status.ok()) throw Failure{exit_of(status.code()), status.message()};
}

}  // namespace tilewright::measure::cli
