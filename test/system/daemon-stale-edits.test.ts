import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { NoteWritten } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'

let daemon: Svcd
beforeAll(async () => {
  daemon = await startSvcd()
})
afterAll(() => daemon.remove())

const at = (path: string) => `/api/vaults/demo-vault/notes/${path}`

async function write(path: string, content: string): Promise<string> {
  const isThere = (await call(daemon, at(path))).status === 200
  const headers: Record<string, string> = isThere ? { 'if-match': '*' } : { 'if-none-match': '*' }
  const written = await call(daemon, at(path), { method: 'PUT', headers, json: { content } })
  // Requesting the history commits the change. Otherwise several changes of one author within seconds would be one
  // revision.
  await call(daemon, `/api/vaults/demo-vault/history/${path}`)
  return NoteWritten.parse(written.body).note.baseline
}
const edit = (path: string, baseline: string, options: object = {}) =>
  call(daemon, at(path), {
    method: 'PATCH',
    json: { baseline, edits: [{ oldText: 'five', newText: 'cinq' }], ...options },
  })
const five = 'one\ntwo\nthree\nfour\nfive\n'

test('an edit made for a text that only the history still has is rebased, also under a new path', async () => {
  verifies('edit.rebase-history')
  const baseline = await write('old.md', five)
  await write('old.md', `zero\n${five}`)
  const gone = await write('gone.md', five)
  await write('gone.md', 'all is new\n')
  const secret = await write('secret.md', five)
  await call(daemon, `${at('secret.md')}?permanent=true`, { method: 'DELETE', headers: { 'if-match': '*' } })
  await write('secret.md', `zero\n${five}`)
  // After this, none of these texts is in memory.
  await daemon.kill()
  await daemon.restart()

  const rejected = ErrorBody.parse((await edit('old.md', baseline)).body).error
  expect(rejected).toMatchObject({ code: 'stale_doc', details: { canRebase: true } })
  expect((await edit('old.md', baseline, { onStale: 'rebase', dryRun: true })).body).toMatchObject({ dryRun: true })
  expect((await call(daemon, '/api/vaults/demo-vault/move', { json: { from: 'old.md', to: 'new.md' } })).status).toBe(
    200,
  )
  const rebased = await edit('new.md', baseline, { onStale: 'rebase' })
  expect(rebased.status, rebased.text).toBe(200)
  expect(await readFile(daemon.file('demo-vault', 'new.md'), 'utf8')).toBe('zero\none\ntwo\nthree\nfour\ncinq\n')

  const touched = ErrorBody.parse((await edit('gone.md', gone, { onStale: 'rebase' })).body).error
  expect(touched).toMatchObject({ code: 'stale_doc', details: { canRebase: false } })
  const purged = ErrorBody.parse((await edit('secret.md', secret, { onStale: 'rebase' })).body).error
  expect(purged.code).toBe('stale_doc')
  expect(purged.details).not.toHaveProperty('diff')
  const never = ErrorBody.parse((await edit('new.md', 'f'.repeat(24), { onStale: 'rebase' })).body).error
  expect(never.code).toBe('stale_doc')
})
