import { setImmediate } from 'node:timers/promises'
import { Text } from '@codemirror/state'
import { withoutBom } from '../../edits/editor-text.ts'
import { withString } from '../../edits/whole-text.ts'

// A part of nothing but line ends takes some 10 ms.
const PART = 64 * 1024

/** Whether the text of a file is made without a turn of others in between. */
export const fitsOneTurn = (file: string): boolean => file.length <= PART

/** The text of a file as editors use it. Others have their turn in between, because a large file takes long. */
export async function textInTurns(file: string): Promise<Text> {
  const whole = withoutBom(file)
  if (!whole.includes('\r')) return linesInTurns(whole)
  const parts: string[] = []
  let text = Text.empty
  for (let at = 0; at < whole.length;) {
    const end = endOfLine(whole, at + PART)
    const lines = whole.slice(at, end).replace(/\r\n?/g, '\n')
    parts.push(lines)
    text = text.append(Text.of(lines.split('\n')))
    at = end
    if (at < whole.length) await setImmediate()
  }
  withString(text, parts.join(''))
  return text
}

/** The text of lines that end with `\n`, also in turns; a `\r` inside is a character like any other. */
export async function linesInTurns(string: string): Promise<Text> {
  let text = Text.empty
  for (let at = 0; at < string.length;) {
    const end = string.indexOf('\n', at + PART) + 1 || string.length
    text = text.append(Text.of(string.slice(at, end).split('\n')))
    at = end
    if (at < string.length) await setImmediate()
  }
  withString(text, string)
  return text
}

/** Where the line of a place ends, with its line end. */
function endOfLine(text: string, place: number): number {
  const lineEnd = /\r\n?|\n/g
  lineEnd.lastIndex = place
  return lineEnd.test(text) ? lineEnd.lastIndex : text.length
}
