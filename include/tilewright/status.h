// Status and Result: how every refusal and device error leaves the library.
//
// No exception crosses the library. A message is one sentence that names the argument, its value
// and what would be accepted; on any status but ok nothing was written to an output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace tilewright {

enum class StatusCode {
  kOk = 0,
  kInvalidArgument = 1,  // the call is wrong whatever the machine: sizes, leading dimensions, pointers
  kUnsupported = 2,      // the call is right, but no kernel here takes it
  kNoDevice = 3,         // no such device, or its driver is missing or too old
  kDeviceError = 4,      // the device reported an error
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}
  static Status invalid(std::string message) {
    return {StatusCode::kInvalidArgument, std::move(message)};
  }
  static Status unsupported(std::string message) {
    return {StatusCode::kUnsupported, std::move(message)};
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  explicit operator bool() const { return ok(); }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }  // empty when ok

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// A value or the Status that says why there is none. Asking for the value of a failed Result is a
// broken invariant of the caller and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Status status) : held_(std::move(status)) {}

  bool ok() const { return std::holds_alternative<T>(held_); }
  explicit operator bool() const { return ok(); }
  Status status() const { return ok() ? Status{} : std::get<Status>(held_); }

  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

 private:
  T& checked() {
    if (!ok()) {
      std::fprintf(stderr, "%s:%d: value of a failed Result: %s\n", __FILE__, __LINE__,
                   std::get<Status>(held_).message().c_str());
      std::abort();
    }
    return std::get<T>(held_);
  }
  std::variant<T, Status> held_;
};

}  // namespace tilewright
