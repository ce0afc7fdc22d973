// What the simulator knows of every two bytes of a block's shared memory beside their value: who
// wrote them last and through which proxy, who has read them since, and which asynchronous
// operations are under way. Every access is held against it; one that nothing orders is an error
// whatever the values happen to be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/sim/clock.h"
#include "hw/sim/site.h"

namespace tilewright::hw::sim {

enum class Proxy : std::uint8_t { kGeneric, kAsync };

// A contiguous piece of a block's shared memory.
struct Span {
  std::uint32_t offset;
  std::uint32_t bytes;
};

// The same bytes in as few pieces as possible.
std::vector<Span> joined(std::vector<Span> spans);

// Who accesses: the thread, or for what many threads do together, what all of them know.
struct Actor {
  const Knowledge& knows;
  Slot slot;  // kNobody when it is many
};

class Shadow {
 public:
  static constexpr std::uint32_t kGranule = 2;

  void reset(std::uint32_t bytes);

  // Each returns an empty sentence, or what is wrong. Nothing changes when something is wrong.
  std::string read(const Actor& who, Span span, Site at);
  std::string write(const Actor& who, Span span, Site at);
  // A read and a write in one step that no other atomic disturbs.
  std::string update(const Actor& who, Span span, Site at);
  // A write that lands some time between the two calls; from end_write on those know of it whose
  // clocks cover (slot, tick).
  std::string begin_write(const Actor& who, Span span, Proxy proxy, Site at);
  void end_write(Span span, Slot slot, Tick tick, Proxy proxy);
  // A read of the asynchronous proxy that is under way between the two calls; it ends for `slot`.
  std::string begin_read(const Actor& who, Span span, Site at);
  void end_read(Span span);
  void add_reader(Span span, Slot slot, Tick tick, Site at);
  // The words of an mbarrier, which nothing else may touch.
  std::string claim(const Actor& who, Span span, Site at);
  std::string release(const Actor& who, Span span, Site at);

 private:
  enum class State : std::uint8_t { kValid, kArriving, kMbarrier };
  struct Reader {
    Tick tick;
    std::uint32_t lanes;  // of the 32 slots from `first` on
    Slot first;
    std::uint16_t site;
  };
  struct Granule {
    Tick write_tick = 0;
    Slot writer = kNobody;
    std::uint16_t write_site = 0;
    State state = State::kValid;
    Proxy proxy = Proxy::kGeneric;
    bool atomic = false;  // the last write
    std::uint16_t reads_under_way = 0;
    std::uint16_t read_site = 0;
    std::vector<Reader> readers;
  };

  std::string check_state(const Granule& granule, bool writes) const;
  std::string check_writer(const Actor& who, const Granule& granule, Proxy proxy) const;
  std::string check_readers(const Actor& who, const Granule& granule) const;
  std::string check_write(const Actor& who, Span span, Proxy proxy, bool atomic) const;
  void set_writer(const Actor& who, Span span, bool atomic, Site at);
  std::string describe(Span span, const char* does, const std::string& why) const;
  Reader reader_of(Slot slot, Tick tick, Site at);
  static void note_reader(Granule& granule, const Actor* who, const Reader& added);
  std::uint16_t site_number(Site at);
  std::string site_name(std::uint16_t number) const;

  std::vector<Granule> granules_;
  std::vector<Site> sites_;
};

}  // namespace tilewright::hw::sim
