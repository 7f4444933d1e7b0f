// SPDX-License-Identifier: Apache-2.0
// tests/trace/executionModel.cu - what the experiments of examples/executionModel predict of bank
// passes, sectors and requests is what the recorder counts when they run.
#define MODEL_WITHOUT_MAIN
#include <doctest/doctest.h>
#include <tweed/loom/recording.hpp>

#include <executionModel/ballotCount.cu>
#include <executionModel/bankConflicts.cu>
#include <executionModel/blockShape.cu>
#include <executionModel/vectorWidth.cu>

#include "support/device.cuh"

namespace {

using tweed::loom::Event;
using tweedTest::DeviceArray;

}  // namespace

TEST_CASE("model: bank passes as predicted") {
  model::Report report(tweed::deviceInfo());
  auto const recording = tweed::loom::record([&] { bankConflicts::run(report); });
  REQUIRE(recording.kernels.size() == report.rows().size());  // one of each, in this order
  for (std::size_t i = 0; i < recording.kernels.size(); ++i) {
    CAPTURE(model::cellOf(report.rows()[i], "access").text());
    auto const counts = recording.kernels[i].total(Event::sharedLoad);
    CHECK(int(counts.requests) == bankConflicts::turns);
    CHECK(double(counts.passes) ==
          bankConflicts::turns * model::cellOf(report.rows()[i], "predicted passes").number());
  }
}

TEST_CASE("model: sectors of a request by the shape of the block") {
  int const rows = 64, columns = 256;
  DeviceArray<float> const a(std::vector<float>(rows * columns, 1)), b(rows * columns);
  TWEED_CHECK(cudaMemcpy(b.data(), a.data(), rows * columns * sizeof(float), cudaMemcpyDefault));
  for (blockShape::Shape const shape : blockShape::shapes) {
    CAPTURE(blockShape::text(shape));
    DeviceArray<float> const sum(rows * columns);
    auto const recording = tweed::loom::record(
        [&] { blockShape::launch(shape, a.data(), b.data(), sum.data(), rows, columns); });
    for (Event const event : {Event::globalLoad, Event::globalStore}) {
      auto const counts = recording.total(event);
      CHECK(counts.requests == (event == Event::globalLoad ? 2 : 1) * rows * columns / 32);
      CHECK(counts.divergent == 0);
      CHECK(counts.sectors == counts.requests * unsigned(blockShape::sectorsOfRequest(shape)));
    }
  }
}

TEST_CASE("model: wide loads are fewer requests") {
  model::Report report(tweed::deviceInfo());
  auto const recording = tweed::loom::record([&] { vectorWidth::run(report); });
  // A kernel for each of twelve forms, launched once for each size, and once before it is timed.
  REQUIRE(recording.kernels.size() == 12);
  REQUIRE(report.rows().size() == 24);
  for (std::size_t i = 0; i < 12; ++i) {
    double predicted = 0;
    for (std::size_t const size : {i, i + 12})
      predicted += model::cellOf(report.rows()[size], "loads of warps").number();
    auto const counts = recording.kernels[i].total(Event::globalLoad);
    CAPTURE(recording.kernels[i].name);
    CHECK(double(counts.requests) == double(recording.kernels[i].launches) / 2 * predicted);
    CHECK(counts.isCoalesced());
  }
}

TEST_CASE("model: one vote for 32 items, one atomic for a warp") {
  long long const n = 10007;
  model::Array<int> const in(ballotCount::itemsOf(n));
  auto const recording = tweed::loom::record([&] { (void)ballotCount::positivesOf(in, n); });
  REQUIRE(recording.kernels.size() == 3);
  auto const& byBallot = recording.kernels[1];
  CHECK(byBallot.total(Event::vote).requests == (n + 31) / 32);
  CHECK(byBallot.total(Event::vote).divergent == 0);
  CHECK(byBallot.total(Event::globalAtomic).requests == byBallot.warps);
  CHECK(byBallot.total(Event::globalAtomic).lanes == byBallot.warps);
  CHECK(recording.kernels[2].total(Event::globalAtomic).lanes == (n + 31) / 32);
}
