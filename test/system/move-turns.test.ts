import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { makePairVault, sendChange } from '../support/paired-changes.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const TIMES = 40
const LONGEST_MS = 8

test('a note moves while a folder goes to the trash in which notes link to it', async () => {
  verifies('links.move')
  const home = await newHome()
  const vault = join(home, 'vaults/v')
  for (let time = 0; time < TIMES; time++) {
    await mkdir(join(vault, `folder ${time}`), { recursive: true })
    for (const link of ['one', 'two', 'three'])
      await writeFile(join(vault, `folder ${time}/${link}.md`), `[[note ${time}]]\n`)
    await writeFile(join(vault, `note ${time}.md`), 'text\n')
  }
  const daemon = await startSvcd({ home })
  try {
    const api = (path: string, options?: Parameters<typeof call>[2]) => call(daemon, `/api/vaults/v${path}`, options)
    await until('the vault is read', async () => (await call(daemon, '/api/ready')).status === 200)
    for (let time = 0; time < TIMES; time++) {
      // Sooner or later, the move is planned while the folder is still there, and made after it is gone.
      const move = api('/move', { json: { from: `note ${time}.md`, to: `moved ${time}.md` } })
      await systemClock.sleep(time % LONGEST_MS)
      const removal = api(`/folders/folder%20${time}`, { method: 'DELETE' })
      const answers = await Promise.all([move, removal])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect([existsSync(join(vault, `moved ${time}.md`)), existsSync(join(vault, `folder ${time}`))]).toEqual([
        true,
        false,
      ])
    }
  } finally {
    await daemon.remove()
  }
})

test('a revert that comes in the middle of a move of what it reverts is made', async () => {
  verifies('revert.reviewed')
  const daemon = await startSvcd({ env: { SVC_MAX_VAULTS: '100' } })
  try {
    for (let time = 0; time < TIMES / 2; time++) {
      const vault = await makePairVault(daemon, `v${time}`)
      const wish = { actor: 'local', since: '2000-01-01T00:00:00Z', path: 'a.md', dryRun: false }
      const [, revert] = await Promise.all([
        sendChange(daemon, vault, 'move a.md to m.md'),
        call(daemon, `${vault.url}/revert`, { json: wish }),
      ])
      expect(revert).toMatchObject({ status: 200 })
    }
  } finally {
    await daemon.remove()
  }
})
