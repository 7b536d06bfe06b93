import { errorCatalogue, type ErrorCode } from '@svc/shared/wire/errors.ts'
import { fieldProblems, type ApiFailure } from '../api-failure.ts'

// What happened and what to do about it. The codes in capitals, and account_not_linked, come from the sign-in handler.
const sentences: Record<string, string> = {
  network: 'The server cannot be reached. Check your connection, then try again.',
  unreadable: 'The server gave an answer that cannot be read. Try again in a moment.',
  internal: 'Something went wrong on the server. Try again; if it stays, tell the administrator the request id.',
  unauthenticated: 'You are signed out. Sign in again.',
  forbidden: 'Your role does not allow this. Ask an admin of the organization.',
  not_found: 'There is nothing here, or nothing that you may see.',
  too_many_requests: 'Too many tries. Wait a minute, then try again.',
  slug_taken: 'This short name is taken. Choose another one.',
  vault_exists: 'A vault with this short name exists. Choose another one.',
  last_admin: 'An organization keeps at least one admin. Make somebody else admin first.',
  confirmation_mismatch: 'The text does not match exactly. Type it as shown, capitals included.',
  domain_conflict: 'Another organization already admits people of your e-mail domain.',
  organization_has_payment_history: 'An organization with payment history cannot be deleted. Contact support.',
  organization_busy: 'Another operation of this organization is running. Wait for it, then try again.',
  invitation_invalid:
    'This invitation is not valid any more, or is for another e-mail address. Ask the admin to send a new one, or sign in with the invited address.',
  link_invalid: 'This link is not valid any more. Ask for a new one.',
  daemon_offline: 'The host of this organization is not connected. Start it on its machine, then try again.',
  daemon_waking: 'The host is waking up. This takes a few seconds.',
  daemon_timeout: 'The host did not answer in time. Try again.',
  daemon_unreachable: 'The host gave an answer that cannot be passed on. Try again; then look at its log.',
  too_many_vaults: 'The host has as many vaults as it may have. Remove one, or ask whoever runs it for more.',
  tunnel_moved: 'The host is not connected. Try again.',
  database_unavailable:
    'The platform has trouble with its database. Wait a moment, and look whether it was done before you try again.',
  store_unavailable: 'The platform cannot reach its hosts at the moment. Try again in a few seconds.',
  server_busy: 'The server has much to do at the moment. Try again in a few seconds.',
  relay_overloaded: 'Too much is on its way to the hosts at the moment. Try again in a few seconds.',
  operation_in_progress: 'The operation is still running. Repeat it to see its outcome.',
  operation_retryable: 'The operation met a temporary failure. Repeat it.',
  storage_full: 'The storage of this organization is full. Delete something, or ask for more space.',
  code_invalid:
    'This code is not right, or was used already. Wait for the next one, and check the clock of your phone.',
  sign_in_expired: 'This sign-in took too long or had too many wrong codes. Start again.',
  second_factor_required: 'System admins of this platform need two-factor sign-in. Turn it on under Profile.',
  account_not_linked:
    'This address has an account that this provider does not open. Sign in by password or a mailed link.',
  PASSKEY_NOT_FOUND: 'This passkey is not known here. It may have been removed from your account.',
  AUTHENTICATION_FAILED: 'The passkey could not be checked. Try again, or use another way.',
  FAILED_TO_VERIFY_REGISTRATION: 'The passkey could not be added. Try again, or use another device.',
  INVALID_EMAIL_OR_PASSWORD: 'E-mail or password is wrong. Check both, or reset your password.',
  INVALID_PASSWORD: 'The current password is wrong.',
  INVALID_EMAIL: 'This is not a valid e-mail address.',
  PASSWORD_TOO_SHORT: 'The password is too short. Use more characters.',
  PASSWORD_TOO_LONG: 'The password is too long. Use fewer characters.',
  PASSWORD_COMPROMISED: 'This password is known from a data leak. Choose another one.',
  INVALID_TOKEN: 'This link is not valid any more. Ask for a new one.',
  TOKEN_EXPIRED: 'This link is too old. Ask for a new one.',
  SESSION_NOT_FRESH: 'This needs a recent sign-in. Sign in again, then repeat it.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is a member already.',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'This person is invited already. Send the invitation again instead.',
  INVITATION_NOT_FOUND: 'This invitation is not valid any more. Ask the admin to send a new one.',
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
    'This invitation is for another e-mail address. Sign in with the address that was invited.',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION:
    'Verify your e-mail first: open the link in the mail that was sent to you.',
  MEMBER_NOT_FOUND: 'This person is not a member any more. Reload the page.',
  ORGANIZATION_NOT_FOUND: 'This organization does not exist any more.',
}

// The labels of fields in the forms, by their names on the wire.
const fieldNames: Record<string, string> = {
  account: 'The account',
  body: 'The request',
  callbackURL: 'The page to go to',
  currentPassword: 'The current password',
  displayName: 'The vault name',
  email: 'The e-mail address',
  image: 'The image',
  name: 'The name',
  newPassword: 'The new password',
  password: 'The password',
  path: 'The path',
  reason: 'The reason',
  size: 'The size',
  slug: 'The short name',
  vaults: 'The choice',
}

/** A sentence about one field that is not valid. */
function fieldSentence(name: string, problem: string): string {
  if (name === '') return problem
  return `${Object.hasOwn(fieldNames, name) ? fieldNames[name] : name} ${/^(has|is|must|leads|names)\b/.test(problem) ? problem : `is not valid: ${problem}`}`
}

/** The text for a failure. The server's message is used if it is specific, or if the code has no text here. */
export function explain(failure: ApiFailure): string {
  const { code, message } = failure
  const problems = [...fieldProblems(failure)].map(([name, problem]) => fieldSentence(name, problem))
  if (problems.length > 0) return `${problems.join('; ')}.`
  if (!Object.hasOwn(sentences, code)) return message
  const usual = Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code as ErrorCode].message : message
  return message === usual || message === '' || message === code ? (sentences[code] ?? message) : message
}
