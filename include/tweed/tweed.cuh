// SPDX-License-Identifier: Apache-2.0
// tweed/tweed.cuh - everything. For programs; the headers themselves include what they need.
#pragma once

#include <tweed/arch/atomic.cuh>
#include <tweed/arch/barrier.cuh>
#include <tweed/arch/cache.cuh>
#include <tweed/arch/overlap.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/arch/vote.cuh>
#include <tweed/block/blockArg.cuh>
#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/core/argOps.cuh>
#include <tweed/core/config.cuh>
#include <tweed/core/error.cuh>
#include <tweed/core/math.cuh>
#include <tweed/core/ops.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/core/values.cuh>
#include <tweed/device/deviceArg.cuh>
#include <tweed/device/deviceReduce.cuh>
#include <tweed/device/gridFold.cuh>
#include <tweed/device/reduceKernel.cuh>
#include <tweed/device/tuning.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/launch/launchChecks.cuh>
#include <tweed/launch/launchConfig.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/sharedArray.cuh>
#include <tweed/memory/vector.cuh>
#include <tweed/memory/vectorLoad.cuh>
#include <tweed/memory/workspace.cuh>
#include <tweed/version.cuh>
#include <tweed/warp/warpReduce.cuh>
#include <tweed/warp/warpScan.cuh>
