import { describe, expect, it } from 'vitest'
import { endsWithin, within } from './within.ts'

const never = new Promise<never>(() => {})
/** Clocks on which any time passes at once, or never. */
const passed = { sleep: () => Promise.resolve() }
const stopped = { sleep: () => never }

describe('work within a time', () => {
  it('gives its result, or its failure', async () => {
    const given = { ms: 60_000, late: () => new Error('late') }
    expect(await within(Promise.resolve(7), given)).toBe(7)
    await expect(within(Promise.reject(new Error('broken')), given)).rejects.toThrow('broken')
  })

  it('fails as late when the time is over first', async () => {
    await expect(within(never, { ms: 1, late: () => new Error('late') })).rejects.toThrow('late')
  })

  it('is known to have ended or not', async () => {
    expect(await endsWithin(Promise.resolve(), { ms: 1, clock: stopped })).toBe(true)
    expect(await endsWithin(never, { ms: 1, clock: passed })).toBe(false)
    await expect(endsWithin(Promise.reject(new Error('broken')), { ms: 1, clock: stopped })).rejects.toThrow('broken')
  })
})
