import { errorCatalogue, type ErrorCode } from '../errors.ts'

const STEPS: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Correct the named fields and call again.',
  not_found: 'Check vaultId with list_vaults and the path with list_notes or search_notes.',
  note_exists: 'Change it with edit_note and this baseline, or choose another path.',
  stale_doc: 'If diff leaves your passage as it was, call again with this baseline; else read the note again.',
  match_count: 'Take oldText from a candidate, or add occurrence, before or after; then call again.',
  path_conflict: 'Choose another path.',
  payload_too_large: 'Send or read less in one call.',
  forbidden: 'Do not repeat the call; ask the person for the right.',
  storage_full: 'Do not repeat the call; tell the person that the volume is full.',
  disk_away: 'Do not repeat the call; tell the person that the disk of this folder is not mounted.',
  storage_read_only: 'Do not repeat the call; tell the person that the volume cannot be written.',
}

/** What an agent should do after a failure, in one line. */
export function nextStep(code: ErrorCode): string {
  const { retry } = errorCatalogue[code]
  const step = STEPS[code]
  if (step !== undefined) return step
  if (retry === 'same_request' || retry === 'same_operation') return 'Wait a few seconds and make the same call again.'
  if (retry === 'after_reread') return 'Read again before the next call.'
  return 'Do not repeat the call; tell the person what failed.'
}
