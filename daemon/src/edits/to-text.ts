import { Text } from '@codemirror/state'
import { withString } from './whole-text.ts'

/** The text of lines that end with `\n`; a `\r` inside is a character like any other. */
export function toText(string: string): Text {
  const text = Text.of(string.split('\n'))
  withString(text, string)
  return text
}

/** The text of a string, or a text as it is. */
export const asText = (text: string | Text): Text => (typeof text === 'string' ? toText(text) : text)
