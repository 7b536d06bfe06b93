import { fail, type ErrorCode, type ServiceError } from '@svc/shared/wire/errors.ts'

// Refusals of the sign-in handler that are failures of our catalogue. Its other responses (a wrong password, a short
// one) keep their own shape and code.
const codes: Record<string, ErrorCode> = {
  ORGANIZATION_NOT_FOUND: 'not_found',
  MEMBER_NOT_FOUND: 'not_found',
  NO_ACTIVE_ORGANIZATION: 'not_found',
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'not_found',
  YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION: 'not_found',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 'last_admin',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 'last_admin',
  INVITATION_NOT_FOUND: 'invitation_invalid',
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: 'invitation_invalid',
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: 'invitation_invalid',
  INVALID_CODE: 'code_invalid',
  INVALID_BACKUP_CODE: 'code_invalid',
  INVALID_TWO_FACTOR_COOKIE: 'sign_in_expired',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'sign_in_expired',
  CHALLENGE_NOT_FOUND: 'sign_in_expired',
  ACCOUNT_TEMPORARILY_LOCKED: 'too_many_requests',
  SESSION_NOT_FRESH: 'fresh_sign_in_required',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 'invitation_invalid',
}

/** The library reports a credential that it cannot verify as a failure of the server (500). */
const wrongCredentials = ['FAILED_TO_VERIFY_REGISTRATION', 'AUTHENTICATION_FAILED']

/** The failure of our catalogue for a response of the sign-in handler, if any. */
export function authFailure(status: number, body: unknown): ServiceError | undefined {
  if (status < 400) return undefined
  const code = (body as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return status === 401 ? fail('unauthenticated') : undefined
  if (wrongCredentials.includes(code))
    return fail('invalid_request', [{ path: 'response', message: 'is not a credential that can be verified' }])
  if (Object.hasOwn(codes, code)) return fail(codes[code] ?? 'internal')
  if (code.startsWith('YOU_ARE_NOT_ALLOWED_TO_')) return fail('forbidden')
  if (code === 'UNAUTHORIZED') return fail('unauthenticated')
  return undefined
}
