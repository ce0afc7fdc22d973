// What the lanes of a simulated warp tell each other. None of it orders memory: that is
// sync_warp's work.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/sim/machine.h"

namespace tilewright::hw::sim {

// Every lane gives `value`, and gets what `answer(values, lane)` makes of all 32.
template <class T, class Result, class Answer>
Result ask_warp(const char* instruction, T value, Answer answer, Site at) {
  struct Operands {
    T given;
    Result got;
  } mine{value, {}};
  Machine::now().meet_warp(instruction, at, mine, [&](std::span<Operands*> lanes) {
    T values[32];
    for (int i = 0; i < 32; ++i) values[i] = lanes[static_cast<std::size_t>(i)]->given;
    for (int i = 0; i < 32; ++i) lanes[static_cast<std::size_t>(i)]->got = answer(values, i);
  });
  return mine.got;
}

// A shuffle: each lane names the lane it reads from; outside the warp it keeps its own.
template <class T>
T shuffle(const char* instruction, T value, int source, Site at) {
  struct Given {
    T value;
    int source;
  };
  return ask_warp<Given, T>(
      instruction, {value, source},
      [](const Given(&all)[32], int lane) {
        const int from = all[lane].source;
        return from < 0 || from > 31 ? all[lane].value : all[from].value;
      },
      at);
}

template <class Combine>
unsigned reduce(const char* instruction, unsigned value, Combine combine, Site at) {
  return ask_warp<unsigned, unsigned>(
      instruction, value,
      [&](const unsigned(&all)[32], int) {
        unsigned result = all[0];
        for (int i = 1; i < 32; ++i) result = combine(result, all[i]);
        return result;
      },
      at);
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE T shuffle_xor(T value, int lane_mask, sim::Site at = sim::Site::current()) {
  const int lane = sim::Machine::now().self().lane();
  return sim::shuffle("shfl.sync.bfly", value, lane ^ lane_mask, at);
}
template <class T>
TW_DEVICE T shuffle_index(T value, int lane, sim::Site at = sim::Site::current()) {
  return sim::shuffle("shfl.sync.idx", value, lane & 31, at);
}
template <class T>
TW_DEVICE T shuffle_up(T value, int delta, sim::Site at = sim::Site::current()) {
  return sim::shuffle("shfl.sync.up", value, sim::Machine::now().self().lane() - delta, at);
}
template <class T>
TW_DEVICE T shuffle_down(T value, int delta, sim::Site at = sim::Site::current()) {
  return sim::shuffle("shfl.sync.down", value, sim::Machine::now().self().lane() + delta, at);
}

TW_DEVICE unsigned vote_ballot(bool predicate, sim::Site at = sim::Site::current()) {
  return sim::ask_warp<bool, unsigned>(
      "vote.sync.ballot", predicate,
      [](const bool(&all)[32], int) {
        unsigned ballot = 0;
        for (unsigned i = 0; i < 32; ++i) ballot |= static_cast<unsigned>(all[i]) << i;
        return ballot;
      },
      at);
}
TW_DEVICE bool vote_any(bool predicate, sim::Site at = sim::Site::current()) {
  return vote_ballot(predicate, at) != 0;
}
TW_DEVICE bool vote_all(bool predicate, sim::Site at = sim::Site::current()) {
  return vote_ballot(predicate, at) == 0xffffffffu;
}

TW_DEVICE unsigned reduce_add(unsigned value, sim::Site at = sim::Site::current()) {
  return sim::reduce(
      "redux.sync.add", value, [](unsigned a, unsigned b) { return a + b; }, at);
}
TW_DEVICE unsigned reduce_min(unsigned value, sim::Site at = sim::Site::current()) {
  return sim::reduce(
      "redux.sync.min", value, [](unsigned a, unsigned b) { return a < b ? a : b; }, at);
}
TW_DEVICE unsigned reduce_max(unsigned value, sim::Site at = sim::Site::current()) {
  return sim::reduce(
      "redux.sync.max", value, [](unsigned a, unsigned b) { return a > b ? a : b; }, at);
}
TW_DEVICE unsigned reduce_and(unsigned value, sim::Site at = sim::Site::current()) {
  return sim::reduce(
      "redux.sync.and", value, [](unsigned a, unsigned b) { return a & b; }, at);
}
TW_DEVICE unsigned reduce_or(unsigned value, sim::Site at = sim::Site::current()) {
  return sim::reduce(
      "redux.sync.or", value, [](unsigned a, unsigned b) { return a | b; }, at);
}
TW_DEVICE unsigned reduce_xor(unsigned value, sim::Site at = sim::Site::current()) {
  return sim::reduce(
      "redux.sync.xor", value, [](unsigned a, unsigned b) { return a ^ b; }, at);
}

// True for one lane. Which one is drawn from the seed, and always the same for a warp: a kernel may
// rely on no more.
TW_DEVICE bool elect_one(sim::Site at = sim::Site::current()) {
  const sim::Warp& warp = *sim::Machine::now().self().warp;
  const auto leader = static_cast<int>(sim::Machine::now().elected_lane(warp));
  return sim::ask_warp<bool, bool>(
      "elect.sync", true, [=](const bool(&)[32], int lane) { return lane == leader; }, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
