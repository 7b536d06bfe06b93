import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RpcAnswer } from './rpc-answer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A response to this number of requests, and the texts that it sent. */
function answerTo(requests: number) {
  const sent: string[] = []
  const output = {
    whole: (text: string) => void sent.push(`whole ${text}`),
    open: () => {
      sent.push('head')
      return { write: (text: string) => void sent.push(text), end: () => void sent.push('end') }
    },
  }
  return { answer: new RpcAnswer({ requests, output }), sent }
}
const event = (text: string) => `event: message\ndata: ${text}\n\n`

test('one result that comes soon is sent whole, and nothing after it', () => {
  const { answer, sent } = answerTo(1)
  answer.result({ id: 1 })
  answer.event({ late: 1 })
  answer.end()
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual(['whole {"id":1}'])
})

test('one that takes longer has its head first, beats while it takes long, and then its result', () => {
  const { answer, sent } = answerTo(1)
  vi.advanceTimersByTime(50)
  expect(sent).toEqual(['head'])
  vi.advanceTimersByTime(15_000)
  answer.result({ id: 1 })
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual(['head', ': keepalive\n\n', event('{"id":1}'), 'end'])
})

test('what comes before a result makes a stream, and so does a batch', () => {
  const one = answerTo(1)
  one.answer.event({ progress: 1 })
  one.answer.result({ id: 1 })
  expect(one.sent).toEqual(['head', event('{"progress":1}'), event('{"id":1}'), 'end'])
  const batch = answerTo(2)
  batch.answer.result({ id: 2 })
  batch.answer.skip()
  expect(batch.sent).toEqual(['head', event('{"id":2}'), 'end'])
})

test('nothing is sent to a client that has left', () => {
  const { answer, sent } = answerTo(1)
  answer.leave()
  vi.advanceTimersByTime(60_000)
  answer.event({ progress: 1 })
  answer.result({ id: 1 })
  answer.openStream()
  expect(sent).toEqual([])
})
