import { ClientMessage, isChanges, isPushSize, isVersion, liveLimits } from './live-messages.ts'

type Push = Extract<ClientMessage, { type: 'push' }>

/** Parses a message of a participant; undefined if the text is not one. Takes linear time. */
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
 * Parses a push with the same result as the schema; undefined if it is invalid. Pushes come with each keystroke of
 * every participant, and the schema takes several times as long.
 */
export function readPush(value: unknown): Push | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, version, seq, updates } = value as Record<string, unknown>
  if (type !== 'push' || !isVersion(version) || !isVersion(seq) || seq < 1) return undefined
  if (!Array.isArray(updates) || updates.length < 1 || updates.length > liveLimits.maxUpdates) return undefined
  if (!updates.every(isChanges) || !isPushSize(updates)) return undefined
  return { type, version, seq, updates }
}
