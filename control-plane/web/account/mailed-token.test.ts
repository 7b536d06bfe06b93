import { describe, expect, it } from 'vitest'
import { readMailedToken } from './mailed-token.ts'
import { verifies } from '../../../test/requirements.ts'

const read = (address: string) => readMailedToken(new URL(address, 'https://app.example'))

describe('readMailedToken', () => {
  it('takes the token of the fragment before that of the query', () => {
    verifies('web.link-token')
    expect(read('/reset-password?token=b#token=a')).toEqual({ state: 'token', token: 'a' })
    expect(read('/reset-password?token=b')).toEqual({ state: 'token', token: 'b' })
  })

  it('takes a fragment that is nothing but the token', () => {
    expect(read('/setup#abc-DEF_1')).toEqual({ state: 'token', token: 'abc-DEF_1' })
  })

  it('reports what the server says about the link', () => {
    expect(read('/verify-email?error=TOKEN_EXPIRED&token=a')).toEqual({ state: 'refused', code: 'TOKEN_EXPIRED' })
  })

  it('knows an address without a token', () => {
    expect(read('/sign-in/link')).toEqual({ state: 'missing' })
    expect(read('/sign-in/link#token=')).toEqual({ state: 'missing' })
  })
})
