import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a child ends at once, without waiting for threads, and leaves its compiled code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-end-child-'))
  try {
    const program = `
      const { endChild } = await import(${JSON.stringify(new URL('./end-child.ts', import.meta.url).href)})
      process.once('exit', () => console.log('waited'))
      setInterval(() => {}, 1000)
      endChild()
    `
    const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: folder },
    })
    expect(ended).toMatchObject({ signal: 'SIGKILL', status: null, stdout: '' })
    expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
