/** What a caller does after a failure: nothing, repeat the request, read again first, or repeat the operation. */
export type Retry = 'never' | 'same_request' | 'after_reread' | 'same_operation' | 'new_operation'

type Entry = { status: number; retry: Retry; message: string }

const entry = (status: number, retry: Retry, message: string): Entry => ({ status, retry, message })

/** Every failure that the platform returns. Codes are never renamed; docs/ERRORS.md is tested against this table. */
export const errorCatalogue = {
  invalid_request: entry(400, 'never', 'The request is not valid.'),
  confirmation_mismatch: entry(400, 'never', 'The confirmation does not match exactly.'),
  unauthenticated: entry(401, 'never', 'Sign in first.'),
  forbidden: entry(403, 'never', 'You may not do this.'),
  fresh_sign_in_required: entry(403, 'never', 'This needs a sign-in of the last ten minutes. Sign in again.'),
  second_factor_required: entry(
    403,
    'never',
    'System admins of this platform need two-factor sign-in. Turn it on under Profile.',
  ),
  code_invalid: entry(403, 'never', 'This code is not right, or was used already.'),
  sign_in_expired: entry(403, 'never', 'This sign-in took too long or had too many wrong codes. Start again.'),
  integration_not_approved: entry(
    403,
    'never',
    'An admin of this organization has not approved this program. The request was sent to the admins; ask one to approve it under Agents.',
  ),
  file_access_denied: entry(403, 'never', 'The daemon has no permission to read or write this file.'),
  not_found: entry(404, 'never', 'There is nothing here, or nothing that you may see.'),
  method_not_allowed: entry(405, 'never', 'This address does not take that method.'),
  not_acceptable: entry(406, 'never', 'None of the accepted content types can be answered.'),
  request_timeout: entry(408, 'same_request', 'The body of the request came too slowly.'),
  not_hosted_daemon: entry(409, 'never', 'This organization runs its own daemon.'),
  not_self_hosted_daemon: entry(409, 'never', 'This organization does not run its own daemon.'),
  domain_conflict: entry(409, 'never', 'Another organization already admits this domain.'),
  slug_taken: entry(409, 'never', 'This short name is taken.'),
  vault_exists: entry(409, 'never', 'A vault with this short name exists.'),
  note_exists: entry(409, 'after_reread', 'A note with this path exists.'),
  path_conflict: entry(409, 'never', 'A file or folder has the same name but for case or normal form.'),
  too_many_vaults: entry(
    409,
    'never',
    'The daemon has as many vaults as it may have. Remove one, or raise SVC_MAX_VAULTS.',
  ),
  organization_has_payment_history: entry(409, 'never', 'An organization with payment history cannot be deleted.'),
  organization_busy: entry(409, 'same_request', 'Another operation of this organization is running.'),
  stale_doc: entry(409, 'after_reread', 'The note has changed since it was read. Read it again and retry.'),
  match_count: entry(409, 'after_reread', 'The anchor does not match exactly once. Add context or give an occurrence.'),
  operation_in_progress: entry(409, 'same_operation', 'The operation is running. Retry with the same operationId.'),
  claim_not_recoverable: entry(409, 'never', 'This operation cannot be released now.'),
  audit_broken: entry(409, 'never', 'The audit does not verify.'),
  rollout_conflict: entry(409, 'never', 'The state of the rollouts does not allow this.'),
  last_admin: entry(409, 'never', 'An organization keeps at least one admin.'),
  invitation_invalid: entry(409, 'never', 'This invitation is not valid any more, or is for another address.'),
  link_invalid: entry(409, 'never', 'This link is not valid any more. Ask for a new one.'),
  daemon_instance_conflict: entry(409, 'never', 'Another daemon is already bound to this key.'),
  other_disk: entry(
    409,
    'never',
    'This lies on another disk than its vault. The daemon reads it there, but cannot change it.',
  ),
  payload_too_large: entry(413, 'never', 'The body is too large.'),
  unsupported_media_type: entry(415, 'never', 'This content type is not accepted here.'),
  range_not_satisfiable: entry(416, 'never', 'The requested range lies outside the file.'),
  misdirected_request: entry(421, 'never', 'This host name is not served here.'),
  operation_conflict: entry(422, 'new_operation', 'This operationId was used with other parameters.'),
  operation_failed: entry(422, 'new_operation', 'The operation failed for good. Use a new operationId.'),
  backup_broken: entry(422, 'never', 'This backup is damaged, or sealed with another key. Restore another one.'),
  image_not_allowed: entry(422, 'never', 'The image is not in the allowed repository.'),
  image_not_found: entry(422, 'never', 'The registry has no such image. Name one that has been pushed.'),
  too_many_requests: entry(429, 'same_request', 'Too many requests. Wait and retry.'),
  headers_too_large: entry(431, 'never', 'The headers of the request are too large.'),
  storage_failed: entry(500, 'after_reread', 'The volume failed to read or write. Read again before you retry.'),
  internal: entry(500, 'never', 'Something went wrong here. The request id helps to find it.'),
  daemon_unreachable: entry(502, 'same_request', 'The daemon answered in a way that cannot be passed on.'),
  registry_refused: entry(
    502,
    'never',
    'The image registry does not tell the digest of this tag. Give the control plane access to it, or name the digest.',
  ),
  registry_unavailable: entry(
    503,
    'same_request',
    'The image registry could not be asked. Try again later, or name the image by its digest.',
  ),
  backup_store_refused: entry(
    502,
    'never',
    'The backup storage refuses access. Check bucket, access key and its rights in the configuration of the platform.',
  ),
  backup_store_unavailable: entry(503, 'same_request', 'The backup storage could not be reached. Try again later.'),
  daemon_offline: entry(503, 'same_request', 'The daemon of this organization is not connected.'),
  daemon_waking: entry(503, 'same_request', 'The daemon of this organization is waking up.'),
  too_many_open_files: entry(
    503,
    'same_request',
    'The daemon has as many files open as its system allows. Wait and retry, or raise that limit.',
  ),
  vault_closing: entry(
    503,
    'same_request',
    'The vault is being closed, for it was moved or the daemon stops. Try again.',
  ),
  database_unavailable: entry(
    503,
    'after_reread',
    'The database of the platform does not answer at the moment. Wait, and look whether it was done before you retry.',
  ),
  store_unavailable: entry(
    503,
    'same_request',
    'The platform cannot reach the hosts that it runs at the moment. Wait and retry.',
  ),
  server_busy: entry(503, 'same_request', 'The server has too much to do at the moment. Wait and retry.'),
  disk_away: entry(
    503,
    'same_request',
    'The disk of this folder is not mounted. Nothing is lost; retry when the disk is back.',
  ),
  tunnel_moved: entry(503, 'same_request', 'The daemon is not connected here any more.'),
  relay_overloaded: entry(503, 'same_request', 'The relay has no room for this request now.'),
  operation_retryable: entry(
    503,
    'same_operation',
    'The operation met a temporary failure. Retry the same operationId.',
  ),
  daemon_timeout: entry(504, 'same_request', 'The daemon did not answer in time.'),
  storage_full: entry(507, 'never', 'The volume is full.'),
  backup_store_full: entry(507, 'never', 'The backup storage is full. Make room in the bucket, or keep fewer backups.'),
  storage_read_only: entry(507, 'never', 'The volume cannot be written.'),
  stream_reset: entry(499, 'same_request', 'The stream was reset by the other side.'),
} as const satisfies Record<string, Entry>

/** A code of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue

/** All codes, for schemas and tests. */
export const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]

/** One bad field of an `invalid_request`: a dotted path and what is wrong there. */
export type FieldProblem = { path: string; message: string }

export type ErrorOptions = { message?: string; retryAfterSeconds?: number; cause?: unknown }

/** An expected failure. Anything else that is thrown is a bug and is returned as `internal`. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, details?: unknown, { message, retryAfterSeconds, cause }: ErrorOptions = {}) {
    super(message ?? errorCatalogue[code].message, cause === undefined ? undefined : { cause })
    this.name = 'ServiceError'
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }

  get retry(): Retry {
    return errorCatalogue[this.code].retry
  }
}

/**
 * Creates the failure to throw: `throw fail('not_found')`. `details` reaches the caller, so it must contain nothing
 * secret.
 */
export function fail(code: ErrorCode, details?: unknown, options?: ErrorOptions): ServiceError {
  return new ServiceError(code, details, options)
}

/** True for an expected failure, optionally of one code; false for a bug. */
export function isFailure(error: unknown, code?: ErrorCode): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code)
}
