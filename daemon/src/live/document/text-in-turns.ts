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
  const hasReturns = whole.includes('\r')
  const parts: string[] = []
  let text = Text.empty
  for (let at = 0; at < whole.length;) {
    const end = endOfLine(whole, at + PART)
    const part = whole.slice(at, end)
    const lines = hasReturns ? part.replace(/\r\n?/g, '\n') : part
    parts.push(lines)
    text = text.append(Text.of(lines.split('\n')))
    at = end
    if (at < whole.length) await setImmediate()
  }
  withString(text, hasReturns ? parts.join('') : whole)
  return text
}

/** Where the line of a place ends, with its line end. */
function endOfLine(text: string, place: number): number {
  const lineEnd = /\r\n?|\n/g
  lineEnd.lastIndex = place
  return lineEnd.test(text) ? lineEnd.lastIndex : text.length
}
