#include "hw/sim/shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilewright::hw::sim {
namespace {

std::uint32_t first_of(Span span) {
  return span.offset / Shadow::kGranule;
}
std::uint32_t end_of(Span span) {
  return (span.offset + span.bytes + Shadow::kGranule - 1) / Shadow::kGranule;
}

}  // namespace

std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.offset < b.offset; });
  std::vector<Span> result;
  for (const Span& each : spans) {
    if (!result.empty() && each.offset <= result.back().offset + result.back().bytes) {
      const std::uint32_t end =
          std::max(result.back().offset + result.back().bytes, each.offset + each.bytes);
      result.back().bytes = end - result.back().offset;
    } else {
      result.push_back(each);
    }
  }
  return result;
}

void Shadow::reset(std::uint32_t bytes) {
  granules_.assign((bytes + kGranule - 1) / kGranule, Granule{});
  sites_.assign(1, Site{});
}

std::uint16_t Shadow::site_number(Site at) {
  for (std::size_t i = sites_.size(); i-- > 0;) {
    if (sites_[i] == at) return static_cast<std::uint16_t>(i);
  }
  sites_.push_back(at);
  return static_cast<std::uint16_t>(sites_.size() - 1);
}

std::string Shadow::site_name(std::uint16_t number) const {
  return sites_[number].name();
}

std::string Shadow::describe(Span span, const char* does, const std::string& why) const {
  return fmt::format("{} shared bytes {}..{}, {}", does, span.offset, span.offset + span.bytes - 1,
                     why);
}

std::string Shadow::check_state(const Granule& granule, bool writes) const {
  if (granule.state == State::kArriving) {
    return fmt::format("into which a copy is under way since {}: nothing has waited for it",
                       site_name(granule.write_site));
  }
  if (granule.state == State::kMbarrier) {
    return fmt::format("which belong to the mbarrier made at {}", site_name(granule.write_site));
  }
  if (writes && granule.reads_under_way > 0) {
    return fmt::format("which an asynchronous operation issued at {} is still reading",
                       site_name(granule.read_site));
  }
  return {};
}

std::string Shadow::check_writer(const Actor& who, const Granule& granule, Proxy proxy) const {
  if (granule.writer == kNobody) return {};
  if (granule.writer != who.slot && !who.knows.seen.covers(granule.writer, granule.write_tick)) {
    return fmt::format("which were written at {}, and no synchronisation orders the two",
                       site_name(granule.write_site));
  }
  if (proxy == Proxy::kAsync && granule.proxy == Proxy::kGeneric &&
      !who.knows.fenced.covers(granule.writer, granule.write_tick)) {
    return fmt::format(
        "which were written by ordinary stores at {}, with no proxy fence on the way",
        site_name(granule.write_site));
  }
  return {};
}

std::string Shadow::check_readers(const Actor& who, const Granule& granule) const {
  for (const Reader& reader : granule.readers) {
    for (std::uint32_t lanes = reader.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto slot = static_cast<Slot>(reader.first + std::countr_zero(lanes));
      if (slot != who.slot && !who.knows.seen.covers(slot, reader.tick)) {
        return fmt::format("which were read at {}, and no synchronisation orders the two",
                           site_name(reader.site));
      }
    }
  }
  return {};
}

std::string Shadow::check_write(const Actor& who, Span span, Proxy proxy, bool atomic) const {
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    std::string why = check_state(granules_[i], true);
    if (why.empty() && !(atomic && granules_[i].atomic)) {
      why = check_writer(who, granules_[i], proxy);
    }
    if (why.empty()) why = check_readers(who, granules_[i]);
    if (!why.empty()) return describe(span, "overwrites", why);
  }
  return {};
}

// What the same slot read before is ordered before this, and so is a read that `who` knows of:
// whatever comes after the new one comes after those, and they need not be kept.
void Shadow::note_reader(Granule& granule, const Actor* who, const Reader& added) {
  Reader* free = nullptr;
  for (Reader& reader : granule.readers) {
    const bool same = reader.first == added.first;
    if (same && reader.tick == added.tick) {
      reader.lanes |= added.lanes;
      reader.site = added.site;
      return;
    }
    if (same) reader.lanes &= ~added.lanes;
    // Who has met as many barriers as this one is hardly known to it: not worth a look.
    bool known = reader.lanes == 0 || (who != nullptr && reader.tick < added.tick);
    for (std::uint32_t lanes = reader.lanes; known && lanes != 0; lanes &= lanes - 1) {
      known = who->knows.seen.covers(static_cast<Slot>(reader.first + std::countr_zero(lanes)),
                                     reader.tick);
    }
    if (known) free = &reader;
  }
  if (free != nullptr) {
    *free = added;
  } else {
    granule.readers.push_back(added);
  }
}

Shadow::Reader Shadow::reader_of(Slot slot, Tick tick, Site at) {
  return {tick, 1u << slot % 32, static_cast<Slot>(slot / 32 * 32), site_number(at)};
}

std::string Shadow::read(const Actor& who, Span span, Site at) {
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    std::string why = check_state(granules_[i], false);
    if (why.empty()) why = check_writer(who, granules_[i], Proxy::kGeneric);
    if (!why.empty()) return describe(span, "reads", why);
  }
  const Reader reader = reader_of(who.slot, who.knows.seen[who.slot], at);
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    note_reader(granules_[i], &who, reader);
  }
  return {};
}

std::string Shadow::write(const Actor& who, Span span, Site at) {
  std::string why = check_write(who, span, Proxy::kGeneric, false);
  if (why.empty()) set_writer(who, span, false, at);
  return why;
}

std::string Shadow::update(const Actor& who, Span span, Site at) {
  std::string why = check_write(who, span, Proxy::kGeneric, true);
  if (why.empty()) set_writer(who, span, true, at);
  return why;
}

void Shadow::set_writer(const Actor& who, Span span, bool atomic, Site at) {
  const std::uint16_t site = site_number(at);
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    Granule& granule = granules_[i];
    granule.writer = who.slot;
    granule.write_tick = who.knows.seen[who.slot];
    granule.write_site = site;
    granule.proxy = Proxy::kGeneric;
    granule.atomic = atomic;
    granule.readers.clear();
  }
}

std::string Shadow::begin_write(const Actor& who, Span span, Proxy proxy, Site at) {
  if (std::string why = check_write(who, span, proxy, false); !why.empty()) return why;
  const std::uint16_t site = site_number(at);
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    granules_[i].state = State::kArriving;
    granules_[i].write_site = site;
    granules_[i].readers.clear();
  }
  return {};
}

void Shadow::end_write(Span span, Slot slot, Tick tick, Proxy proxy) {
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    Granule& granule = granules_[i];
    granule.state = State::kValid;
    granule.writer = slot;
    granule.write_tick = tick;
    granule.proxy = proxy;
    granule.atomic = false;
  }
}

std::string Shadow::begin_read(const Actor& who, Span span, Site at) {
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    std::string why = check_state(granules_[i], false);
    if (why.empty()) why = check_writer(who, granules_[i], Proxy::kAsync);
    if (!why.empty()) return describe(span, "reads", why);
  }
  const std::uint16_t site = site_number(at);
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    ++granules_[i].reads_under_way;
    granules_[i].read_site = site;
  }
  return {};
}

void Shadow::end_read(Span span) {
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) --granules_[i].reads_under_way;
}

void Shadow::add_reader(Span span, Slot slot, Tick tick, Site at) {
  const Reader reader = reader_of(slot, tick, at);
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    note_reader(granules_[i], nullptr, reader);
  }
}

std::string Shadow::claim(const Actor& who, Span span, Site at) {
  if (std::string why = write(who, span, at); !why.empty()) return why;
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) {
    granules_[i].state = State::kMbarrier;
  }
  return {};
}

std::string Shadow::release(const Actor& who, Span span, Site at) {
  for (std::uint32_t i = first_of(span); i < end_of(span); ++i) granules_[i].state = State::kValid;
  return write(who, span, at);
}

}  // namespace tilewright::hw::sim
