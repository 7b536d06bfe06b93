import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { freePort } from '../support/free-port.ts'
import { verifies } from '../requirements.ts'
import { copyVault, fingerprints } from '../support/vault.ts'
import { removeFolder } from '../support/remove-folder.ts'

const program = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))

const notesOf = (nodes: TreeNode[]): string[] =>
  nodes.flatMap((node) => (node.kind === 'folder' ? notesOf(node.children) : node.kind === 'note' ? [node.path] : []))

test('a vault that is opened, completely read and searched keeps every byte and time stamp', async () => {
  verifies('notes.bytes-untouched', 'vault.child-directories', 'vault.id-is-directory')
  const home = await mkdtemp(join(tmpdir(), 'svc-vault-'))
  const folder = join(home, 'vaults', 'help')
  await mkdir(join(home, 'vaults'), { recursive: true })
  await copyVault(folder)
  const before = await fingerprints(folder)
  const port = await freePort()
  const env = { PATH: process.env.PATH, SVC_HOME: home, SVC_PORT: String(port), SVC_LOG_LEVEL: 'error' }
  const daemon = spawn(process.execPath, [program], { env, stdio: 'inherit' })
  const base = `http://127.0.0.1:${port}/api`
  const read = async (path: string, init?: RequestInit) => {
    const answer = await fetch(base + path, init)
    expect(answer.status, path).toBe(200)
    return answer.json()
  }
  await expect
    .poll(() =>
      fetch(`${base}/ready`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)

  expect(await read('/vaults')).toMatchObject({ vaults: [{ id: 'help' }] })
  const { tree } = (await read('/vaults/help/tree')) as { tree: TreeNode[] }
  const notes = notesOf(tree)
  expect(notes.length).toBeGreaterThan(5)
  for (const path of notes) {
    const note = (await read(`/vaults/help/notes/${path.split('/').map(encodeURIComponent).join('/')}`)) as {
      note: { title: string }
    }
    await read(`/vaults/help/search?q=${encodeURIComponent(note.note.title.slice(0, 60) || 'note')}`)
  }
  await read('/vaults/help/attachments')
  await read('/vaults/help/ops/flush', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })

  const over = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  expect(await over).toEqual([0, null])
  expect(await fingerprints(folder)).toEqual(before)
  await removeFolder(home)
})
