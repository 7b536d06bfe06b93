import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createSend, message } from './serve-backup.ts'

const frame = message({ kind: 'failed', failure: { code: 'internal', reason: 'x'.repeat(1000) } })

test('frames wait for a slow reader, however many there are, and leave no listeners', async () => {
  const output = new PassThrough({ highWaterMark: 100 })
  const send = createSend(output)
  const before = output.listenerCount('close')
  for (let nth = 0; nth < 50; nth++) {
    let isSent = false
    const sent = send(frame).then(() => (isSent = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSent).toBe(false)
    while (output.read() !== null);
    await sent
  }
  expect([output.listenerCount('close'), output.listenerCount('drain')]).toEqual([before, 0])
})

test('a reader that is gone ends the wait, and nothing is sent to it', async () => {
  const output = new PassThrough({ highWaterMark: 100 })
  const send = createSend(output)
  const sent = send(frame)
  output.destroy()
  await sent
  await send(frame)
  expect(output.listenerCount('drain')).toBe(0)
})
