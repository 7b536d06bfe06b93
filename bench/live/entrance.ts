import { startPart, type Part } from '../part.ts'
import { imageOptions } from '../relay/image-options.ts'
import type { RelayAnswers } from '../relay/relay-process.ts'
import { liveClient, type LiveClient } from '../../test/support/live-client.ts'
import { startSvcd, type Svcd } from '../../test/support/svcd.ts'
import { until } from '../../test/support/until.ts'

export const VAULT = 'bench'
export const NOTE = 'README.md'

/** A way to the vault: the daemon's own port, or the relay. */
export type Entrance = {
  /** The address of the live session of a note. */
  url(note: string): string
  headers: Record<string, string>
  /** The processes that serve it, the daemon first. */
  processes: number[]
  client(note: string): LiveClient
}

function entrance(base: string, headers: Record<string, string>, processes: number[]): Entrance {
  return {
    url: (note) => `${base.replace('http', 'ws')}/api/vaults/${VAULT}/live/${note}`,
    headers,
    processes,
    client: (path) => liveClient({ url: () => base, vaultId: VAULT, path, headers }),
  }
}

export type Ways = { daemon: Svcd; local: Entrance; relayed: Entrance; stop(): Promise<void> }

/**
 * Starts a daemon, and a relay in a process of its own with the options of its image. The daemon dials out to the
 * relay.
 */
export async function startWays(options: {
  home: string
  program: string
  env: Record<string, string>
}): Promise<Ways> {
  const relay: Part<RelayAnswers> = await startPart({
    program: new URL('../relay/relay-process.ts', import.meta.url),
    options: {},
    flags: imageOptions(),
  })
  const port = await relay.ask('port')
  const { orgId, apiKey, headers } = await relay.ask('organization')
  const dial = { SVC_RELAY_URL: `http://127.0.0.1:${port}/t/${orgId}`, SVC_RELAY_TOKEN: apiKey }
  const daemon = await startSvcd({ ...options, env: { ...options.env, ...dial } })
  await until('the daemon is connected', () => relay.ask('connected', orgId))
  const { pid } = daemon.process
  return {
    daemon,
    local: entrance(daemon.url, {}, [pid!]),
    relayed: entrance(`http://127.0.0.1:${port}`, headers, [pid!, relay.pid]),
    stop: async () => {
      await daemon.remove()
      await relay.stop()
    },
  }
}
