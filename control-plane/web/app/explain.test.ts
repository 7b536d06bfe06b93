import { errorCatalogue } from '@svc/shared/wire/errors.ts'
import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../api-failure.ts'
import { explain } from './explain.ts'

const failure = (code: string, message = 'As the server says.') => new ApiFailure({ code, message }, 400)

describe('explain', () => {
  it('says what to do about a known code', () => {
    expect(explain(failure('INVALID_EMAIL_OR_PASSWORD'))).toMatch(/reset your password/)
    expect(explain(failure('last_admin', errorCatalogue.last_admin.message))).toMatch(/somebody else admin first/)
  })

  it('says how to sign in where a provider does not open the account', () => {
    expect(explain(failure('account_not_linked', ''))).toMatch(/by password or a mailed link/)
  })

  it('names the bad fields of an invalid request', () => {
    const details = [{ path: 'settings.shares', message: 'must rise' }]
    const refused = new ApiFailure({ code: 'invalid_request', message: 'The request is not valid.', details }, 400)
    expect(explain(refused)).toBe('shares must rise.')
  })

  it.each([
    [
      [{ path: 'path', message: 'has a name that some systems reserve' }],
      'The path has a name that some systems reserve.',
    ],
    [[{ path: 'slug', message: 'must be lower-case letters' }], 'The short name must be lower-case letters.'],
    [
      [{ path: 'name', message: 'Too small: expected string to have >=1 characters' }],
      'The name is not valid: Too small: expected string to have >=1 characters.',
    ],
    [[{ path: '', message: 'is not HTTP' }], 'is not HTTP.'],
    [
      [
        { path: 'size', message: 'is not larger' },
        { path: 'reason', message: 'is missing' },
      ],
      'The size is not larger; The reason is missing.',
    ],
  ])('says which field it is, as the form calls it', (details, sentence) => {
    const refused = new ApiFailure({ code: 'invalid_request', message: 'The request is not valid.', details }, 400)
    expect(explain(refused)).toBe(sentence)
  })

  it('leaves the word to a server that has something special to say', () => {
    expect(explain(failure('forbidden', 'Sign in with the invited address.'))).toBe('Sign in with the invited address.')
  })

  it('passes on what the server says about any other code', () => {
    expect(explain(failure('NEVER_HEARD_OF'))).toBe('As the server says.')
    expect(explain(failure('constructor'))).toBe('As the server says.')
  })

  it('never answers with nothing, whatever the catalogue holds', () => {
    for (const [code, { message }] of Object.entries(errorCatalogue))
      expect(explain(failure(code, message)).length, code).toBeGreaterThan(10)
  })
})
