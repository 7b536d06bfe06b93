import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

test('vaults that are renamed while no daemon runs keep their history, even when they swap names', async () => {
  verifies('vault.renamed-stopped')
  const home = await newHome()
  const at = (name: string) => join(home, 'vaults', name)
  for (const name of ['one', 'two']) await mkdir(at(name), { recursive: true })
  const daemon = await startSvcd({ home })
  try {
    for (const vault of ['one', 'two']) {
      const saved = await call(daemon, `/api/vaults/${vault}/notes/of-${vault}.md`, {
        method: 'PUT',
        headers: { 'if-none-match': '*' },
        json: { content: `${vault}\n` },
      })
      expect(saved.status).toBe(201)
      expect((await call(daemon, `/api/vaults/${vault}/ops/flush`, { method: 'POST' })).status).toBe(200)
    }
    await daemon.stop()
    await mkdir(join(home, 'daemon/index/long-gone'), { recursive: true })
    for (const [from, to] of [
      ['one', 'between'],
      ['two', 'one'],
      ['between', 'two'],
    ] as const)
      await rename(at(from), at(to))
    await daemon.restart()

    const authorsOf = async (vault: string, path: string) =>
      HistoryAnswer.parse((await call(daemon, `/api/vaults/${vault}/history/${path}`)).body).revisions?.map(
        ({ author }) => author.id,
      )
    await until('everything is read', async () => (await call(daemon, '/api/ready')).status === 200)
    expect(await authorsOf('two', 'of-one.md')).toEqual(['local'])
    expect(await authorsOf('one', 'of-two.md')).toEqual(['local'])
    const audited = async (vault: string) =>
      ((await call(daemon, `/api/vaults/${vault}/audit`)).body as { entries: { path: string }[] }).entries
    expect((await audited('two')).map(({ path }) => path)).toEqual(['of-one.md'])
    expect(await readdir(join(home, 'daemon/index'))).not.toContain('long-gone')
  } finally {
    await daemon.remove()
  }
})
