import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../../test/support/live-model.ts'
import type { LiveSession } from './live-session.ts'
import { openLiveSessions } from './open-live-sessions.ts'

const by = { kind: 'local' } as const

test('what is typed while the notes are saved at the end is in the file too', async () => {
  const disk = memoryDisk('one')
  let session: LiveSession | undefined
  let typed = 0
  const type = (version: number, length: number, text: string) =>
    session!.push({ version, clientID: 'c', seq: ++typed, updates: [[length, [0, text]]], by })
  const sessions = await openLiveSessions({
    files: {
      ...disk.files,
      async write(change) {
        const baseline = await disk.files.write(change)
        if (typed === 1) await type(1, 5, ' three')
        return baseline
      },
    },
    file: disk.file,
    logged: Buffer.alloc(0),
    maxNoteBytes: 1_000,
    writeBehind: { idleMs: 60_000, atMostMs: 60_000 },
    lingerMs: 60_000,
    clock: systemClock,
    logger: createLog({ service: 'test', level: 'fatal' }),
  })
  session = await sessions.open('note.md', by)
  await type(0, 3, ' 2')
  await sessions.close()
  expect(disk.state.note).toBe('one 2 three')
  await expect(sessions.open('note.md', by)).rejects.toMatchObject({ code: 'vault_closing' })
})
