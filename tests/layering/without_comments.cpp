#include <cctype>

#include "tests/layering/layering_rules.h"

namespace tilewright::layering {
namespace {

class Scanner {
 public:
  Scanner(const std::string& text, Literals literals) : text_(text), literals_(literals) {}

  std::string scan() {
    while (at_ < text_.size()) {
      if (starts_with("//")) {
        blank_until(text_.find('\n', at_));
      } else if (starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        blank_until(end == std::string::npos ? end : end + 2);
      } else if (starts_with("R\"")) {
        raw_string();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !after_digit())) {
        quoted(text_[at_]);
      } else {
        out_ += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  bool starts_with(const char* token) const { return text_.compare(at_, 2, token) == 0; }

  // 1'000'000 has no character literal in it.
  bool after_digit() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }

  void blank_until(std::size_t end) {
    for (; at_ < end && at_ < text_.size(); ++at_) out_ += text_[at_] == '\n' ? '\n' : ' ';
  }

  void literal_until(std::size_t end) {
    if (literals_ == Literals::kBlanked) {
      blank_until(end);
    } else {
      for (; at_ < end && at_ < text_.size(); ++at_) out_ += text_[at_];
    }
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string::npos) return literal_until(text_.size());
    const std::string close = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
    const std::size_t end = text_.find(close, open);
    literal_until(end == std::string::npos ? end : end + close.size());
  }

  void quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    literal_until(end + 1);
  }

  const std::string& text_;
  Literals literals_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string without_comments(const std::string& text, Literals literals) {
  return Scanner(text, literals).scan();
}

}  // namespace tilewright::layering
