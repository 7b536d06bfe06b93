import * as ws from 'ws'
import { expect, test } from 'vitest'
import { textFrame } from './text-frame.ts'

type Receiver = {
  on(event: 'message', heard: (data: Buffer, isBinary: boolean) => void): void
  write(bytes: Buffer): void
}
// The parser of every WebSocket of the package; its types leave it out.
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Receiver }

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 300_000])('a WebSocket client reads a text of %i bytes', (bytes) => {
  const text = 'é'.repeat(Math.floor(bytes / 2)) + 'x'.repeat(bytes % 2)
  const heard: [string, boolean][] = []
  const receiver = new Receiver({ isServer: false })
  receiver.on('message', (data, isBinary) => heard.push([data.toString(), isBinary]))
  const frame = textFrame(text)
  receiver.write(frame.subarray(0, 1))
  receiver.write(Buffer.concat([frame.subarray(1), textFrame('next')]))
  expect(heard).toEqual([
    [text, false],
    ['next', false],
  ])
})
