import { describe, expect, it, vi } from 'vitest'
import { andThen, attempt } from './eventual.ts'

describe('going on with a value', () => {
  it('happens within the call where the value is there', () => {
    expect(andThen(1, (value) => value + 1)).toBe(2)
  })

  it('waits for a value that comes, and passes its failure on', async () => {
    await expect(andThen(Promise.resolve(1), (value) => value + 1)).resolves.toBe(2)
    const goOn = vi.fn(() => 2)
    await expect(andThen(Promise.reject(new Error('gone')), goOn)).rejects.toThrow('gone')
    expect(goOn).not.toHaveBeenCalled()
  })
})

describe('an attempt', () => {
  it.each([
    ['throws', () => Promise.resolve().then(() => Promise.reject(new Error('no')))],
    [
      'throws at once',
      () => {
        throw new Error('no')
      },
    ],
  ])('that %s is told once', async (_how, work) => {
    const failed = vi.fn()
    attempt(work, failed)
    await vi.waitFor(() => expect(failed).toHaveBeenCalledOnce())
    expect(failed.mock.calls[0]![0]).toMatchObject({ message: 'no' })
  })

  it('that succeeds tells nobody', async () => {
    const failed = vi.fn()
    attempt(() => {}, failed)
    attempt(() => Promise.resolve(), failed)
    await Promise.resolve()
    expect(failed).not.toHaveBeenCalled()
  })
})
