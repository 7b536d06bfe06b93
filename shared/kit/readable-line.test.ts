import { expect, test } from 'vitest'
import { readableLine } from './readable-line.ts'

const line = (fields: Record<string, unknown>) =>
  JSON.stringify({ level: 'info', time: '2026-03-01T10:20:30.400Z', service: 'svcd', msg: 'opened', ...fields })

test('a line shows time, message, vault, other fields and the reason of a failure', () => {
  const json = line({ vault: 'v', count: 3, err: { message: 'no space', stack: 'long' } })
  expect(readableLine(json, 'plain')).toBe('10:20:30  opened  v  count=3  (no space)\n')
})

test('a warning is yellow and a failure red, and nothing else is coloured but what is beside the message', () => {
  expect(readableLine(line({ level: 'warn' }), 'coloured')).toContain('\u001b[33mopened')
  expect(readableLine(line({ level: 'error' }), 'coloured')).toContain('\u001b[31mopened')
  expect(readableLine(line({}), 'coloured')).toContain('  opened\n')
})

test('a name cannot steer the terminal or begin another line', () => {
  const shown = readableLine(line({ vault: 'a\u001b[2Jb\nc\u0007', name: '\u009b31mx\r' }), 'plain')
  expect(shown.trimEnd()).not.toMatch(/\p{Cc}/u)
  expect(shown).toContain('ab c')
})

test('what the message says is not said again beside it', () =>
  expect(readableLine(line({ msg: 'listening at http://localhost:1', address: 'http://localhost:1' }), 'plain')).toBe(
    '10:20:30  listening at http://localhost:1\n',
  ))
