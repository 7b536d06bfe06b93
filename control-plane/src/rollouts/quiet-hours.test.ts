import { expect, test } from 'vitest'
import { quietAt } from './quiet-hours.ts'

const night = { from: '22:00', to: '05:30', timeZone: 'UTC' }

test.each([
  ['in the evening', '2026-06-01T22:00:00Z', night, true, 450],
  ['after midnight', '2026-06-01T03:30:00Z', night, true, 120],
  ['at the very end', '2026-06-01T05:30:00Z', night, false, 990],
  ['at noon', '2026-06-01T12:00:00Z', night, false, 600],
  ['in another zone', '2026-06-01T20:30:00Z', { ...night, timeZone: 'Europe/Berlin' }, true, 420],
  ['within a day', '2026-06-01T13:00:00Z', { from: '12:00', to: '14:00', timeZone: 'UTC' }, true, 60],
  ['the whole day', '2026-06-01T13:00:00Z', { from: '00:00', to: '00:00', timeZone: 'UTC' }, true, 660],
])('%s', (_name, moment, hours, quiet, changesInMinutes) => {
  expect(quietAt(new Date(moment), hours)).toEqual({ quiet, changesInMinutes })
})
