import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { daemonClient } from '../api/daemon-client.ts'
import { linkIndex } from '../links/link-index.ts'
import type { VaultSessions } from '../saving/vault-sessions.ts'
import { fileStore } from './use-store-file.ts'

const answered = (status: number, body: object) => new Response(JSON.stringify(body), { status })
const written = () => answered(201, { ok: true, note: { baseline: 'b' } })

/** Puts a file into the note at `Notes/Today.md`; returns what was requested, put into the note and said last. */
async function putting(file: File, answer: () => Response = written) {
  const sent: string[] = []
  const put: string[] = []
  const said: string[] = []
  const client = daemonClient({
    fetch: async (url, init) => {
      sent.push(`${init?.method} ${new URL(String(url), 'http://host').pathname}`)
      return answer()
    },
    heard: () => {},
  })
  const store = fileStore({
    client,
    vaultId: 'v',
    sessions: { find: () => undefined } as unknown as VaultSessions,
    refreshTree: () => {},
    announce: (text) => void said.push(text),
    place: () => ({ index: linkIndex([]), path: 'Notes/Today.md' }),
  })
  await store(file, (text) => void put.push(text))
  return { sent, put, said: said.at(-1) }
}

test.each(['Meeting.md', 'Meeting.MARKDOWN'])(
  'a Markdown file (%s) that is put into a note becomes a note',
  async (name) => {
    verifies('ui.dropped-notes')
    const { sent, put, said } = await putting(new File(['# Meeting'], name))
    expect(sent).toEqual([`PUT /api/vaults/v/notes/Notes/${name}`])
    expect(put).toEqual([`[[${name.replace(/\.md$/, '')}]]`])
    expect(said).toBe(`Stored as Notes/${name}`)
  },
)

test('another file becomes an attachment, and is embedded', async () => {
  const { sent, put } = await putting(new File(['x'], 'Plan.pdf'))
  expect(sent).toEqual(['PUT /api/vaults/v/attachments/Notes/Plan.pdf'])
  expect(put).toEqual(['![[Notes/Plan.pdf]]'])
})

test('a file that is refused is named with the reason', async () => {
  verifies('ui.dropped-notes')
  const details = [{ path: 'body', message: 'is not UTF-8 text' }]
  const error = { code: 'invalid_request', message: 'The request is not valid.', details }
  const { put, said } = await putting(new File(['x'], 'Latin.md'), () => answered(400, { ok: false, error }))
  expect([put, said]).toEqual([[], '“Latin.md” was not stored: is not UTF-8 text'])
})
