import { open as openFile, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { liveClient } from '../support/live-client.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// Most programs that write a file in place empty it first.

const NOTE = '/api/vaults/demo-vault/notes/written.md'

async function start() {
  const daemon = await startSvcd()
  onTestFinished(() => daemon.remove())
  const put = (body: string) =>
    call(daemon, NOTE, { method: 'PUT', headers: { 'if-none-match': '*', 'content-type': 'text/markdown' }, body })
  expect((await put('Before.\n')).status).toBe(201)
  const read = async () => (await call<{ note: { content: string } }>(daemon, NOTE)).body.note.content
  return { daemon, read }
}

test('nobody reads a note as empty while another program writes it', async () => {
  const { daemon, read } = await start()
  const agent = new Client({ name: 'test-agent', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
  onTestFinished(() => agent.close())
  const markdown = async () => (await fetch(`${daemon.url}${NOTE}`, { headers: { accept: 'text/markdown' } })).text()
  const byAgent = async () => {
    const { structuredContent } = await agent.callTool({
      name: 'read_note',
      arguments: { vaultId: 'demo-vault', path: 'written.md' },
    })
    return (structuredContent as { content: string }).content
  }
  const byTypist = async () => {
    const client = liveClient({ url: () => daemon.url, path: 'written.md' })
    onTestFinished(() => client.close())
    await client.reaches('durable', 'saved')
    return client.shown()
  }

  const slow = await openFile(daemon.file('demo-vault', 'written.md'), 'w')
  const reads = Promise.all([read(), markdown(), byAgent(), byTypist()])
  await sleep(200)
  await slow.writeFile('After.\n')
  await slow.close()
  expect(await reads).toEqual(['After.\n', 'After.\n', 'After.\n', 'After.\n'])
})

test('a move changes the links of a note that another program writes just then', async () => {
  const { daemon } = await start()
  const linking = daemon.file('demo-vault', 'Linking.md')
  await writeFile(linking, 'See [[written]].\n')
  await until('the links of the note are known', async () => {
    const { body } = await call<{ backlinksTotal: number }>(daemon, '/api/vaults/demo-vault/links/written.md')
    return body.backlinksTotal === 1
  })
  const slow = await openFile(linking, 'w')
  const move = call(daemon, '/api/vaults/demo-vault/move', { json: { from: 'written.md', to: 'Moved.md' } })
  await sleep(200)
  await slow.writeFile('Now see [[written]].\n')
  await slow.close()
  expect((await move).status).toBe(200)
  expect(await readFile(linking, 'utf8')).toBe('Now see [[Moved]].\n')
})

test('a note that another program empties is read as empty', async () => {
  const { daemon, read } = await start()
  await writeFile(daemon.file('demo-vault', 'written.md'), '')
  expect(await read()).toBe('')
})
