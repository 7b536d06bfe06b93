import { systemClock } from '@svc/shared/kit/clock.ts'
import type { HelmPlatform } from './helm-platform.ts'
import { SYSTEM } from './helm-release.ts'
import { nodeProcesses, type NodeComponent } from './node-processes.ts'

/** The targets of kills: components of the release, by their pods, and parts of the node. */
export const killTargets = ['operator', 'worker', 'web', 'valkey', 'postgres', 'kubelet', 'containerd'] as const
export type KillTarget = (typeof killTargets)[number]

const podsOf: Partial<Record<KillTarget, string>> = {
  operator: 'operator',
  worker: 'worker',
  web: 'web',
  valkey: 'trial-valkey',
  postgres: 'trial-postgres',
}
const PAUSE_MS = { least: 5_000, most: 19_000 }

/** The same numbers for the same seed (mulberry32), so that a run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random order of kills in which each target occurs equally often. */
export function drawTargets(kills: number, random: () => number): KillTarget[] {
  const drawn = Array.from({ length: kills }, (_, index) => killTargets[index % killTargets.length]!)
  return drawn
    .map((target) => ({ target, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ target }) => target)
}

type Options = { platform: HelmPlatform; state: string; random: () => number; inFlight: () => number }
export type Kill = { target: KillTarget; atMs: number; inFlight: number }

/**
 * Kills targets one after another, 5 to 19 seconds apart. Postgres is told to restart at once; all others get SIGKILL.
 */
export async function killEach(targets: KillTarget[], { platform, state, random, inFlight }: Options): Promise<Kill[]> {
  const node = nodeProcesses(state)
  const begun = systemClock.monotonic()
  const kills: Kill[] = []

  const victim = async (target: KillTarget): Promise<number | undefined> => {
    const component = podsOf[target]
    if (component === undefined) return node.component(target as NodeComponent)
    const pods = await platform.release.list('pods', SYSTEM, `app.kubernetes.io/component=${component}`)
    const running = pods.flatMap(({ metadata }) => node.containers(metadata.uid ?? ''))
    return running[Math.floor(random() * running.length)]
  }
  /** Waits until the target of the previous kill runs again, so that every kill hits a process. */
  const untilVictim = async (target: KillTarget): Promise<number> => {
    for (;;) {
      const pid = await victim(target).catch(() => undefined)
      if (pid !== undefined) return pid
      await systemClock.sleep(100)
    }
  }

  for (const target of targets) {
    await systemClock.sleep(PAUSE_MS.least + random() * (PAUSE_MS.most - PAUSE_MS.least))
    const pid = await untilVictim(target)
    process.kill(pid, target === 'postgres' ? 'SIGINT' : 'SIGKILL')
    const kill = { target, atMs: Math.round(systemClock.monotonic() - begun), inFlight: inFlight() }
    kills.push(kill)
    console.log(`kill ${kills.length}/${targets.length}: ${target}, ${kill.inFlight} operations in flight`)
  }
  return kills
}
