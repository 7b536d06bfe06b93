import { randomInt } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { isWhole, wholeText } from '../support/crash-load.ts'
import { crashRounds } from '../support/crash-rounds.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { disagreements } from '../support/vault-agreement.ts'

const KILLS = 4

test('no kill loses an acknowledged change or its audit entry, tears a file or overwrites an outside edit', async () => {
  verifies('notes.durable', 'audit.intent')
  const seed = randomInt(2 ** 31)
  expect(await crashRounds({ kills: KILLS, seed }), `seed ${seed}`).toBeGreaterThan(KILLS)
})

test('a torn text is distinguished from a whole one', () => {
  const text = wholeText(seededRandom(1))
  expect([isWhole(text), isWhole(text.slice(0, -10)), isWhole(text.slice(0, 20)), isWhole('')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('a note that somebody edits while its last change waits for the history is committed as it is', async () => {
  verifies('history.queue')
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  const daemon = await startSvcd({ home })
  try {
    const created = await call(daemon, '/api/vaults/v/notes/waits.md', { method: 'PUT', json: { content: 'first\n' } })
    expect(created.status).toBe(201)
    await daemon.kill()
    await writeFile(daemon.file('v', 'waits.md'), 'edited while no daemon ran\n')
    await daemon.restart()
    expect(await disagreements(daemon)).toEqual([])
  } finally {
    await daemon.remove()
  }
})
