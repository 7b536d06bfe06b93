import { ClientMessage, isChanges, isVersion, liveLimits } from './live-messages.ts'

type Push = Extract<ClientMessage, { type: 'push' }>

/** A message of a participant, or undefined if the text is none. Linear. */
export function readClientMessage(text: string): ClientMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return readPush(value) ?? ClientMessage.safeParse(value).data
}

/**
 * A push as the schema reads it, or undefined. Pushes come with each keystroke of everybody, and the schema takes several
 * times as long.
 */
export function readPush(value: unknown): Push | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, version, seq, updates } = value as Record<string, unknown>
  if (type !== 'push' || !isVersion(version) || !isVersion(seq) || seq < 1) return undefined
  if (!Array.isArray(updates) || updates.length < 1 || updates.length > liveLimits.maxUpdates) return undefined
  if (!updates.every(isChanges)) return undefined
  return { type, version, seq, updates }
}
