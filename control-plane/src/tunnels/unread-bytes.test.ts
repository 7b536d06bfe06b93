import { expect, it } from 'vitest'
import { UnreadBytes } from './unread-bytes.ts'

function findInPieces(text: string, size: number, limit: number): string {
  const unread = new UnreadBytes()
  for (let at = 0; at < text.length; at += size) {
    const bytes = unread.take(Buffer.from(text.slice(at, at + size)))
    const end = unread.find('\r\n\r\n', { bytes, offset: 0, limit })
    if (end === 'too_far') return end
    if (end !== undefined) return bytes.toString('latin1', 0, end)
    unread.keep(bytes, 0)
  }
  return 'missing'
}

it.each([1, 2, 3, 4, 5, 7, 1000])('finds the same end in pieces of %i bytes', (size) => {
  expect(findInPieces('a: b\r\n\rc\r\n\r\nmore', size, 11)).toBe('a: b\r\n\rc')
  expect(findInPieces(`${'x'.repeat(3000)}\r\n\r\n`, size, 3000)).toBe('x'.repeat(3000))
  expect(findInPieces(`${'x'.repeat(3001)}\r\n\r\n`, size, 3000)).toBe('too_far')
  expect(findInPieces('a: b\r\n\r', size, 11)).toBe('missing')
})

it('leaves bytes alone that it handed out', () => {
  const unread = new UnreadBytes()
  unread.keep(unread.take(Buffer.from('a')), 0)
  const bytes = unread.take(Buffer.from('\nbody'))
  expect(unread.find('\n', { bytes, offset: 0, limit: 10 })).toBe(1)
  unread.keep(unread.take(Buffer.from('another')), 0)
  expect(bytes.toString()).toBe('a\nbody')
})
