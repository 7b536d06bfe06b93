import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { AttachmentList, Tree, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { disksOfTimes } from '../support/disks-of-times.ts'
import { verifies } from '../requirements.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'

let daemon: Svcd | undefined
afterEach(() => daemon?.remove())

/** Seconds since 1970, as text for `touch`. */
const TIMES = {
  'before the first year': '-62167219201',
  'before 1970': '-372988800',
  'in the year 10000': '253402300800',
  'beyond the years of a date': '8640000000001',
  'the last of all': '9223372036854775807',
  'the first of all': '-9223372036854775808',
}

describe.each(disksOfTimes)('on the disk of %s', (disk) => {
  test('a file of any time is listed, read and exported, and so are the files beside it', async () => {
    verifies('daemon.any-file-time')
    const home = await mkdtemp(join(disk, 'svcd-times-'))
    const vault = join(home, 'vaults/times')
    await mkdir(vault, { recursive: true })
    for (const [name, time] of Object.entries(TIMES))
      for (const path of [`${name}.md`, `${name}.jpg`]) {
        await writeFile(join(vault, path), '# Time\n')
        try {
          execFileSync('touch', ['-d', `@${time}`, join(vault, path)], { stdio: 'pipe' })
        } catch {
          // This disk, or this program, knows no such time.
        }
      }
    daemon = await startSvcd({ home })
    const get = (path: string) => call(daemon!, `/api/vaults/times/${path}`)
    await expect.poll(() => call(daemon!, '/api/ready').then(({ status }) => status)).toBe(200)

    const tree = await get('tree')
    expect(tree.status, tree.text).toBe(200)
    const times = Tree.parse(tree.body).tree.map((node: TreeNode) => 'modifiedAt' in node && node.modifiedAt)
    expect(times).toHaveLength(2 * Object.keys(TIMES).length)
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(times).toContain('1958-03-08T00:00:00.000Z')
    const attachments = await get('attachments')
    expect(AttachmentList.parse(attachments.body).attachments).toHaveLength(Object.keys(TIMES).length)

    for (const name of Object.keys(TIMES)) {
      for (const path of [`notes/${name}.md`, `authors/${name}.md`]) expect((await get(path)).status, path).toBe(200)
      const { status, headers } = await get(`attachments/${name}.jpg`)
      expect([status, Number.isNaN(Date.parse(headers.get('last-modified')!))], name).toEqual([200, false])
    }
    const exported = await fetch(`${daemon.url}/api/vaults/times/export`)
    const imported = await call(daemon, '/api/vaults/import?slug=copy&displayName=Copy', {
      method: 'POST',
      headers: { 'content-type': 'application/zip' },
      body: Buffer.from(await exported.arrayBuffer()),
    })
    expect(imported.body).toMatchObject({ files: 2 * Object.keys(TIMES).length })
  })
})
