// SPDX-License-Identifier: Apache-2.0
// tweed/arch/cluster.cuh - the blocks of a cluster: ranks, their barrier, and each other's memory.
#pragma once

#include <tweed/arch/cache.cuh>
#include <tweed/arch/target.cuh>

namespace tweed::arch {

// Needs    compute capability 9.0. A launch without a cluster is one of a single block.
// Source   PTX ISA, %cluster_ctarank, barrier.cluster, mapa, ld.shared::cluster.

/// This block's rank in its cluster, x fastest.
template <bool Has = hasHopper>
TWEED_DEVICE unsigned clusterRank() {
  needsHopper<Has>();
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// How many blocks the cluster has.
template <bool Has = hasHopper>
TWEED_DEVICE unsigned clusterBlocks() {
  needsHopper<Has>();
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}

/// Arrives at the cluster's barrier; what this thread wrote before is seen by all that have waited.
/// All threads of the cluster, whole warps together.
template <bool Has = hasHopper>
TWEED_DEVICE void clusterArrive() {
  needsHopper<Has>();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/// The same where only the order of events matters: nothing that was written is promised to others.
/// (The form above is a fence of the whole device.)
template <bool Has = hasHopper>
TWEED_DEVICE void clusterArriveRelaxed() {
  needsHopper<Has>();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

template <bool Has = hasHopper>
TWEED_DEVICE void clusterWait() {
  needsHopper<Has>();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <bool Has = hasHopper>
TWEED_DEVICE void syncCluster() {
  clusterArrive<Has>();
  clusterWait<Has>();
}

/// Where block `rank` of the cluster has what is at `address` (by sharedAddress()) in this one.
template <bool Has = hasHopper>
TWEED_DEVICE unsigned clusterAddress(unsigned address, unsigned rank) {
  needsHopper<Has>();
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

/// 16 bytes from a clusterAddress() that is a multiple of them. A barrier of the cluster comes
/// before, and another before that block ends or writes there again.
template <bool Has = hasHopper>
TWEED_DEVICE Bytes16 loadCluster(unsigned address) {
  needsHopper<Has>();
  Bytes16 v;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "r"(address)
               : "memory");
  return v;
}

}  // namespace tweed::arch
