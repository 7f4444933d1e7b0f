// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples deviceQuery.cu && ./a.out
//
// What the device has, in the words of the other experiments. The limits of a multiprocessor are
// the ones that tweed::occupancy counts with (tweed::MultiprocessorLimits).

#include <executionModel/experiment.cuh>

namespace deviceQuery {

void run(model::Report& report) {
  tweed::DeviceInfo const& device = report.device;
  auto const row = [&](char const* what, model::Cell const& value, char const* unit) {
    report.row({{"what", what}, {"value", value}, {"unit", unit}});
  };
  report.row({{"device", device.name},
              {"compute capability", std::to_string(device.computeCapability / 10) + "." +
                                         std::to_string(device.computeCapability % 10)}});
  row("multiprocessors", device.multiprocessors, "");
  row("L2 cache", double(device.l2Bytes) / 1024, "KiB");
  row("memory", double(device.memoryBytes) / (1 << 20), "MiB");
  row("memory bandwidth at most", model::peakBandwidth() / 1e9, "GB/s");
  row("clock of the multiprocessors", model::clockRate() / 1e6, "MHz");
  auto const limit = [&](char const* what, model::Cell const& block, model::Cell const& all) {
    report.row({{"limit", what}, {"of a block", block}, {"of a multiprocessor", all}});
  };
  limit("threads", device.threadsPerBlock, device.threadsPerMultiprocessor);
  limit("warps", device.threadsPerBlock / 32, device.threadsPerMultiprocessor / 32);
  limit("blocks", "", device.blocksPerMultiprocessor);
  limit("registers", device.registersPerBlock, device.registersPerMultiprocessor);
  limit("bytes of shared memory", device.sharedBytesPerBlockOptIn,
        device.sharedBytesPerMultiprocessor);
  limit("bytes without opting in", device.sharedBytesPerBlock, "");
  limit("bytes taken by the system", device.sharedBytesReserved, "");
  report.expect(device.threadsPerMultiprocessor >= device.threadsPerBlock &&
                    device.registersPerMultiprocessor >= device.registersPerBlock &&
                    device.sharedBytesPerMultiprocessor >= device.sharedBytesPerBlockOptIn,
                "a block has more than a multiprocessor");
  report.lookAt("what a multiprocessor has for each of its threads: registers before all else");
}

constexpr model::Experiment experiment{"deviceQuery", "the limits of this device", run};

}  // namespace deviceQuery

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(deviceQuery::experiment, argc, argv); }
#endif
