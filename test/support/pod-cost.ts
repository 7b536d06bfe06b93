import { systemClock } from '@svc/shared/kit/clock.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import type { ClusterPod } from './cluster.ts'
import { until } from './until.ts'

/** What the kubelet has counted of a pod: memory that cannot be reclaimed, and CPU time since it started. */
export type PodCost = { at: number; workingSetBytes: number; cpuMs: number }

type Counted = { time: string }
type Summary = {
  pods: {
    podRef: { uid: string }
    memory?: Counted & { workingSetBytes?: number }
    cpu?: Counted & { usageCoreNanoSeconds?: number }
  }[]
}

const NANOSECONDS = 1e6

/** Reads the newest figures of a pod that the kubelet took at `since` or later, in milliseconds of the wall clock. */
export async function podCost(client: KubeClient, { metadata, spec }: ClusterPod, since: Date): Promise<PodCost> {
  const path = `/api/v1/nodes/${spec.nodeName}/proxy/stats/summary`
  let cost: PodCost | undefined
  const isCounted = async () => {
    const { pods } = await client.request<Summary>({ method: 'GET', path })
    const found = pods.find(({ podRef }) => podRef.uid === metadata.uid)
    const { memory, cpu } = found ?? {}
    if (memory?.workingSetBytes === undefined || cpu?.usageCoreNanoSeconds === undefined) return false
    const at = Math.min(Date.parse(memory.time), Date.parse(cpu.time))
    if (at < since.getTime()) return false
    cost = { at, workingSetBytes: memory.workingSetBytes, cpuMs: cpu.usageCoreNanoSeconds / NANOSECONDS }
    return true
  }
  await until('the kubelet has counted the pod', isCounted, { withinMs: 120_000, everyMs: 1_000 })
  return cost!
}

/** The figures of a pod now, and again after a rest of so many milliseconds. */
export async function podCostAtRest(client: KubeClient, pod: ClusterPod, restMs: number): Promise<[PodCost, PodCost]> {
  const before = await podCost(client, pod, systemClock.now())
  await systemClock.sleep(restMs)
  return [before, await podCost(client, pod, systemClock.now())]
}
