import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../test/support/until.ts'
import { NOTE, VAULT, type Entrance, type Ways } from './entrance.ts'

const KEYS = 200
const EDITS = 20

/** The sorted times from a keystroke until it is durable. */
export async function keystrokes(way: Entrance): Promise<number[]> {
  const client = way.client(NOTE)
  await client.reaches('saved', 'durable')
  const times: number[] = []
  for (let nth = 0; nth < KEYS; nth++) {
    const since = performance.now()
    client.type('k')
    await client.reaches('saved', 'durable')
    times.push(performance.now() - since)
    await pause(35)
  }
  await client.close()
  return times.sort((a, b) => a - b)
}

type Edit = (file: string, token: string) => Promise<void>

/** Adds a line to a note. */
export const appended: Edit = (file, token) => appendFile(file, `${token}\n`)

/** Rewrites a note so that every line changes. */
export const rewritten: Edit = async (file, token) =>
  writeFile(file, (await readFile(file, 'utf8')).replaceAll(/^\S+ line/gm, `${token} line`))

/** The times of file edits alone, and the times from the start of an edit until a participant shows it, both sorted. */
export async function outsideEdits({ daemon }: Ways, way: Entrance, edit: Edit) {
  const file = daemon.file(VAULT, 'outside.md')
  await writeFile(file, `${'A line of a note of some length.\n'.repeat(3200)}`)
  await until('the note is known', async () => (await fetch(`${daemon.url}/api/vaults/${VAULT}/notes/outside.md`)).ok)
  const client = way.client('outside.md')
  await client.shows((text) => text !== '')
  const times = { written: [] as number[], shown: [] as number[] }
  for (let nth = 0; nth < EDITS; nth++) {
    const token = `outside-${nth}.`
    const since = performance.now()
    await edit(file, token)
    times.written.push(performance.now() - since)
    await client.shows((text) => text.includes(token))
    times.shown.push(performance.now() - since)
    await pause(300)
  }
  await client.close()
  for (const of of Object.values(times)) of.sort((a, b) => a - b)
  return times
}
