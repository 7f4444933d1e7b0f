// SPDX-License-Identifier: Apache-2.0
// examples/executionModel/experiments.cuh - all experiments in one program.
#pragma once

#define MODEL_WITHOUT_MAIN
#include "ballotCount.cu"
#include "bankConflicts.cu"
#include "blockShape.cu"
#include "concurrency.cu"
#include "deviceQuery.cu"
#include "divergence.cu"
#include "index2d.cu"
#include "latencyHiding.cu"
#include "launchOverhead.cu"
#include "occupancy.cu"
#include "registers.cu"
#include "tripCounts.cu"
#include "vectorWidth.cu"
#if defined(TWEED_LOOM) || defined(__CUDACC_RDC__)  // with -rdc=true alone
#include "nestedLaunch.cu"
#define MODEL_HAS_NESTED_LAUNCH
#endif

namespace model {

/// From the device down to its smallest effects.
inline std::vector<Experiment> experiments() {
  return {
    deviceQuery::experiment, occupancy::experiment, index2d::experiment, blockShape::experiment,
        divergence::experiment, tripCounts::experiment, ballotCount::experiment,
        bankConflicts::experiment, vectorWidth::experiment, latencyHiding::experiment,
        registers::experiment, concurrency::experiment,
#if defined(MODEL_HAS_NESTED_LAUNCH)
        nestedLaunch::experiment,
#endif
        launchOverhead::experiment
  };
}

}  // namespace model
