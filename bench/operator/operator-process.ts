// The operator of the bench: the real one, alone in its process, which reports its calls and its cost.
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { createOperator } from '../../operator/src/app.ts'
import { readOperatorConfig } from '../../operator/src/config.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { defaultLimits } from '../../operator/src/managed-daemon/plan-limits.ts'
import { callCount } from './call-count.ts'
import { answerParent, partOptions } from '../part.ts'

export type OperatorOptions = {
  environment: Record<string, string>
  /** Time between two checks of a daemon that runs as desired; production's value if absent. */
  steadyMs?: number
}

const REST_MS = 5_000

const { environment, steadyMs = defaultLimits.steadyMs } = partOptions<OperatorOptions>()
const config = readOperatorConfig(environment)
const kubeConfig = loadKubeConfig(config.kubeconfig)

let expected: { daemon: string; written: (at: number) => void } | undefined
const calls = callCount({
  apiPort: Number(new URL(kubeConfig.getCurrentCluster()?.server ?? '').port),
  onWrite: (daemon) => {
    if (daemon !== undefined && daemon === expected?.daemon) expected.written(systemClock.now().getTime())
  },
})
const operator = createOperator({
  config,
  kubeConfig,
  clock: systemClock,
  log: createLog({ service: 'svc-operator', level: config.logLevel }),
  random: Math.random,
  limits: { ...defaultLimits, steadyMs },
  onCall: calls.onCall,
})

const answers = {
  state: () => {
    const { leading, synced, reconciler } = operator.state()
    const { reconciles, failures, conflicts, queueDepth } = reconciler
    return { leading, synced, reconciles, failures, conflicts, queueDepth }
  },
  counts: () => ({ ...calls.read(), cpuMs: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000 }),
  /** Bytes in use after the process has been idle: V8 returns pages when nothing happens for a while. */
  async memory() {
    for (let round = 0; round < 3; round++) {
      globalThis.gc?.()
      await systemClock.sleep(REST_MS)
    }
    const { heapUsed, rss, external } = process.memoryUsage()
    return { heap: heapUsed + external, rss }
  },
  /**
   * Resolves when the next write of a daemon has got its response; returns that time in milliseconds of the wall clock.
   */
  expectWrite(daemon: string) {
    const { promise, resolve } = Promise.withResolvers<number>()
    expected = { daemon, written: resolve }
    nextWrite = promise.finally(() => (expected = undefined))
  },
  nextWrite: () => nextWrite,
}
let nextWrite: Promise<number> | undefined

export type OperatorAnswers = typeof answers

const stop = new AbortController()
const running = operator.run(stop.signal)
answerParent(answers, () => {
  stop.abort()
  return running
})
