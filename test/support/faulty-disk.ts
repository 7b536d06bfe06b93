import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Disk, DiskFile } from '../../daemon/src/files/disk/disk.ts'
import { createLocalDisk } from '../../daemon/src/files/disk/local-disk.ts'

/** How a disk fails: only at one step, or from that step on. Steps with a name in `spared` succeed all the same. */
export type Fault = { at: number; errno: string; lasts: 'once' | 'on'; spared?: readonly string[] }

const HANDLE_STEPS = new Set(['chmod', 'chown', 'writeFile', 'write', 'sync', 'datasync', 'truncate'])

/** A disk whose operations fail on command. Steps are counted from `arm`; reads and closes do not count. */
export function faultyDisk() {
  let fault: Fault | undefined
  let steps: string[] = []
  let hits: string[] = []

  function step(name: string): void {
    if (!fault) return
    steps.push(name)
    const isHit = fault.lasts === 'once' ? steps.length === fault.at : steps.length >= fault.at
    if (!isHit || fault.spared?.includes(name)) return
    hits.push(name)
    throw Object.assign(new Error(`${fault.errno}: injected at ${name}`), { code: fault.errno })
  }

  const withSteps = (handle: DiskFile): DiskFile =>
    new Proxy(handle, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (HANDLE_STEPS.has(String(name)))
            try {
              step(String(name))
            } catch (error) {
              return Promise.reject(error as Error)
            }
          return (value as (...given: unknown[]) => unknown).apply(target, args)
        }
      },
    })

  const disk = Object.fromEntries(
    Object.entries(createLocalDisk({ clock: systemClock })).map(([name, run]) => [
      name,
      async (...args: unknown[]) => {
        step(name)
        const result: unknown = await (run as (...given: unknown[]) => Promise<unknown>)(...args)
        return name === 'open' ? withSteps(result as DiskFile) : result
      },
    ]),
  ) as unknown as Disk

  return {
    disk,
    arm(next: Fault) {
      fault = next
      steps = []
      hits = []
    },
    /** Repairs the disk; returns the steps that failed. */
    heal(): string[] {
      fault = undefined
      return hits
    },
  }
}
