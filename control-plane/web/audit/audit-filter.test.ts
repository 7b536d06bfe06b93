import { expect, it } from 'vitest'
import { readAuditFilter, toAuditQuery } from './audit-filter.ts'

it('reads what an address names and leaves empty values out', () => {
  expect(readAuditFilter('?chain=x&event=operation&actor=+&since=2026-03-01')).toEqual({
    event: 'operation',
    since: '2026-03-01',
  })
})

it('asks for whole days of the reader', () => {
  const { from, to } = toAuditQuery({ since: '2026-03-01', until: '2026-03-01' })
  expect(new Date(from!).getHours()).toBe(0)
  expect(Date.parse(to!) - Date.parse(from!)).toBe(86_400_000)
  expect(toAuditQuery({ since: 'yesterday' })).toEqual({ from: undefined, to: undefined })
})
