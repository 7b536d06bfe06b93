import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { call, newHome, startSvcd } from './svcd.ts'
import type { LongTurn } from './turn-cpu.ts'
import { until } from './until.ts'

const preload = new URL('./turn-cpu.ts', import.meta.url).href
// The bundle, not the sources: at a start from the sources, compiling each source takes longer than any measured turn.
const program = fileURLToPath(new URL('../../daemon/dist/bundle/svcd.mjs', import.meta.url))
const PATIENCE = { withinMs: 1_800_000, everyMs: 300 }

/**
 * Starts a packaged daemon with a new vault that has all notes in one folder. Returns the longest turn of the event
 * loop, in milliseconds of CPU, between the start of listening and the first revisions.
 */
export async function firstOpening(notes: number): Promise<number> {
  const home = await newHome()
  const folder = join(home, 'vaults/v/all')
  await mkdir(folder, { recursive: true })
  for (let number = 0; number < notes; number++)
    await writeFile(join(folder, `${number}.md`), `# Note ${number}\n\nword${number % 977}\n`)
  const daemon = await startSvcd({ home, program, env: { NODE_OPTIONS: `--import=${preload}` } })
  let longest = 0
  daemon.process.on('message', ({ type, cpuMs }: LongTurn) => {
    if (type === 'long-turn') longest = Math.max(longest, cpuMs)
  })
  try {
    await until('ready', async () => (await call(daemon, '/api/ready')).status === 200, PATIENCE)
    await until(
      'the first revisions are written',
      async () => {
        const { vault } = VaultInfo.parse((await call(daemon, '/api/vaults/v')).body)
        return vault.notes === notes && vault.history.state === 'ready'
      },
      PATIENCE,
    )
    await daemon.stop()
    return longest
  } finally {
    await daemon.remove()
  }
}
