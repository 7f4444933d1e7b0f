// SPDX-License-Identifier: Apache-2.0
// All experiments of examples/executionModel, and the formulas behind them.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <executionModel/experiments.cuh>
#include <fstream>
#include <iterator>
#include <numeric>

#include "support/device.cuh"

namespace {

using tweedTest::contains;

model::Report reportOf(model::Experiment const& experiment) {
  model::Report report(tweed::deviceInfo());
  report.isSmall = report.isSmall || tweedTest::isShort();
  experiment.run(report);
  for (std::string const& failure : report.failures()) FAIL_CHECK(experiment.name, ": ", failure);
  return report;
}

// The runtime's count of resident blocks, for all sizes of blocks.
template <class... Params>
void compareWithRuntime(void (*kernel)(Params...), std::size_t sharedBytes = 0) {
  cudaFuncAttributes attributes;
  void const* const address = reinterpret_cast<void const*>(kernel);
  TWEED_CHECK(cudaFuncGetAttributes(&attributes, address));
  CAPTURE(attributes.numRegs);
  for (int threads = 1; threads <= attributes.maxThreadsPerBlock;
       threads += threads % 32 ? 31 : 32) {
    int blocks = -1;
    TWEED_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address, threads, sharedBytes));
    CAPTURE(threads);
    REQUIRE(tweed::occupancy(kernel, threads, sharedBytes).blocks == blocks);
  }
}

}  // namespace

TEST_CASE("model: every experiment runs, and its results are the host's") {
  for (model::Experiment const& experiment : model::experiments()) {
    CAPTURE(experiment.name);
    model::Report const report = reportOf(experiment);
    if (!report.skipped().empty()) continue;
    CHECK(report.rows().size() > 3);
    CHECK(!report.toLookAt().empty());
#if defined(TWEED_LOOM)
    CHECK(!contains(model::tableOf(report.rows()), "nan"));
#else
    // A GPU measures all that the loom leaves open.
    if (report.isSmall) continue;
    for (model::Row const& row : report.rows())
      for (auto const& named : row) {
        CAPTURE(named.first);
        CHECK((named.second.isWord() || std::isfinite(named.second.number())));
      }
#endif
  }
}

TEST_CASE("model: tables and JSON") {
  std::vector<model::Row> const rows = {{{"name", "a"}, {"count", 5}, {"µs", 1.23456}},
                                        {{"name", "longer"}, {"count", -1234567}, {"µs", 12345.6}},
                                        {{"name", ""}, {"count", 0u}, {"µs", model::notMeasured}},
                                        {{"other", 1ull << 40}}};
  CHECK(model::tableOf(rows) ==
        "  name       count     µs\n"
        "  a              5  1.235\n"
        "  longer  -1234567  12346\n"
        "                 0      -\n"
        "\n"
        "          other\n"
        "  1099511627776\n");
  CHECK(model::tableOf({}) == "");
  CHECK(model::jsonOf("x", {{"device", "a \"b\" \\ \n"}}, rows) ==
        "{\"experiment\": \"x\", \"device\": \"a \\\"b\\\" \\\\ \\u000a\", \"rows\": [\n"
        " {\"name\": \"a\", \"count\": 5, \"µs\": 1.235},\n"
        " {\"name\": \"longer\", \"count\": -1234567, \"µs\": 12346},\n"
        " {\"name\": \"\", \"count\": 0, \"µs\": null},\n"
        " {\"other\": 1099511627776}\n]}\n");
  CHECK(model::jsonOf("x", {{"device", "y"}, {"runtime", 13000}}, {}) ==
        "{\"experiment\": \"x\", \"device\": \"y\", \"runtime\": 13000, \"rows\": [\n]}\n");
  CHECK(model::Cell(INFINITY).json() == "null");
  CHECK(model::Cell(0.0001).json() == "0.0001");
  CHECK(model::cellOf(rows[0], "count").number() == 5);
  CHECK_THROWS_AS((void)model::cellOf(rows[0], "none"), std::out_of_range);
}

TEST_CASE("model: the program around an experiment") {
  auto const run = [](model::Experiment const& experiment, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    return model::program(experiment, int(pointers.size()), pointers.data());
  };
  model::Experiment const right{"right", "what is right", [](model::Report& report) {
                                  report.row({{"one", 1}});
                                  report.expect(true, "never");
                                }};
  model::Experiment const wrong{"wrong", "what is wrong", [](model::Report& report) {
                                  report.row({{"one", 2}});
                                  report.expect(false, "one is two");
                                }};
  model::Experiment const throws{
      "throws", "an error", [](model::Report&) { throw std::runtime_error("in the experiment"); }};
  model::Experiment const skips{"skips", "nothing",
                                [](model::Report& report) { report.skip("not here"); }};
  CHECK(run(right, {}) == 0);
  CHECK(run(right, {"--help"}) == 0);
  CHECK(run(wrong, {}) == 1);
  CHECK(run(throws, {}) == 1);
  CHECK(run(skips, {}) == 77);
  CHECK(run(right, {"--json"}) == 2);
  CHECK(run(right, {"--json", "a", "b"}) == 2);
  CHECK(run(right, {"file"}) == 2);
  CHECK(run(right, {"--json", "/nowhere/at/all.json"}) == 2);
  CHECK(run(throws, {"--json", "/nowhere/at/all.json"}) == 2);  // before it runs
  std::string const absent = "/tmp/tweedModel." + std::to_string(getpid());
  CHECK(run(skips, {"--json", absent}) == 77);
  CHECK(!std::ifstream(absent));
  std::string path = "/tmp/tweedModel.XXXXXX";
  int const descriptor = mkstemp(path.data());
  REQUIRE(descriptor >= 0);
  CHECK(close(descriptor) == 0);
  CHECK(run(wrong, {"--json", path}) == 1);
  CHECK(run(throws, {"--json", path}) == 1);  // and leaves it as it was
  std::ifstream file(path);
  std::string const text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(contains(text, "{\"experiment\": \"wrong\", \"device\": \""));
  CHECK(contains(text, "\"rows\": [\n {\"one\": 2}\n]}"));
  CHECK(std::remove(path.c_str()) == 0);
}

TEST_CASE("model: Little's law, by the figures of a Fermi card in textbooks") {
  // 20 cycles, 32 operations a cycle: 640 operations, as many threads, 20 warps.
  CHECK(model::inFlight(20, 32) == 640);
  CHECK(model::threadsFor(640, 1) == 640);
  CHECK(model::warpsFor(640, 1) == 20);
  // 144 GB/s at 1.566 GHz: 92 bytes a cycle; 800 cycles: 74 KB, 18500 threads of 4 bytes each, 579
  // warps, 36 for each of 16 multiprocessors.
  double const bytes = model::bytesEachCycle(144e9, 1.566e9);
  CHECK(std::lround(bytes) == 92);
  CHECK(std::lround(model::inFlight(800, std::round(bytes)) / 1000) == 74);
  CHECK(model::threadsFor(74e3, 4) == 18500);
  CHECK(model::warpsFor(74e3, 4) == 579);
  CHECK(std::lround(double(model::warpsFor(74e3, 4)) / 16) == 36);
  // Kepler: 192 operations a cycle; 250 GB/s.
  CHECK(model::warpsFor(model::inFlight(20, 192), 1) == 120);
  CHECK(model::threadsFor(8.5, 4) == 3);
  CHECK(model::warpsFor(0, 4) == 0);
  CHECK(model::warpsFor(4 * 32, 4) == 1);
  CHECK(model::warpsFor(4 * 32 + 1, 4) == 2);
  // Half of what fills the pipe gives half of what it can, twice as much no more than it can.
  CHECK(model::eachCycle(320, 20, 32) == 16);
  CHECK(model::eachCycle(640, 20, 32) == 32);
  CHECK(model::eachCycle(1280, 20, 32) == 32);
}

TEST_CASE("model: what is known of warps before they run") {
  auto const sectors = [](int x, int y) { return blockShape::sectorsOfRequest({x, y}); };
  for (blockShape::Shape const shape : blockShape::shapes)
    CHECK(sectors(shape.x, shape.y) == (shape.x < 8 ? 8 : 4));
  CHECK(sectors(1, 32) == 32);
  CHECK(sectors(2, 64) == 16);
  CHECK(sectors(12, 8) == 5);  // rows of 12, 12 and 8 items

  using Sides = std::vector<unsigned char>;
  CHECK(divergence::sidesOf(Sides(64, 1)) == 1);
  CHECK(divergence::sidesOf(Sides(33, 0)) == 1);
  Sides one(64, 0);
  one[40] = 1;
  CHECK(divergence::sidesOf(one) == 1.5);

  using Turns = std::vector<int>;
  CHECK(tripCounts::efficiencyOf(Turns(40, 7)) == doctest::Approx(100 * 40.0 / 64));
  Turns lanes(32);
  std::iota(lanes.begin(), lanes.end(), 1);
  CHECK(tripCounts::efficiencyOf(lanes) == doctest::Approx(100 * 16.5 / 32));
  for (tripCounts::Unit const unit : tripCounts::units) {
    CAPTURE(unit.name);
    std::vector<std::size_t> threadsOfWay(4);
    for (std::size_t i = 0; i < 4 * tripCounts::threads; ++i) {
      int const way = unit.wayOf(i, 4);
      CHECK(unit.wayOf(i, 1) == 0);
      CHECK(unit.wayOf(i, 2) == way % 2);
      CHECK(way == unit.wayOf(i / std::size_t(unit.threads) * std::size_t(unit.threads), 4));
      ++threadsOfWay[std::size_t(way)];
    }
    for (std::size_t const count : threadsOfWay) CHECK(count == tripCounts::threads);
  }
  CHECK(tripCounts::units[1].threads == 32);
  CHECK(tripCounts::units[2].threads == tripCounts::threads);
  auto const rows = reportOf(tripCounts::experiment).rows();
  auto const isByBlock = [](model::Row const& row) {
    return row[1].first == "split by" && model::cellOf(row, "split by").text() == "block";
  };
  CHECK(std::count_if(rows.begin(), rows.end(), isByBlock) == 3);
}

TEST_CASE("model: C34: ballots count and pack the positive items of any number") {
  std::vector<long long> sizes = {0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 257, 1000, 8191, 8192};
  if (tweedTest::isShort()) sizes = {0, 1, 33, 1000};
  for (long long const n : sizes)
    for (int const pattern : {0, 1, 2, 3}) {
      CAPTURE(n);
      CAPTURE(pattern);
      std::vector<int> items = ballotCount::itemsOf(n);
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (pattern == 1) items[i] = int(i) + 1;
        if (pattern == 2) items[i] = -int(i);
        if (pattern == 3) items[i] = i % 33 == 32 ? int(i) : 0;
      }
      ballotCount::Positives found = ballotCount::positivesOf(model::Array<int>(items), n);
      std::vector<int> expected;
      for (int const item : items)
        if (item > 0) expected.push_back(item);
      CHECK(found.byBranch == expected.size());
      CHECK(found.byBallot == expected.size());
      std::sort(expected.begin(), expected.end());
      std::sort(found.items.begin(), found.items.end());
      CHECK(found.items == expected);
    }
}

TEST_CASE("model: S15: rows and columns of any matrix, also above 65535 rows") {
  using index2d::wrongItems;
  for (auto const& shape : {std::pair(1, 1), {1, 65}, {65, 1}, {7, 33}, {64, 32}})
    for (tweed::Extent const block :
         {tweed::Extent(32, 8), tweed::Extent(8, 3), tweed::Extent(1)}) {
      int const rows = shape.first, columns = shape.second;
      CAPTURE(rows);
      CAPTURE(columns);
      CHECK(wrongItems(index2d::onePerThread, false, block, rows, columns) == 0);
      CHECK(wrongItems(index2d::loopOverRows, true, block, rows, columns) == 0);
      CHECK(wrongItems(index2d::byGridStride2D, true, block, rows, columns) == 0);
    }
  // The experiment itself has 65537 rows.
  if (!tweedTest::isLoom) CHECK(wrongItems(index2d::onePerThread, false, {1, 1}, 65535, 1) == 0);
  std::string const text = tweedTest::refusal([] {
    (void)wrongItems(index2d::onePerThread, false, {1, 1}, 65536, 1);
  });
  CAPTURE(text);
  CHECK(contains(text, "grid.y is 65536; at most 65535 is allowed"));
  static_assert(index2d::offsetOf(65535, 65535, 65536) == 4294967295);
  static_assert(index2d::offsetOf(46340, 46340, 46341) == 2147488280);
}

TEST_CASE("model: bank conflicts as predicted, and as the clock sees them") {
  model::Report const report = reportOf(bankConflicts::experiment);
  REQUIRE(report.rows().size() == 40);
  bool const hasClock = !report.isSmall;  // tools that take few sizes change it
  for (std::size_t i = 0; i < 40; ++i) {
    model::Row const& row = report.rows()[i];
    auto const predicted = long(model::cellOf(row, "predicted passes").number());
    CAPTURE(row[0].second.text());
    if (i < 32) CHECK(predicted == long(std::gcd(i + 1, 32)));
    double const measured = model::cellOf(row, "passes from cycles").number();
    CAPTURE(model::cellOf(row, "cycles a load").number());
    CHECK(std::isnan(measured) == tweedTest::isLoom);
    if (hasClock) CHECK(std::lround(measured) == predicted);
  }
  long const expected[] = {1, 32, 1, 1, 1, 4, 1, 1};  // rows and columns: plain, padded, swizzled
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(model::cellOf(report.rows()[32 + i], "predicted passes").number() == expected[i]);
  // Otherwise the line through both ends would say nothing.
  if (hasClock)
    CHECK(model::cellOf(report.rows()[31], "cycles a load").number() >
          model::cellOf(report.rows()[0], "cycles a load").number() + 10);
}

#if !defined(TWEED_LOOM)
TEST_CASE("model: bounds take registers away, and spills come in their place") {
  auto const attributesOf = [](void (*kernel)(unsigned*, int)) {
    cudaFuncAttributes attributes;
    TWEED_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(kernel)));
    return attributes;
  };
  CHECK(attributesOf(registers::unbounded).localSizeBytes == 0);
  CHECK(attributesOf(registers::boundBlock).localSizeBytes == 0);
  CHECK(attributesOf(registers::fourBlocks).numRegs <= 64);
  CHECK(attributesOf(registers::fourBlocks).localSizeBytes > 0);
  CHECK(attributesOf(registers::sixBlocks).numRegs <= 42);
  CHECK(attributesOf(registers::sixBlocks).localSizeBytes >
        attributesOf(registers::fourBlocks).localSizeBytes);
#if defined(REGISTERS_HAS_MAXNREG)
  CHECK(attributesOf(registers::thirtyTwoRegisters).numRegs <= 32);
  CHECK(attributesOf(registers::thirtyTwoRegisters).localSizeBytes >
        attributesOf(registers::sixBlocks).localSizeBytes);
#endif
}
#endif

TEST_CASE("model: occupancy is the runtime's for all kernels of the experiments") {
  using tweed::Cache;
  compareWithRuntime(
      bankConflicts::loadChain<tweed::PaddedTile<int, 32, 32, 1>, tweed::ColumnAccess<>>);
  compareWithRuntime(ballotCount::countByBranch);
  compareWithRuntime(ballotCount::countByBallot);
  compareWithRuntime(ballotCount::compact);
  compareWithRuntime(blockShape::add);
  compareWithRuntime(concurrency::turnOver);
  compareWithRuntime(divergence::branch<divergence::Form::IfElse>);
  compareWithRuntime(divergence::branch<divergence::Form::TwoIfs>);
  compareWithRuntime(divergence::branch<divergence::Form::Short>);
  compareWithRuntime(index2d::onePerThread);
  compareWithRuntime(index2d::loopOverRows);
  compareWithRuntime(index2d::byGridStride2D);
  compareWithRuntime(index2d::countWrong);
  compareWithRuntime(index2d::lastOffset);
  compareWithRuntime(latencyHiding::chase);
  compareWithRuntime(latencyHiding::add<1>);
  compareWithRuntime(latencyHiding::add<4>);
  compareWithRuntime(latencyHiding::add<8>);
  compareWithRuntime(latencyHiding::multiplyAdd<1>);
  compareWithRuntime(latencyHiding::multiplyAdd<4>);
  compareWithRuntime(launchOverhead::addOne);
  compareWithRuntime(occupancy::plain);
  compareWithRuntime(occupancy::manyValues<32>);
  compareWithRuntime(occupancy::manyValues<96>);
  compareWithRuntime(occupancy::tile, 48 * 1024);
  compareWithRuntime(tripCounts::loops);
  compareWithRuntime(tripCounts::ways);
  compareWithRuntime(vectorWidth::copy<1, Cache::Normal, Cache::Normal>);
  compareWithRuntime(vectorWidth::copy<2, Cache::ReadOnce, Cache::Normal>);
  compareWithRuntime(vectorWidth::copy<4, Cache::Keep, Cache::Keep>);
  for (registers::Variant const& variant : registers::variants) compareWithRuntime(variant.kernel);
#if !defined(TWEED_LOOM) && defined(MODEL_HAS_NESTED_LAUNCH)
  compareWithRuntime(nestedLaunch::level);
#endif
}
