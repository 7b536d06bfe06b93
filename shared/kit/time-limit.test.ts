import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { withTimeLimit } from './time-limit.ts'

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('a time limit', () => {
  it('gives back what the work gives, and lets go of the signals', async () => {
    const { signal } = new AbortController()
    await expect(withTimeLimit({ ms: 1_000, signals: [signal, undefined] }, async () => 'done')).resolves.toBe('done')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('aborts the work when the time is over', async () => {
    await expect(withTimeLimit({ ms: 5 }, never)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('aborts the work with the reason of a signal', async () => {
    const fence = new AbortController()
    const work = withTimeLimit({ ms: 1_000, signals: [fence.signal] }, never)
    fence.abort(new Error('the lease was lost'))
    await expect(work).rejects.toThrow('the lease was lost')
    expect(getEventListeners(fence.signal, 'abort')).toEqual([])
  })

  it('begins nothing under a signal that is aborted', async () => {
    let begun = false
    const work = async () => void (begun = true)
    const signals = [AbortSignal.abort(new Error('the lease was lost'))]
    await expect(withTimeLimit({ ms: 1_000, signals }, work)).rejects.toThrow('the lease was lost')
    expect(begun).toBe(false)
  })
})
