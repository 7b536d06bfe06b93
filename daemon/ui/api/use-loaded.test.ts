import { expect, test } from 'vitest'
import { Refusal } from './refusal.ts'
import { heldAfter } from './use-loaded.ts'

const key = 'tree v'
const loading = { key, loaded: { state: 'loading' } } as const
const ready = { state: 'ready', value: 'files' } as const
const passing = {
  state: 'refused',
  refusal: new Refusal({ code: 'daemon_offline', message: 'away' }),
  retryInSeconds: 1,
} as const
const final = { state: 'refused', refusal: new Refusal({ code: 'storage_failed', message: 'broken' }) } as const
const full = heldAfter<string>(loading, { key, outcome: ready })

test('a first load that fails leaves nothing known', () => {
  for (const outcome of [passing, final])
    expect(heldAfter<string>(loading, { key, outcome })).toEqual({ key, loaded: outcome })
})

test('a reload that fails in passing shows the value', () =>
  expect(heldAfter(full, { key, outcome: passing })).toEqual({ key, loaded: ready, known: { value: 'files' } }))

test('a reload that fails otherwise shows the failure and keeps the value, until the next one succeeds', () => {
  const failed = heldAfter(full, { key, outcome: final })
  expect(failed).toEqual({ key, loaded: final, known: { value: 'files' } })
  expect(heldAfter(failed, { key, outcome: passing })).toEqual({ ...failed, loaded: passing })
  const outcome = { state: 'ready', value: 'newer' } as const
  expect(heldAfter(failed, { key, outcome })).toEqual({ key, loaded: outcome, known: { value: 'newer' } })
})

test('the value of another key is not kept', () =>
  expect(heldAfter(full, { key: 'tree w', outcome: final })).toEqual({ key: 'tree w', loaded: final }))
