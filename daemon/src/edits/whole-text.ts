import type { Text } from '@codemirror/state'

/** Joining a text of this length takes time, so its string is kept as long as the text. */
const LONG = 100_000
const strings = new WeakMap<Text, string>()

/**
 * A text as one string. For a million lines this takes a third of the time of `toString`, and no time when called
 * again.
 */
export function stringOf(text: Text): string {
  const known = strings.get(text)
  if (known !== undefined) return known
  return withString(text, text.toJSON().join('\n'))
}

/** Keeps the string of a text; returns it. */
export function withString(text: Text, string: string): string {
  if (string.length > LONG) strings.set(text, string)
  return string
}
