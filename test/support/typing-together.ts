import { ChangeSet } from '@codemirror/state'
import type { LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'
import { NoteDocument } from '../../daemon/src/live/note-document.ts'
import { LiveText } from '../../daemon/ui/live/live-text.ts'
import { randomOf } from './random-of.ts'

type Message = { version: number; updates: { client: string; changes: LiveChanges }[] }
type Push = { typist: Typist; version: number; updates: readonly LiveChanges[] }

/** A person who types character by character. The caret moves along with the changes of others. */
class Typist {
  readonly text: LiveText
  readonly inbox: Message[] = []
  isSending = false
  #caret: number
  #left: string

  constructor({ id, text, types }: { id: string; text: string; types: string }) {
    this.text = new LiveText({ clientId: id, epoch: 'e', version: 0, acked: 0, confirmed: text, pending: [] })
    this.#caret = text.length
    this.#left = types
  }

  get isDone(): boolean {
    return this.#left === '' && !this.text.hasUnsent && this.inbox.length === 0
  }

  type(): void {
    const [sign = ''] = this.#left
    if (sign === '') return
    this.#left = this.#left.slice(sign.length)
    this.text.edit(ChangeSet.of({ from: this.#caret, insert: sign }, this.text.text.length, '\n'))
    this.#caret += sign.length
  }

  receive(): void {
    const message = this.inbox.shift()
    if (!message) return
    if (message.updates.some(({ client }) => client === this.text.clientId)) this.isSending = false
    const received = this.text.receive({
      ...message,
      updates: message.updates.map((one) => ({ ...one, who: undefined })),
    })
    for (const { changes } of received) this.#caret = changes.mapPos(this.#caret, -1)
  }
}

/**
 * The final text after two people have typed at the end of a text at the same time. The delays of messages depend on a
 * seed.
 */
export function typedTogether({ text, types, seed }: { text: string; types: readonly string[]; seed: number }) {
  const random = randomOf(seed)
  const document = new NoteDocument({ text })
  const typists = types.map((types, nth) => new Typist({ id: `typist-${nth}`, text, types }))
  const pushes: Push[] = []

  function send(typist: Typist): void {
    if (typist.isSending || !typist.text.hasUnsent) return
    typist.isSending = true
    pushes.push({ typist, ...typist.text.sendable({ updates: 50, characters: 10_000, sections: 10_000 }) })
  }

  function serve(): void {
    const push = pushes.shift()
    if (!push) return
    const clientID = push.typist.text.clientId
    const { version } = document
    const rebased = document.rebase({ version: push.version, clientID, updates: push.updates, by: { kind: 'local' } })
    document.apply(rebased)
    const updates = rebased.map(({ changes }) => ({ client: clientID, changes: changes.toJSON() as LiveChanges }))
    for (const { inbox } of typists) inbox.push({ version, updates })
  }

  while (!typists.every(({ isDone }) => isDone)) {
    const typist = typists[random(typists.length)]!
    ;[() => typist.type(), () => send(typist), () => typist.receive(), serve][random(4)]!()
  }
  return { text: document.text, shown: typists.map(({ text }) => text.text.toString()) }
}
