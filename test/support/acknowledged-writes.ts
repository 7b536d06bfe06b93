import { createHash, randomBytes } from 'node:crypto'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Answer, Person } from './person.ts'

const vault = '/api/vaults/demo-vault'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** The writes that were sent, by outcome: acknowledged, refused because the volume was full, or something else. */
export type Writing = {
  acknowledged: Map<string, string>
  refused: string[]
  other: string[]
  stop(): Promise<void>
}

type Options = { browser: Person; writers: number; bytes: number; pauseMs: number }

/** Writes files of random text and notes beside them until it is stopped. Nothing is retried. */
export function startWriting({ browser, writers, bytes, pauseMs }: Options): Writing {
  const stopped = new AbortController()
  const acknowledged = new Map<string, string>()
  const refused: string[] = []
  const other: string[] = []

  const keep = (path: string, text: string, answer: Answer) => {
    if (answer.status === 201) acknowledged.set(path, hash(text))
    else if (answer.status === 507 && answer.body?.error?.code === 'storage_full') refused.push(path)
    else other.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
    return answer.status === 201
  }
  const write = async (writer: number) => {
    for (let i = 0; !stopped.signal.aborted; i += 1) {
      const file = `${vault}/attachments/filler-${writer}-${i}.bin`
      const headers = { 'content-type': 'application/octet-stream', 'if-none-match': '*' }
      const text = randomBytes(bytes / 2).toString('hex')
      // A JSON call carries the text quoted, so the file gets the quotes too.
      const isKept = keep(file, JSON.stringify(text), await browser.send('PUT', file, { body: text, headers }))
      const note = `${vault}/notes/Log-${writer}-${i}.md`
      const content = `${writer} ${i} ${text.slice(0, 2_000)}\n`
      const written = { body: { content }, headers: { 'if-none-match': '*' } }
      const isNoteKept = keep(note, content, await browser.send('PUT', note, written))
      await systemClock.sleep(isKept && isNoteKept ? pauseMs : 10 * pauseMs, stopped.signal).catch(() => {})
    }
  }
  const running = Array.from({ length: writers }, (_, writer) => write(writer))
  return {
    acknowledged,
    refused,
    other,
    stop: async () => {
      stopped.abort()
      await Promise.all(running)
    },
  }
}

/** Reads every acknowledged write back and names those that differ. */
export async function findLost(browser: Person, { acknowledged }: Writing): Promise<string[]> {
  const lost: string[] = []
  for (const [path, wanted] of acknowledged) {
    const answer = await browser.get(path, { headers: { accept: 'text/markdown, */*' } })
    if (answer.status !== 200 || hash(answer.text) !== wanted) lost.push(`${path}: ${answer.status}`)
  }
  return lost
}

/** Looks for every refused write and names those that are there all the same. */
export async function findHalfWritten(browser: Person, { refused }: Writing): Promise<string[]> {
  const found: string[] = []
  for (const path of refused) if ((await browser.get(path)).status !== 404) found.push(path)
  return found
}
