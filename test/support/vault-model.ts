import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { Note } from '@svc/shared/wire/daemon/daemon.api.ts'
import { call, type Svcd } from './svcd.ts'

/** What may happen to a file of a vault, by the API, by another program, or by a kill. */
type Step =
  | { kind: 'read' | 'delete' | 'outside delete'; path: string }
  | { kind: 'save' | 'save and kill' | 'outside write' | 'outside replace'; path: string; text: string }
  | { kind: 'kill' }

const paths = ['note.md', 'b/Über uns.md', 'b/c/deep.md', 'data.bin', 'b/picture.png']
const path = fc.constantFrom(...paths)
const text = fc
  .constantFrom('one\n', 'two\r\nlines', '\uFEFFmarked\n', '---\na: [1,  2]\n---\nodd', '')
  .chain((start) => fc.nat({ max: 3 }).map((number) => `${start}${number}`))

/** Steps on one vault. Kills are rare because each costs a start. */
export const stepsOnVault = ({ most }: { most: number }): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ kind: fc.constant('read' as const), path }) },
      { weight: 12, arbitrary: fc.record({ kind: fc.constant('save' as const), path, text }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'outside delete' as const), path }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constantFrom('outside write' as const, 'outside replace' as const),
          path,
          text,
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('save and kill' as const), path, text }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
    ),
    { minLength: most / 2, maxLength: most },
  )

/**
 * The model: the content of each file, and what a client has read of it. A save or deletion must succeed exactly when
 * the client has seen the current content. Whatever the response, the disk must then equal the model.
 */
export class VaultModel {
  readonly #daemon: Svcd
  readonly #folder: string
  readonly #files = new Map<string, string>()
  /**
   * The number of writes of each file. A rewritten attachment counts as another attachment, even with the same bytes.
   */
  readonly #writes = new Map<string, number>()
  readonly #read = new Map<string, { baseline: string; text: string; write: number }>()

  /** A folder of its own in the vault `v` of a daemon. */
  constructor(daemon: Svcd, folder: string) {
    this.#daemon = daemon
    this.#folder = folder
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'read':
        return this.#readFile(step.path)
      case 'save':
        return this.#save(step.path, step.text)
      case 'save and kill':
        return this.#saveAndKill(step.path, step.text)
      case 'delete':
        return this.#delete(step.path)
      case 'outside write':
      case 'outside replace':
        return this.#outside(step)
      case 'outside delete':
        await rm(this.#place(step.path), { force: true })
        this.#files.delete(step.path)
        return
      case 'kill':
        await this.#daemon.kill()
        return this.#daemon.restart()
    }
  }

  /** Compares the disk with the model. */
  async check(): Promise<void> {
    const entries = await readdir(this.#place(''), { recursive: true, withFileTypes: true }).catch(() => [])
    const onDisk = new Map<string, string>()
    for (const entry of entries.filter((each) => each.isFile())) {
      const full = join(entry.parentPath, entry.name)
      onDisk.set(full.slice(this.#place('').length), await readFile(full, 'utf8'))
    }
    expect(Object.fromEntries(onDisk)).toEqual(Object.fromEntries(this.#files))
  }

  /** Reads every file through the API: the daemon must return what is on the disk. */
  async checkView(): Promise<void> {
    for (const each of paths) await this.#readFile(each)
  }

  async #readFile(path: string): Promise<void> {
    const answer = await call(this.#daemon, this.#address(path))
    const known = this.#files.get(path)
    expect(answer.status, `read ${path}`).toBe(known === undefined ? 404 : 200)
    if (known === undefined) return void this.#read.delete(path)
    const content = path.endsWith('.md') ? Note.parse(answer.body).note.content : withMark(answer.text, known)
    expect(content).toBe(known)
    this.#saw(path, answer.headers.get('etag'))
  }

  async #save(path: string, text: string): Promise<void> {
    const { status, headers } = await this.#put(path, text)
    if (!this.#mayChange(path))
      return expect(status, `a save of ${path} on what has changed`).toBeGreaterThanOrEqual(400)
    expect([200, 201], `a save of ${path}`).toContain(status)
    this.#wrote(path, text)
    this.#saw(path, headers.get('etag'))
  }

  /**
   * Kills the daemon during a save, so that its response never arrives. The save must be complete, or must not exist at
   * all.
   */
  async #saveAndKill(path: string, text: string): Promise<void> {
    const saving = this.#put(path, text).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, text.length % 7))
    await this.#daemon.kill()
    const answer = await saving
    const found = await readFile(this.#place(path), 'utf8').catch(() => undefined)
    const before = this.#files.get(path)
    if (answer && answer.status < 300) expect(found).toBe(text)
    expect([before, this.#mayChange(path) ? text : before], `${path} after a kill`).toContain(found)
    if (found !== undefined) this.#wrote(path, found)
    this.#read.delete(path)
    await this.#daemon.restart()
  }

  async #delete(path: string): Promise<void> {
    const baseline = this.#read.get(path)?.baseline
    if (baseline === undefined) return
    const { status } = await call(this.#daemon, this.#address(path), {
      method: 'DELETE',
      headers: { 'if-match': baseline },
    })
    if (!this.#mayChange(path) || !this.#files.has(path)) return expect(status).toBeGreaterThanOrEqual(400)
    expect(status, `a deletion of ${path}`).toBe(200)
    this.#files.delete(path)
    this.#read.delete(path)
  }

  async #outside({ kind, path, text }: Extract<Step, { text: string }>): Promise<void> {
    const place = this.#place(path)
    await mkdir(dirname(place), { recursive: true })
    if (kind === 'outside write') await writeFile(place, text)
    else {
      await writeFile(`${place}~`, text)
      await rename(`${place}~`, place)
    }
    this.#wrote(path, text)
  }

  #put(path: string, text: string) {
    const baseline = this.#read.get(path)?.baseline
    const condition: Record<string, string> =
      baseline === undefined ? { 'if-none-match': '*' } : { 'if-match': baseline }
    const type = path.endsWith('.md') ? 'text/markdown' : 'application/octet-stream'
    const headers = { ...condition, 'content-type': type }
    return call(this.#daemon, this.#address(path), { method: 'PUT', headers, body: Buffer.from(text) })
  }

  /** True when the client has seen the current content. */
  #mayChange(path: string): boolean {
    const [read, text] = [this.#read.get(path), this.#files.get(path)]
    if (read === undefined || text === undefined) return read === undefined && text === undefined
    return path.endsWith('.md') ? read.text === text : read.write === this.#writes.get(path)
  }

  #wrote(path: string, text: string): void {
    this.#files.set(path, text)
    this.#writes.set(path, (this.#writes.get(path) ?? 0) + 1)
  }

  #saw(path: string, baseline: string | null): void {
    expect(baseline).not.toBeNull()
    this.#read.set(path, { baseline: baseline!, text: this.#files.get(path)!, write: this.#writes.get(path)! })
  }

  #address(path: string): string {
    const encoded = `${this.#folder}/${path}`.split('/').map(encodeURIComponent).join('/')
    return `/api/vaults/v/${path.endsWith('.md') ? 'notes' : 'attachments'}/${encoded}`
  }

  #place(path: string): string {
    return this.#daemon.file('v', `${this.#folder}/${path}`)
  }
}

/** A text client drops the byte order mark of an attachment when it reads it, so compare with the mark. */
const withMark = (text: string, known: string): string => (known.startsWith('\uFEFF') ? `\uFEFF${text}` : text)
