import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

/** Whether an image may run. `refused` is final: the same reference will never be accepted. */
export type ImageVerdict =
  { state: 'allowed' } | { state: 'refused'; reason: 'ImageNotAllowed' | 'ImageNotFound'; message: string }

/**
 * Why a machine does not start. A fatal problem fails a roll at once; any other fails it only by timeout. The cause of
 * an external one may lie elsewhere, as in a registry that is down: it fails no first image, which has no alternative.
 */
export type MachineProblem = { reason: string; message: string; fatal: boolean; external?: boolean }

/** The one process or pod of a daemon. */
export type Machine = {
  /** Stable name: it survives a roll. */
  id: string
  image: string
  /**
   * `stuck`: its program does not run and may never run by itself. `lost`: the node does not respond, so the state is
   * unknown.
   */
  state: 'starting' | 'stuck' | 'ready' | 'stopping' | 'lost'
  startedAt: Date
  /** Since when the daemon has been continuously ready; absent while it is not. */
  readySince?: Date
  problem?: MachineProblem
  /** Whether it was made from what the workload says now; absent where a workload has no template. */
  template?: 'current' | 'outdated' | 'unknown'
  /** What the daemon reports; absent when it did not respond this time. */
  daemon?: DaemonStatus
}

/** A key in the Secret, identified by its hash. */
export type HeldKey = { generation: number; hash: string }

/** Everything of one daemon at its runtime. */
export type Children = {
  /** Objects with our names that are not ours. */
  foreign: readonly string[]
  fixtures: 'present' | 'absent' | 'drifted'
  /**
   * `owned`: deleted with the resource. `capacityBytes` is what the daemon can use now. `going`: it is being deleted, and
   * gone once no machine uses it.
   */
  volume?: { name: string; requestedBytes: number; capacityBytes: number; owned: boolean; going?: boolean }
  /** Oldest first. `current` is the generation that the daemon uses. */
  keys: { held: readonly HeldKey[]; current?: number }
  /**
   * `outdated`: a start would write more than its image and its count. `noMachine`: since when the runtime has made no
   * machine for what should run, and how to learn why.
   */
  workload?: {
    name: string
    image: string
    running: boolean
    outdated?: boolean
    noMachine?: { since: Date; message: string }
  }
  machine?: Machine
}

/** All inputs of a plan. */
export type Observed = { daemon: ManagedDaemon; children: Children; image: ImageVerdict; now: Date }
