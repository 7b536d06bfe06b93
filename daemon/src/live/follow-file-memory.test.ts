import { expect, onTestFinished, test } from 'vitest'
import { heldBytes } from '../../../test/support/cpu-time.ts'
import { memoryDisk, quietSessions } from '../../../test/support/live-model.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import type { VaultChange } from '../vaults/vault-change.ts'
import { followFile } from './follow-file.ts'
import { openLiveSessions } from './open-live-sessions.ts'

const NOTES = 40
const LENGTH = 500_000

function moved(nth: number): VaultChange {
  const path = `new/${nth}.md`
  const bytes = Buffer.alloc(LENGTH, `${nth} `)
  const text = bytes.toString()
  const { tags, properties, ...facts } = readNoteFacts(path, bytes, text)
  const content = { facts, tags, properties, bytes, text }
  const move = { id: 'one', from: 'old', to: 'new' }
  const stamp = { size: LENGTH, mtimeMs: 1, ctimeMs: 1, ino: nth }
  return { kind: 'created', path, stamp, content, origin: { kind: 'api', by: { kind: 'local' }, move } }
}

test('the files of a moved folder are not held in memory', async () => {
  const { files, file } = memoryDisk('text\n')
  const sessions = await openLiveSessions({ ...quietSessions(), files, file })
  onTestFinished(() => sessions.close())
  const { changed } = followFile({ sessions, files, look: async () => true, logger: quietSessions().logger })
  changed(moved(NOTES))
  const before = heldBytes()
  for (let nth = 0; nth < NOTES; nth++) changed(moved(nth))
  expect(heldBytes() - before).toBeLessThan((NOTES * LENGTH) / 4)
})
