import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { daemonClient } from '../api/daemon-client.ts'
import type { Refusal } from '../api/refusal.ts'
import type { OpenVault } from '../vaults/vault-context.ts'
import { upload } from './upload.ts'

const vault = { id: 'v' } as OpenVault['vault']
const answered = (status: number, body: object) => new Response(JSON.stringify(body), { status })
const written = () => answered(201, { ok: true, note: { baseline: 'b' } })

/** A folder that was dropped: browsers list it like a file, and fail when they read it. */
class DroppedFolder extends File {
  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.reject(new DOMException('It cannot be read', 'NotFoundError'))
  }

  override slice(start: number, end: number): Blob {
    return start < Math.min(end, this.size) ? this : new Blob()
  }
}

/** Uploads files, and returns what was sent, what was said last and what the connection heard. */
async function uploading(files: readonly File[], answer: () => Response = written) {
  const sent: { url: string; type: string | null; bytes: number[] }[] = []
  const said: string[] = []
  const heard: (Refusal | undefined)[] = []
  const client = daemonClient({
    fetch: async (url, init) => {
      const request = new Request(new URL(String(url), 'http://host'), init)
      const bytes = [...new Uint8Array(await request.arrayBuffer())]
      sent.push({ url: request.url, type: request.headers.get('content-type'), bytes })
      return answer()
    },
    heard: (outcome) => void heard.push(outcome),
  })
  const announce = (text: string) => void said.push(text)
  await upload({ client, vault, refreshTree: () => {}, announce }, { folder: '', files })
  return { sent, said: said.at(-1), heard }
}

test('a note is uploaded byte for byte, also when it is not UTF-8', async () => {
  verifies('ui.tree-upload')
  const withMark = [0xef, 0xbb, 0xbf, 0x61]
  const latin = [0x63, 0x61, 0x66, 0xe9]
  const { sent } = await uploading([
    new File([new Uint8Array(withMark)], 'Mark.md', { type: 'text/x-other' }),
    new File([new Uint8Array(latin)], 'Café.md'),
  ])
  expect(sent.map(({ bytes }) => bytes)).toEqual([withMark, latin])
  expect(sent.map(({ type }) => type)).toEqual(['text/markdown', 'text/markdown'])
})

test('a file that is refused is named with the reason', async () => {
  const details = [{ path: 'body', message: 'is not UTF-8 text' }]
  const error = { code: 'invalid_request', message: 'The request is not valid.', details }
  const { said } = await uploading([new File(['x'], 'Latin.md')], () => answered(400, { ok: false, error }))
  expect(said).toBe('Uploaded 0 files. Not uploaded: Latin.md: is not UTF-8 text')
})

test.each([
  ['Folder', 4096],
  ['Folder.md', 4096],
  ['Folder', 0],
])('a dropped folder (%s, its size is %s) is not sent, and the host stays connected', async (name, size) => {
  const folder = new DroppedFolder([new Uint8Array(size)], name)
  const { sent, said, heard } = await uploading([folder, new File(['x'], 'One.bin')])
  expect(sent.map(({ url }) => url)).toEqual(['http://host/api/vaults/v/attachments/One.bin'])
  expect(said).toBe(`Uploaded 1 file. Not uploaded: ${name}: is a folder or cannot be read`)
  expect(heard).toEqual([undefined])
})
