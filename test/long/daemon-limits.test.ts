import { spawn } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { generateVault } from '../../bench/daemon/vault-generator.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
// Memory that may differ between two samples, whatever is streamed: buffers of sockets and files, and garbage.
const FLAT = 96 * MIB
const PROGRAM = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))

let home: string
let daemon: Svcd
beforeEach(async () => {
  home = await newHome()
})
afterEach(() => daemon.remove())

/** The peak resident memory of a process so far. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024
}

const block = Buffer.alloc(MIB, 'a line of an attachment that is large\n')

/** A stream of that many bytes, which are also added to a hash. */
function bytesOf(size: number, hash: Hash): Readable {
  return Readable.from(
    (function* () {
      for (let left = size; left > 0; left -= block.length) {
        const chunk = left < block.length ? block.subarray(0, left) : block
        hash.update(chunk)
        yield chunk
      }
    })(),
  )
}

async function put(path: string, body: Readable, size: number): Promise<{ status: number; text: string }> {
  const url = new URL(`/api/vaults/v/attachments/${path}`, daemon.url)
  const headers = { 'content-type': 'application/octet-stream', 'content-length': size, 'if-none-match': '*' }
  const outgoing = request(url, { method: 'PUT', headers })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  // A refusal arrives before the whole body is sent.
  pipeline(body, outgoing).catch(() => {})
  const [answer] = await answered
  const text = Buffer.concat(await answer.toArray()).toString()
  return { status: answer.statusCode ?? 0, text }
}

async function hashOfAttachment(vault: string, path: string): Promise<string> {
  const hash = createHash('sha256')
  const answer = await fetch(`${daemon.url}/api/vaults/${vault}/attachments/${path}`)
  for await (const chunk of answer.body!) hash.update(chunk)
  return hash.digest('hex')
}

/** Runs a command; returns its exit code and its peak memory. */
async function commandWithPeak(...args: string[]): Promise<{ code: number | null; peak: number; error: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, SVC_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let [peak, error] = [0, '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  const looking = setInterval(() => {
    void peakOf(child.pid!).then(
      (now) => (peak = Math.max(peak, now)),
      () => {},
    )
  }, 50)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(looking)
  return { code, peak, error }
}

test('an attachment of 1 GB goes up, down, out of the vault and into another at flat memory', async () => {
  verifies('limits.attachment')
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  daemon = await startSvcd({ home })
  // Send a small file first, so that the code that all uploads need is loaded and compiled before the measurement.
  expect((await put('small.bin', bytesOf(8 * MIB, createHash('sha256')), 8 * MIB)).status).toBe(201)
  await hashOfAttachment('v', 'small.bin')
  const before = await peakOf(daemon.process.pid!)

  const sent = createHash('sha256')
  expect((await put('large.bin', bytesOf(GIB, sent), GIB)).status).toBe(201)
  const sum = sent.digest('hex')
  expect(await hashOfAttachment('v', 'large.bin')).toBe(sum)
  const moved = await peakOf(daemon.process.pid!)
  expect(moved - before).toBeLessThan(FLAT)

  const refused = await put('larger.bin', bytesOf(GIB + 1, createHash('sha256')), GIB + 1)
  expect([refused.status, ErrorBody.parse(JSON.parse(refused.text)).error.code]).toEqual([413, 'payload_too_large'])

  const small = await commandWithPeak('vaults')
  const archive = join(home, 'v.zip')
  const exported = await commandWithPeak('export', 'v', archive)
  expect([exported.code, exported.error]).toEqual([0, expect.any(String)])
  await rm(daemon.file('v', 'large.bin'))
  const imported = await commandWithPeak('import', archive, '--id', 'copy')
  expect(imported.code, imported.error).toBe(0)
  expect(await hashOfAttachment('copy', 'large.bin')).toBe(sum)
  const after = await peakOf(daemon.process.pid!)
  console.log(
    `resident at most, in MiB: daemon ${mib(before)} before, ${mib(moved)} after 1 GB up and down, ${mib(after)} after ` +
      `export and import; svcd export ${mib(exported.peak)}, import ${mib(imported.peak)}, vaults ${mib(small.peak)}`,
  )
  expect(after - before).toBeLessThan(FLAT)
  expect(exported.peak - small.peak).toBeLessThan(FLAT)
  expect(imported.peak - small.peak).toBeLessThan(FLAT)
}, 900_000)

const mib = (bytes: number) => Math.round(bytes / MIB)

test('64 vaults are served and searched; creating another is refused with the reason, and one that is on disk is served all the same', async () => {
  verifies('limits.vaults')
  const names = Array.from({ length: 64 }, (_, number) => `vault-${number}`)
  for (const name of names) {
    await mkdir(join(home, 'vaults', name), { recursive: true })
    await writeFile(join(home, 'vaults', name, 'note.md'), `# Note of ${name}\n`)
  }
  daemon = await startSvcd({ home })
  await until('every vault is read', async () => (await call(daemon, '/api/ready')).status === 200, {
    withinMs: 120_000,
  })
  for (const name of names) {
    const { body } = await call<{ hits: unknown[] }>(daemon, `/api/vaults/${name}/search?q=note`)
    expect(body.hits, name).toHaveLength(1)
  }
  const refused = await call(daemon, '/api/vaults', { json: { displayName: 'One more', slug: 'one-more' } })
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('too_many_vaults')])

  await mkdir(join(home, 'vaults/by-hand'))
  await until('a vault that is made by hand is served', async () => {
    return (await call(daemon, '/api/vaults/by-hand')).status === 200
  })
  const from = performance.now()
  expect(await daemon.stop()).toBe(0)
  expect(performance.now() - from).toBeLessThan(5000)
}, 300_000)

test('100,000 notes are read, searched, listed by folder, remembered over a restart, and do not delay a stop', async () => {
  verifies('limits.notes')
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  const generated = generateVault(join(home, 'vaults/v'), 100_000)
  daemon = await startSvcd({ home })
  const ready = () =>
    until('it is ready', async () => (await call(daemon, '/api/ready')).status === 200, { withinMs: 600_000 })
  const check = async () => {
    const { body } = await call<{ vault: { notes: number } }>(daemon, '/api/vaults/v')
    expect(body.vault.notes).toBe(100_000)
    for (const word of [generated.middle[0]!, generated.rare[0]!])
      expect((await call(daemon, `/api/vaults/v/search?q=${word}`)).status).toBe(200)
    const note = generated.note.split('/').map(encodeURIComponent).join('/')
    expect((await call(daemon, `/api/vaults/v/notes/${note}`)).status).toBe(200)
    expect((await call<{ tree: unknown[] }>(daemon, '/api/vaults/v/tree?depth=1')).body.tree).toHaveLength(12)
  }
  const stop = async () => {
    const from = performance.now()
    expect(await daemon.stop()).toBe(0)
    return Math.round(performance.now() - from)
  }
  await ready()
  await check()
  const idle = await stop()
  await daemon.restart()
  const early = await stop()
  await daemon.restart()
  await ready()
  await check()
  console.log(`100,000 notes: stopped in ${idle} ms when idle, in ${early} ms while it opened the vault`)
  expect(Math.max(idle, early)).toBeLessThan(5000)
}, 1_800_000)
