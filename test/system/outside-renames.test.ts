import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const NOTES = 60

test('a folder with most of the notes keeps its history when it is renamed while people read histories', async () => {
  verifies('history.renames')
  const home = await newHome()
  const vault = join(home, 'vaults/v')
  await mkdir(join(vault, 'old'), { recursive: true })
  for (let number = 0; number < NOTES; number++) await writeFile(join(vault, `old/${number}.md`), `note ${number}\n`)
  await writeFile(join(vault, 'read.md'), 'read\n')
  const daemon = await startSvcd({ home })
  const api = (path: string) => call(daemon, `/api/vaults/v${path}`)
  const revisions = async (path: string) => HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []
  try {
    await until('all is read', async () => (await call(daemon, '/api/ready')).status === 200)
    await until('all is in the history', async () => (await revisions(`old/${NOTES - 1}.md`)).length === 1)
    await rename(join(vault, 'old'), join(vault, 'new'))
    await until('the rename is seen', async () => {
      // Reading a history commits what waits.
      await revisions('read.md')
      const tree = (await api('/tree')).text
      return tree.includes(`new/${NOTES - 1}.md`) && !tree.includes('old/')
    })
    for (let number = 0; number < NOTES; number++) {
      const paths = (await revisions(`new/${number}.md`)).map(({ path }) => path)
      expect(paths).toEqual([`new/${number}.md`, `old/${number}.md`])
    }
  } finally {
    await daemon.remove()
  }
})
