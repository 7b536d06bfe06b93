import { describe, expect, it } from 'vitest'
import { runForEach, type Outcome } from './run-for-each.ts'

const items = ['a', 'b', 'c', 'd', 'e']

describe('runForEach', () => {
  it('runs for each, a few at a time, and one failure stops no other', async () => {
    const outcomes = new Map<string, Outcome>()
    let running = 0
    let most = 0
    await runForEach({
      items,
      run: async (item) => {
        most = Math.max(most, (running += 1))
        await Promise.resolve()
        running -= 1
        if (item === 'b') throw new Error('no')
        return `${item} is done`
      },
      tell: (item, outcome) => outcomes.set(item, outcome),
      signal: new AbortController().signal,
    })
    expect(most).toBe(3)
    expect(outcomes.get('e')).toEqual({ state: 'done', said: 'e is done' })
    expect(outcomes.get('b')).toMatchObject({ state: 'failed' })
    expect([...outcomes.keys()]).toEqual(items)
  })

  it('begins no more once it is aborted', async () => {
    const stop = new AbortController()
    const begun: string[] = []
    await runForEach({
      items,
      run: async (item) => {
        begun.push(item)
        stop.abort()
        return ''
      },
      tell: () => {},
      signal: stop.signal,
    })
    expect(begun).toEqual(['a'])
  })
})
