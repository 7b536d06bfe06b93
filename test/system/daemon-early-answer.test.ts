import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSvcd, type Svcd } from '../support/svcd.ts'

const MIB = 2 ** 20
let daemon: Svcd

beforeAll(async () => {
  daemon = await startSvcd({ env: { SVC_MAX_ATTACHMENT_BYTES: String(MIB) } })
})
afterAll(() => daemon.remove())

/** Sends 32 MiB of unknown length and returns the code of the failure, or the error of the connection. */
function upload(): Promise<string> {
  return new Promise((resolve) => {
    const url = new URL('/api/vaults/demo-vault/attachments/large.bin', daemon.url)
    const sent = request(url, { method: 'PUT', headers: { 'content-type': 'application/octet-stream' } }, (answer) => {
      let text = ''
      answer.on('data', (more: Buffer) => (text += more.toString()))
      answer.on('end', () => resolve((JSON.parse(text) as { error: { code: string } }).error.code))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    const chunk = Buffer.alloc(64 * 1024)
    let left = 512
    const write = () => {
      while (left-- > 0) if (!sent.write(chunk)) return void sent.once('drain', write)
      sent.end()
    }
    write()
  })
}

test('a client that still sends when its upload has failed reads why, every time', async () => {
  const answers: string[] = []
  for (let count = 0; count < 20; count++) answers.push(await upload())
  expect(new Set(answers)).toEqual(new Set(['payload_too_large']))
})
