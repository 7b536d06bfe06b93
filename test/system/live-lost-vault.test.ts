import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { liveClient } from '../support/live-client.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

test('a vault that is moved away while people type in it leaves the daemon as it is, and is open again when it is back', async () => {
  const daemon = await startSvcd()
  onTestFinished(() => daemon.remove())
  const vaults = async () => {
    const { status, body } = await call<{ vaults: { id: string }[] }>(daemon, '/api/vaults')
    expect(status).toBe(200)
    return body.vaults.map(({ id }) => id)
  }
  const made = await call(daemon, '/api/vaults/demo-vault/notes/typed.md', {
    method: 'PUT',
    headers: { 'if-none-match': '*', 'content-type': 'text/markdown' },
    body: '# Typed\n',
  })
  expect(made.status).toBe(201)
  const open = async () => {
    const client = liveClient({ url: () => daemon.url, path: 'typed.md' })
    onTestFinished(() => client.close())
    await client.reaches('durable', 'saved')
    return client
  }
  const [stays, leaves] = [await open(), await open()]

  const folder = daemon.file('demo-vault', '.')
  const away = join(folder, '../../away')
  await rename(folder, away)
  const answers = { vault: new Set<string>(), home: new Set<string>() }
  const ask = async (path: string) => {
    const { status, body } = await call<{ error?: { code: string } }>(daemon, path)
    return body.error ? `${status} ${body.error.code}` : String(status)
  }
  await until('the vault is gone', async () => {
    for (const path of ['/api/vaults/demo-vault', '/api/vaults/demo-vault/ops/storage'])
      answers.vault.add(await ask(path))
    answers.home.add(await ask('/api/ops/storage'))
    return !(await vaults()).includes('demo-vault')
  })
  // A request that found the vault just before it was closed is told to try again.
  const known = ['200', '404 not_found', '503 vault_closing']
  expect([...answers.vault].filter((answer) => !known.includes(answer))).toEqual([])
  expect([...answers.home]).toEqual(['200'])
  leaves.close()
  await stays.reaches('refused')
  expect(await vaults()).not.toContain('demo-vault')

  await rename(away, folder)
  await until('the vault is back', async () => (await vaults()).includes('demo-vault'))
  const returned = await open()
  returned.type('and on\n')
  await returned.reaches('durable')
  const { body } = await call<{ note: { content: string } }>(daemon, '/api/vaults/demo-vault/notes/typed.md')
  expect(body.note.content).toBe('# Typed\nand on\n')
})
