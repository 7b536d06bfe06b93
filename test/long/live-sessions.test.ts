import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { runSessions } from '../support/live-model.ts'
import { freePort } from '../support/free-port.ts'
import { startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

test('2,000 runs over a disk that loses at a kill what was not synced', async () => {
  verifies('live.kill-loses-nothing', 'live.outside-enters', 'live.one-authority')
  for (let seed = 10_001; seed <= 12_000; seed++) {
    // Every other run has many onlookers, so that the daemon collects updates before it sends them.
    const { problems } = await runSessions({ seed, steps: 60, onlookers: seed % 2 === 0 ? 0 : 20 })
    expect(problems, `seed ${seed}`).toEqual([])
  }
}, 3_600_000)

test('100 kills of a daemon while three people type', async () => {
  verifies('live.kill-loses-nothing')
  const daemon = await startSvcd({ env: { SVC_PORT: String(await freePort()) } })
  const path = 'README.md'
  const file = daemon.file('demo-vault', path)
  const clients = ['a', 'b', 'c'].map(() => liveClient({ url: () => daemon.url, path }))
  const tokens: string[] = []
  try {
    await Promise.all(clients.map((client) => client.shows((text) => text !== '')))
    for (let round = 0; round < 100; round++) {
      for (let nth = 0; nth < 10; nth++)
        for (const [index, client] of clients.entries()) {
          const token = `t${round}-${nth}-${index}`
          tokens.push(token)
          client.type(`${token}\n`)
          if (nth === round % 10) await new Promise((resolve) => setTimeout(resolve, round % 7))
        }
      await daemon.kill()
      await daemon.restart()
      for (const client of clients) client.retry()
      await Promise.all(clients.map((client) => client.reaches('saved', 'durable')))
    }
    await Promise.all(clients.map((client) => client.reaches('durable')))
    await until('the file has what everybody sees', async () => {
      const text = await readFile(file, 'utf8')
      return clients.every((client) => client.shown() === text)
    })
    const found = (await readFile(file, 'utf8')).match(/t\d+-\d+-\d+/g) ?? []
    expect(found.toSorted()).toEqual(tokens.toSorted())
  } finally {
    for (const client of clients) await client.close()
    await daemon.remove()
  }
}, 3_600_000)
