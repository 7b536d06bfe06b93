import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { liveClient } from '../support/live-client.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { writeSlowly } from '../support/write-slowly.ts'

// Most programs that write a file in place empty it first.

const NOTES = '/api/vaults/demo-vault/notes/'

async function start() {
  const daemon = await startSvcd()
  onTestFinished(() => daemon.remove())
  const create = async (path: string) => {
    const headers = { 'if-none-match': '*', 'content-type': 'text/markdown' }
    expect((await call(daemon, NOTES + path, { method: 'PUT', headers, body: 'Before.\n' })).status).toBe(201)
  }
  const read = async (path: string) =>
    (await call<{ note: { content: string } }>(daemon, NOTES + path)).body.note.content
  return { daemon, create, read }
}

/** Repeats a round, each time with other notes, until this process has written a file in time. */
async function untilInTime(round: (number: number) => Promise<boolean>): Promise<void> {
  let number = 0
  await until('the file was written in time', () => round(number++))
}

test('nobody reads a note as empty while another program writes it', async () => {
  const { daemon, create, read } = await start()
  const agent = new Client({ name: 'test-agent', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
  onTestFinished(() => agent.close())
  const markdown = async (path: string) =>
    (await fetch(daemon.url + NOTES + path, { headers: { accept: 'text/markdown' } })).text()
  const byAgent = async (path: string) => {
    const { structuredContent } = await agent.callTool({
      name: 'read_note',
      arguments: { vaultId: 'demo-vault', path },
    })
    return (structuredContent as { content: string }).content
  }
  const byTypist = async (path: string) => {
    const client = liveClient({ url: () => daemon.url, path })
    onTestFinished(() => client.close())
    await client.reaches('durable', 'saved')
    return client.shown()
  }

  await untilInTime(async (round) => {
    const path = `written-${round}.md`
    await create(path)
    let reads: Promise<string[]> | undefined
    const isInTime = await writeSlowly({
      file: daemon.file('demo-vault', path),
      text: 'After.\n',
      async whileEmpty() {
        reads = Promise.all([read, markdown, byAgent, byTypist].map((reader) => reader(path)))
        await sleep(200)
      },
    })
    const all = await reads
    if (isInTime) expect(all).toEqual(['After.\n', 'After.\n', 'After.\n', 'After.\n'])
    return isInTime
  })
})

test('a move changes the links of a note that another program writes just then', async () => {
  const { daemon, create } = await start()
  await untilInTime(async (round) => {
    await create(`written-${round}.md`)
    const linking = daemon.file('demo-vault', `Linking-${round}.md`)
    await writeFile(linking, `See [[written-${round}]].\n`)
    await until('the links of the note are known', async () => {
      const links = `/api/vaults/demo-vault/links/written-${round}.md`
      return (await call<{ backlinksTotal: number }>(daemon, links)).body.backlinksTotal === 1
    })
    const json = { from: `written-${round}.md`, to: `Moved-${round}.md` }
    let move: ReturnType<typeof call> | undefined
    const isInTime = await writeSlowly({
      file: linking,
      text: `Now see [[written-${round}]].\n`,
      async whileEmpty() {
        move = call(daemon, '/api/vaults/demo-vault/move', { json })
        await sleep(200)
      },
    })
    const moved = await move
    if (!isInTime) return false
    expect(moved?.status).toBe(200)
    expect(await readFile(linking, 'utf8')).toBe(`Now see [[Moved-${round}]].\n`)
    return true
  })
})

test('a note that another program empties is read as empty', async () => {
  const { daemon, create, read } = await start()
  await create('written.md')
  await writeFile(daemon.file('demo-vault', 'written.md'), '')
  expect(await read('written.md')).toBe('')
})
