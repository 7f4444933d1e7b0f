// SPDX-License-Identifier: Apache-2.0
// benchmarks/device/deviceReduceTuning.cu - the kernels of deviceReduce in other configurations:
// the numbers of tweed/device/tuning.cuh come from here. Prints the fastest for each n and mode.
#include "support/cubCall.cuh"
#include "support/tweedReduce.cuh"

#include <numeric>

namespace {

using Task = tweed::detail::ReduceTask<float, float, float, tweed::Sum, tweed::detail::NoInit>;

// blocksPerMultiprocessor == 0: blocks that load once, as many as that takes.
template <int Threads, int Loads, bool IsGrid>
bench::MakeCall<float, float> tweedCall(int blocksPerMultiprocessor) {
  using Once = tweed::detail::ReduceShape<Threads, Loads, true, IsGrid>;
  using Rows = tweed::detail::ReduceShape<Threads, Loads, false, true>;
  return [blocksPerMultiprocessor](std::uint64_t n) {
    auto const workspace = std::make_shared<tweed::Workspace>(bench::stream());
    return bench::Call<float, float>(
        [n, blocksPerMultiprocessor, workspace](float const* in, float* out) {
          tweed::VectorSplit const split = tweed::splitVectors(in, n);
          Task task{};
          task.in = in;
          task.vectors = in + split.head;
          task.vectorCount = split.vectors;
          task.out = out;
          task.count = n;
          if (blocksPerMultiprocessor == 0) {
            unsigned const blocks = tweed::detail::divideOnce<Once>(task);
            tweed::detail::startReduce<Once>(task, blocks, workspace.get(), bench::stream());
          } else {
            unsigned const blocks = tweed::detail::divideRows<Rows>(
                task, unsigned(bench::multiprocessors() * blocksPerMultiprocessor));
            tweed::detail::startReduce<Rows>(task, blocks, workspace.get(), bench::stream());
          }
        });
  };
}

template <class Add, int Threads, int Loads>
void addShape(Add const& add, std::uint64_t n) {
  std::string const shape = std::to_string(Threads) + "x" + std::to_string(Loads);
  constexpr std::uint64_t share = std::uint64_t(Threads) * Loads * 4;
  if (n <= share) {
    add(shape + ".oneBlock", tweedCall<Threads, Loads, false>(0));
  } else if (n <= share * std::uint64_t(tweed::detail::onceBlocks)) {
    add(shape + ".once", tweedCall<Threads, Loads, true>(0));
  }
  if (n < 1ull << 20) return;
  for (int const blocks : {1, 2, 4, 8}) {
    if (blocks * Threads > 2048) continue;
    add(shape + ".blocks" + std::to_string(blocks), tweedCall<Threads, Loads, true>(blocks));
  }
}
template <class Add, int Threads>
void addThreads(Add const& add, std::uint64_t n) {
  addShape<Add, Threads, 1>(add, n);
  addShape<Add, Threads, 2>(add, n);
  addShape<Add, Threads, 4>(add, n);
  addShape<Add, Threads, 8>(add, n);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  static bench::Input<float> const input(1ull << 30);
  auto const addAll = [](bench::Case& each, bench::Mode mode, std::uint64_t n) {
    auto const add = [&](std::string const& name, bench::MakeCall<float, float> make) {
      bench::addDevicePeer<float, float>(each, input, mode, n, name, std::move(make),
                                         bench::checkSum<float, float>);
    };
    add("cub", bench::cubSum<float>());
    add("current", bench::tweedReduce<float, float>(tweed::Sum{}));
    addThreads<decltype(add), 256>(add, n);
    addThreads<decltype(add), 512>(add, n);
    addThreads<decltype(add), 1024>(add, n);
  };
  bench::addDeviceCases<float>("f32", {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}, addAll);
}

// Every configuration within 3 % of the best, at most eight, and what is shipped now.
void printTable() {
  std::printf("\n%-28s %9s %9s %9s  fastest configurations (us)\n", "case (time of a call, us)",
              "cub", "current", "best");
  for (bench::Case const& each : bench::cases()) {
    if (!each.hasRun()) continue;
    std::vector<std::size_t> order(each.size() - 2);
    std::iota(order.begin(), order.end(), std::size_t(2));
    order.erase(std::remove_if(order.begin(), order.end(),
                               [&](std::size_t i) { return each.samples(i).empty(); }),
                order.end());
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return each.medianSeconds(a) < each.medianSeconds(b);
    });
    if (order.empty()) continue;
    double const best = each.medianSeconds(order[0]);
    std::printf("%-28s %9.3f %9.3f %9.3f ", each.name().c_str(), 1e6 * each.medianSeconds(0),
                1e6 * each.medianSeconds(1), 1e6 * best);
    for (std::size_t k = 0; k < order.size() && k < 8; ++k) {
      double const seconds = each.medianSeconds(order[k]);
      if (seconds > 1.03 * best) break;
      std::printf(" %s %.3f", each.peerName(order[k]).c_str(), 1e6 * seconds);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int const code = bench::run(argc, argv, "deviceReduceTuning", 6, addCases);
  printTable();
  return code;
}
