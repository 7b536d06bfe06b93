import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { ChangeSet } from '@codemirror/state'
import { baselineOf } from '../../daemon/src/files/baseline.ts'
import { textChanges } from '../../daemon/src/edits/text-changes.ts'
import { joinSession } from '../../daemon/src/live/join-session.ts'
import { OpenTexts } from '../../daemon/src/live/document/open-texts.ts'
import { openLiveSessions, type LiveSessions } from '../../daemon/src/live/open-live-sessions.ts'
import type { LiveSession } from '../../daemon/src/live/live-session.ts'
import type { NoteFiles } from '../../daemon/src/live/note-file.ts'
import { outsideWho, type Participant } from '../../daemon/src/live/participant.ts'
import type { LogFile } from '../../daemon/src/live/log/write-ahead-log.ts'
import { DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import { LiveText } from '../../daemon/ui/live/live-text.ts'
import { randomOf } from './random-of.ts'

const PATH = 'note.md'
const CLIENTS = 3
const agent = { kind: 'mcp_client', client: 'agent' } as const
const local = { kind: 'local' } as const
const logger = createLog({ service: 'test', level: 'fatal' })

/** Options of live sessions that save only on request, and stay open while nobody uses them. */
export const quietSessions = () => ({
  logged: Buffer.alloc(0),
  texts: new OpenTexts(),
  maxNoteBytes: 1_000,
  writeBehind: { idleMs: 60_000, atMostMs: 60_000 },
  lingerMs: 60_000,
  clock: systemClock,
  logger,
})

type DiskState = { synced: Buffer; unsynced: Buffer; note: string; isDead: boolean }

/** The disk of a run: a log that loses unsynced data at a kill, and a note file that is replaced durably. */
export function memoryDisk(text: string) {
  const state: DiskState = { synced: Buffer.alloc(0), unsynced: Buffer.alloc(0), note: text, isDead: false }
  let tail = Promise.resolve()
  const alive = () => {
    if (state.isDead) throw new Error('killed')
  }
  const sync = () => {
    state.synced = Buffer.concat([state.synced, state.unsynced])
    state.unsynced = Buffer.alloc(0)
  }
  const add = (bytes: Buffer) => (state.unsynced = Buffer.concat([state.unsynced, bytes]))
  const file: LogFile = {
    async append(bytes) {
      alive()
      add(bytes)
      await pause()
      alive()
      sync()
    },
    async replace(bytes) {
      const parts: Buffer[] = []
      for await (const part of bytes) parts.push(part)
      await pause()
      alive()
      state.synced = Buffer.concat(parts)
      state.unsynced = Buffer.alloc(0)
    },
    remove: async () => void (state.synced = Buffer.alloc(0)),
    close: async () => {},
  }
  const files: NoteFiles = {
    inQueue(_path, work) {
      const result = tail.then(work)
      tail = result.then(ignore, ignore)
      return result
    },
    onDisk: (path) => path,
    isKnown: () => true,
    find: async (path) => ({ path, text: state.note, baseline: baselineOf(Buffer.from(state.note)) }),
    async write({ path, next }) {
      for (;;) {
        alive()
        const before = state.note
        const text = await next({ path, text: before, baseline: baselineOf(Buffer.from(before)) })
        await pause()
        alive()
        if (state.note !== before) continue
        state.note = text
        await pause()
        alive()
        return baselineOf(Buffer.from(text))
      }
    },
    refuseWhenFull: async () => {},
    rescue: async () => {},
  }
  return { state, file, files }
}

const ignore = () => {}
const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** One client: what it typed, what was confirmed to it, and the messages that have not arrived yet. */
class Client {
  readonly id: string
  text: LiveText | undefined
  participant: Participant | undefined
  session: LiveSession | undefined
  inbox: string[] = []
  parts: string[] = []
  /** Messages that came while the whole text was arriving. */
  early: string[] = []
  welcome: Extract<DaemonMessage, { type: 'welcome' }> | undefined
  isReady = false
  inFlight = false

  constructor(id: string) {
    this.id = id
  }

  disconnect(): void {
    if (this.participant) this.session?.audience.remove(this.participant)
    this.participant = this.session = this.welcome = undefined
    this.inbox = []
    this.parts = []
    this.early = []
    this.isReady = this.inFlight = false
  }

  /** Takes the next message; returns false when there is none. */
  step(): boolean {
    const data = this.inbox.shift()
    if (data === undefined) return false
    const message = DaemonMessage.parse(JSON.parse(data))
    const isLoading = this.welcome !== undefined && !this.welcome.resumed && !this.isReady
    if (isLoading && message.type !== 'text') this.early.push(data)
    else if (message.type === 'welcome') {
      this.welcome = message
      if (message.resumed) this.isReady = this.text!.version === message.version
      else if (message.parts === 0) this.whole()
    } else if (message.type === 'text') {
      this.parts.push(message.part)
      if (this.parts.length === this.welcome!.parts) this.whole()
    } else if (message.type === 'updates') {
      if (message.updates.some(({ client }) => client === this.id)) this.inFlight = false
      this.text!.receive(message)
      if (this.welcome?.resumed) this.isReady ||= this.text!.version >= this.welcome.version
    }
    return true
  }

  whole(): void {
    const { epoch, version, accepted } = this.welcome!
    const text = this.parts.join('')
    if (this.text) this.text.replace({ epoch, version, accepted, text })
    else this.text = new LiveText({ clientId: this.id, epoch, version, acked: accepted, confirmed: text, pending: [] })
    this.isReady = true
    this.inbox.unshift(...this.early)
    this.early = []
  }
}

/** A participant who only receives. */
const onlooker = (nth: number): Participant => ({
  id: `onlooker-${nth}`,
  clientId: `onlooker-${nth}`,
  actor: local,
  send: ignore,
  backlog: () => 0,
  isOpen: () => true,
  end: ignore,
})

/**
 * `onlookers` is the number of other participants. With many of them, the daemon collects updates before it sends them.
 */
type Run = { seed: number; steps: number; onlookers?: number }

/**
 * Runs clients, an outside editor, an agent and kills against the live sessions of one note; returns the violations.
 */
export async function runSessions({ seed, steps, onlookers = 0 }: Run) {
  const random = randomOf(seed)
  const lines = Array.from({ length: 6 }, (_, line) => `start-${line}-a start-${line}-b`)
  const written = new Set<string>(lines.join(' ').split(' '))
  const removed = new Set<string>()
  let disk = memoryDisk(`${lines.join('\n')}\n`)
  let sessions = await openSessions(Buffer.alloc(0))
  let tokens = 0
  const clients = Array.from({ length: CLIENTS }, (_, index) => new Client(`client-${seed}-${index}`))

  function openSessions(logged: Buffer): Promise<LiveSessions> {
    const timing = { writeBehind: { idleMs: 1e8, atMostMs: 1e8 }, lingerMs: 1e8 }
    const { files, file } = disk
    return openLiveSessions({
      files,
      file,
      logged,
      texts: new OpenTexts(),
      maxNoteBytes: 1e6,
      ...timing,
      clock: systemClock,
      logger,
    })
  }

  async function connect(client: Client): Promise<void> {
    const session = await sessions.open(PATH, local)
    if (session.audience.size === 0) for (let nth = 0; nth < onlookers; nth++) session.audience.add(onlooker(nth))
    const participant: Participant = {
      id: client.id,
      clientId: client.id,
      actor: local,
      send: (frame) => void client.inbox.push(textOf(frame)),
      backlog: () => 0,
      isOpen: () => client.participant === participant,
      end: () => client.participant === participant && client.disconnect(),
    }
    client.disconnect()
    client.participant = participant
    client.session = session
    const { text } = client
    const hello = {
      type: 'hello' as const,
      clientId: client.id,
      ...(text ? { epoch: text.epoch, version: text.version } : {}),
    }
    await joinSession({ session, participant, hello, receipts: sessions.receipts })
    sessions.joined(session)
  }

  function push(client: Client): void {
    if (!client.isReady || client.inFlight || !client.text?.hasUnsent) return
    client.inFlight = true
    const batch = client.text.sendable({ updates: 1 + random(3), characters: 10_000, sections: 10_000 })
    const { session } = client
    void session!
      .push({ ...batch, clientID: client.id, by: local })
      .catch(() => client.session === session && client.disconnect())
  }

  const newToken = (by: string) => {
    const token = `${by}-${++tokens}`
    written.add(token)
    return token
  }

  /**
   * Inserts, removes or replaces a word. Edits always concern whole words, so a cut or joined word proves a wrong
   * merge.
   */
  function edited(text: string, by: string): string {
    const words = [...text.matchAll(/[^\s]+/g)]
    const word = words[random(Math.max(1, words.length))]
    if (word && random(4) === 0) {
      removed.add(word[0])
      const instead = random(2) === 0 ? newToken(by) : ''
      return text.slice(0, word.index) + instead + text.slice(word.index + word[0].length)
    }
    const at = word ? word.index : 0
    return `${text.slice(0, at)}${newToken(by)}${random(8) === 0 ? '\n' : ' '}${text.slice(at)}`
  }

  function type(client: Client): void {
    if (!client.text) return
    const before = client.text.text.toString()
    client.text.edit(ChangeSet.of(textChanges(before, edited(before, 'c')), before.length, '\n'))
  }

  function editFile(by: string): void {
    disk.state.note = edited(disk.state.note, by)
  }

  const tellOfFile = async () => {
    const session = sessions.find(PATH)
    const { note } = disk.state
    await session?.fileChanged(
      { path: PATH, text: note, baseline: baselineOf(Buffer.from(note)) },
      undefined,
      outsideWho,
    )
  }

  async function kill(): Promise<void> {
    disk.state.isDead = true
    const { synced, note } = disk.state
    for (const client of clients) client.disconnect()
    for (const session of sessions.all()) session.close()
    disk = memoryDisk(note)
    disk.state.synced = synced
    if (random(3) === 0) editFile('down')
    sessions = await openSessions(synced)
    await sessions.restoreAll()
  }

  const actions: (() => void | Promise<void>)[] = [
    ...clients.flatMap((client) => [
      () => type(client),
      () => type(client),
      () => push(client),
      () => push(client),
      () => void client.step(),
      () => void client.step(),
      () => void client.step(),
      async () => (client.participant ? undefined : connect(client)),
      () => (random(4) === 0 ? client.disconnect() : undefined),
    ]),
    () => editFile('outside'),
    async () => void tellOfFile().catch(ignore),
    async () => void sessions.find(PATH)?.saves.save().catch(ignore),
    // A writer over the API: inside the queue, the typed text is saved first, then the file is replaced on top of it.
    async () =>
      void disk.files
        .inQueue(PATH, async () => {
          await sessions.find(PATH)?.saves.saveInQueue()
          const dead = disk
          const next = edited(dead.state.note, agent.client)
          dead.state.note = next
        })
        .then(tellOfFile)
        .catch(ignore),
    async () => (random(3) === 0 ? kill() : undefined),
  ]

  for (const client of clients) await connect(client)
  for (let step = 0; step < steps; step++) {
    await actions[random(actions.length)]!()
    if (random(2) === 0) await pause()
  }

  // Finally every client reconnects, sends its unsent changes and receives everything.
  for (let round = 0; round < 400; round++) {
    for (const client of clients) {
      if (!client.participant) await connect(client)
      while (client.step());
      push(client)
    }
    await pause()
    if (round % 20 === 19)
      await tellOfFile()
        .then(() => sessions.flush())
        .catch(ignore)
    const isQuiet = clients.every(
      (client) => client.isReady && !client.inFlight && !client.text!.hasUnsent && client.inbox.length === 0,
    )
    if (isQuiet && round > 40 && sessions.all().every(({ isSaved }) => isSaved)) break
  }
  const problems = check()
  for (const client of clients) client.disconnect()
  await sessions.close()
  return { problems, tokens, note: disk.state.note }

  function check(): string[] {
    const found: string[] = []
    const text = disk.state.note
    for (const client of clients)
      if (client.text!.text.toString() !== text) found.push(`${client.id} shows something else than the file`)
    const counts = new Map<string, number>()
    for (const word of text.match(/[^\s]+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1)
    for (const [word, count] of counts) {
      if (!written.has(word)) found.push(`torn: ${word}`)
      if (count > 1) found.push(`doubled: ${word}`)
    }
    for (const word of written) if (!counts.has(word) && !removed.has(word)) found.push(`lost: ${word}`)
    return found
  }
}

/** The text of a framed message. Its length decides how long the header is. */
const textOf = (frame: Buffer): string => frame.toString('utf8', { 126: 4, 127: 10 }[frame[1]!] ?? 2)
