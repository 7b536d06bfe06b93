import type { Server } from 'node:http'
import type { FileLock } from '@svc/shared/kit/lock/lock-file.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { DaemonConfig } from './config.ts'
import { errnoOf } from './files/fs-failure.ts'
import { clearLeftoversOfAll } from './home/clear-git-leftovers.ts'
import type { HomeLayout } from './home/home-layout.ts'
import { homeHolder, lockHome } from './home/lock-home.ts'
import { prepareHome } from './home/prepare-home.ts'
import { clearUploads } from './home/import-upload.ts'
import { listen } from './status/listen.ts'
import { openDoor, type Door } from './status/open-door.ts'
import { statusListener } from './status/status-listener.ts'

/** What the listeners need from the rest of the daemon. */
type Inside = {
  log: Log
  status(): Promise<DaemonStatus>
  /** Makes everything durable; returns the time up to which it is. */
  flush(): Promise<string>
  probeToken(): Promise<string | undefined>
}

/** A locked home whose listeners respond to health requests. */
export type OpenHome = {
  layout: HomeLayout
  door: Door
  /** The address on which the daemon listens; null if it is reached only through its tunnel. */
  address: string | null
  probe: Server | undefined
  /** Called when the rest of the daemon is loaded; requests that waited for it continue. */
  enter(inside: Inside): void
}

/**
 * Locks a home and listens. From here on the daemon responds to health requests, so this file imports little: the rest
 * of the daemon is loaded afterwards.
 */
export async function openHome(config: DaemonConfig, shutdown: Shutdown): Promise<OpenHome> {
  const layout = prepareHome(config.home)
  const lock = await lockOnAnyVolume(layout)
  shutdown.add('lock', () => lock.release())

  const entered = Promise.withResolvers<Inside>()
  const inside = entered.promise
  const tell = (message: string) => async (error: unknown) => {
    const { log } = await inside
    log.error({ err: error }, message)
  }
  const door = openDoor({
    layout,
    allowedHosts: config.allowedHosts,
    onFailure: tell('the routes could not be loaded'),
  })
  const address = config.listen === 'tcp' ? await listen(door.server, config) : null
  const probe =
    config.probe &&
    statusListener({
      isReady: door.isReady,
      status: async () => (await inside).status(),
      flush: async () => (await inside).flush(),
      token: async () => (await inside).probeToken(),
      onFailure: tell('a status request failed'),
    })
  if (config.probe && probe) await listen(probe, config.probe)
  return { layout, door, address, probe, enter: entered.resolve }
}

/**
 * Locks a home, and removes what a killed git or import left there: it may have filled the volume, so that not even the
 * lock can be written. A home in use is left alone.
 */
async function lockOnAnyVolume(layout: HomeLayout): Promise<FileLock> {
  try {
    const lock = lockHome(layout)
    await clearLeftovers(layout)
    return lock
  } catch (error) {
    if (errnoOf(error) !== 'ENOSPC' || homeHolder(layout) !== undefined) throw error
    await clearLeftovers(layout)
    return lockHome(layout)
  }
}

async function clearLeftovers(layout: HomeLayout): Promise<void> {
  await clearLeftoversOfAll(layout.history)
  await clearUploads(layout)
}
