import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crashStructures, Refused } from './crash-structures.ts'
import type { Random } from './hostile-text.ts'
import { call, type Svcd } from './svcd.ts'

/** The content of a file: nothing, or one of the texts that were written to it. */
type State = string | undefined

/** An audited change that was acknowledged. */
export type Acknowledged = { tool: string; path: string; after: string | undefined }

/** One writer with its own files: its acknowledged writes, and the write that was in flight when the daemon died. */
type Writer = { acknowledged: Map<string, State>; underWay: { path: string; becomes: State } | undefined }

const NOTES = 4

/** A text in which a torn write can be detected: a token, and a random number of lines derived from it. */
export function wholeText(random: Random): string {
  const token = Array.from({ length: 16 }, () => random.below(16).toString(16)).join('')
  return `${token}\n${bodyOf(token, 1 + random.below(199))}`
}

/** True for a complete text of `wholeText`. */
export function isWhole(text: string): boolean {
  const [token = '', ...lines] = text.split('\n')
  return lines.length > 2 && text === `${token}\n${bodyOf(token, lines.length - 2)}`
}

function bodyOf(token: string, lines: number): string {
  const line = createHash('sha256').update(token).digest('hex')
  return `${`${line}\n`.repeat(lines)}${lines}\n`
}

/**
 * The load on the vault `v` of a daemon that is killed again and again: writers over REST, moves, renames and deletions
 * of folders, and an editor that changes the files directly.
 */
export function crashLoad(
  daemon: Svcd,
  { writers: count, structures: each, random }: { writers: number; structures: number; random: Random },
) {
  const structures = crashStructures(daemon, { each })
  const writers: Writer[] = Array.from({ length: count }, () => ({ acknowledged: new Map(), underWay: undefined }))
  const outside = new Map<string, string>()
  const acknowledged: Acknowledged[] = []
  let acknowledgedTotal = 0
  let isOver = false

  const request = async (path: string, options: Parameters<typeof call>[2]) => {
    const answer = await call(daemon, `/api/vaults/v${path}`, options)
    if (answer.status >= 300) throw new Refused(`${options?.method} ${path}: ${answer.text}`)
    return answer
  }

  async function change(writer: Writer, path: string, becomes: State, run: () => Promise<Acknowledged>): Promise<void> {
    writer.underWay = { path, becomes }
    const mutation = await run()
    writer.acknowledged.set(path, becomes)
    writer.underWay = undefined
    acknowledged.push(mutation)
    acknowledgedTotal++
  }

  async function step(writer: Writer, path: string): Promise<void> {
    const isNote = path.endsWith('.md')
    const url = `/${isNote ? 'notes' : 'attachments'}/${path}`
    const isThere = writer.acknowledged.get(path) !== undefined
    const roll = random.below(10)
    if (isThere && roll < 3) {
      const query = roll === 0 ? '?permanent=true' : ''
      const tool = isNote ? 'delete_note' : 'delete_attachment'
      return change(writer, path, undefined, async () => {
        await request(`${url}${query}`, { method: 'DELETE' })
        return { tool, path, after: undefined }
      })
    }
    const text = wholeText(random)
    const headers: Record<string, string> = isThere ? { 'if-match': '*' } : { 'if-none-match': '*' }
    const body = isNote ? { json: { content: text } } : { body: text }
    await change(writer, path, text, async () => {
      const answer = await request(url, { method: 'PUT', headers, ...body })
      return { tool: isNote ? 'write_note' : 'write_attachment', path, after: answer.headers.get('etag')?.slice(1, -1) }
    })
  }

  async function write(writer: Writer, name: number): Promise<void> {
    while (!isOver) {
      const file = random.below(NOTES)
      await step(writer, `w${name}/${file}.${file === 0 ? 'bin' : 'md'}`)
    }
  }

  /** Saves as editors do: in place, or by renaming a new file over the old one. */
  async function edit(): Promise<void> {
    while (!isOver) {
      const path = `outside/${random.below(NOTES)}.md`
      const [text, file] = [wholeText(random), daemon.file('v', path)]
      await mkdir(dirname(file), { recursive: true })
      if (random.below(2) === 0) await writeFile(file, text)
      else {
        await writeFile(`${file}~`, text)
        await rename(`${file}~`, file)
      }
      outside.set(path, text)
      await new Promise((resolve) => setTimeout(resolve, random.below(20)))
    }
  }

  return {
    acknowledgedTotal: () => acknowledgedTotal,
    make: structures.make,
    /** Runs the load for a while and then kills the daemon; a writer ends when its request fails with the daemon. */
    async runUntil(wait: () => Promise<void>, kill: () => Promise<void>): Promise<void> {
      isOver = false
      let isDying = false
      const editing = edit()
      const moving = structures.run(
        () => isOver,
        (mutation) => {
          acknowledged.push({ ...mutation, after: undefined })
          acknowledgedTotal++
        },
      )
      const running = [...writers.map(write), ...moving].map((work) =>
        work.catch((error: unknown) => {
          if (!isDying || error instanceof Refused) throw error
        }),
      )
      const killing = wait()
        .then(() => {
          isDying = true
          return kill()
        })
        .finally(() => (isOver = true))
      await Promise.all([...running, editing, killing])
    },
    /** Violations on the disk: lost, torn or overwritten files. Also learns the outcome of what was in flight. */
    async problems(): Promise<string[]> {
      const found = await structures.problems()
      const textAt = (path: string) => readFile(daemon.file('v', path), 'utf8').catch(() => undefined)
      for (const writer of writers) {
        const { underWay } = writer
        if (underWay && !writer.acknowledged.has(underWay.path)) writer.acknowledged.set(underWay.path, undefined)
        for (const [path, state] of writer.acknowledged) {
          const text = await textAt(path)
          const isExpected = text === state || (underWay?.path === path && text === underWay.becomes)
          if (!isExpected) found.push(`${path}: acknowledged ${short(state)}, found ${short(text)}`)
          if (text !== undefined && !isWhole(text)) found.push(`${path}: torn`)
          writer.acknowledged.set(path, text)
        }
        writer.underWay = undefined
      }
      for (const [path, text] of outside)
        if ((await textAt(path)) !== text) found.push(`${path}: an outside edit was overwritten`)
      return found
    },
    /** The changes that were acknowledged since the previous call. */
    takeAcknowledged: () => acknowledged.splice(0),
  }
}

const short = (state: State): string => (state === undefined ? 'nothing' : state.slice(0, 16))
