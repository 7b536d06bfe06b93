import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../api-failure.ts'
import { afterRead, type Resource } from './resource.ts'

const failure = new ApiFailure({ code: 'network', message: 'No.' }, 0)
const ready: Resource<number> = { state: 'ready', value: 1 }

describe('afterRead', () => {
  it('fails when the first read fails', () => {
    expect(afterRead<number>({ state: 'loading' }, { failure })).toEqual({ state: 'failed', failure })
  })

  it('keeps the last value when a refresh fails', () => {
    expect(afterRead(ready, { failure })).toEqual({ state: 'ready', value: 1, trouble: failure })
  })

  it('forgets the trouble when a refresh succeeds', () => {
    expect(afterRead({ ...ready, trouble: failure }, { value: 2 })).toEqual({ state: 'ready', value: 2 })
  })
})
