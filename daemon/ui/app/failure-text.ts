import type { Refusal } from '../api/refusal.ts'

/** What went wrong, in words, and what the person can do about it. */
export type FailureText = { title: string; advice: string }

const texts: Partial<Record<Refusal['code'], FailureText>> = {
  network: {
    title: 'The host does not answer',
    advice: 'Check that svcd is running on this machine, or that you are online. The page reconnects by itself.',
  },
  daemon_offline: {
    title: 'The host is not connected',
    advice: 'The machine that holds this vault is offline. The page continues as soon as it is back.',
  },
  daemon_waking: { title: 'The vault is waking up', advice: 'This takes a few seconds. The page continues by itself.' },
  daemon_unreachable: {
    title: 'The host cannot be reached',
    advice: 'The way to it is interrupted. The page tries again by itself.',
  },
  daemon_timeout: { title: 'The host took too long', advice: 'The page tries again by itself.' },
  relay_overloaded: { title: 'The connection to the host is busy', advice: 'The page tries again by itself.' },
  database_unavailable: { title: 'The platform is interrupted', advice: 'The page tries again by itself.' },
  store_unavailable: { title: 'The platform is interrupted', advice: 'The page tries again by itself.' },
  tunnel_moved: { title: 'The host is not connected', advice: 'Try again in a moment.' },
  too_many_requests: { title: 'Too many requests', advice: 'The page goes on by itself after a pause.' },
  unauthenticated: {
    title: 'Your entry to this vault has ended',
    advice:
      'Open it again; you may have to sign in first. Text that is not saved yet is kept in this browser and offered to you.',
  },
  forbidden: {
    title: 'You may not do this',
    advice: 'Ask an admin of the organization for access, then reload the page.',
  },
  not_found: {
    title: 'There is nothing here',
    advice: 'It may have been moved, renamed or deleted. Look for it in the tree or with the search.',
  },
  storage_full: {
    title: 'The disk is full',
    advice: 'Free some space on the machine that holds the vault, then save again. Your text is kept in this browser.',
  },
  storage_read_only: {
    title: 'The disk cannot be written',
    advice: 'It is mounted read-only. Your text is kept in this browser; save again when the disk takes changes.',
  },
  storage_failed: {
    title: 'The disk failed',
    advice: 'Reload the note to see what is stored. Your text is kept in this browser.',
  },
  too_many_open_files: {
    title: 'The host has too many files open',
    advice: 'Try again in a moment. If it stays, raise the limit of open files of the host.',
  },
  disk_away: {
    title: 'The disk of this folder is away',
    advice: 'The notes are kept. Connect the disk again, then try once more.',
  },
  other_disk: {
    title: 'This lies on another disk',
    advice:
      'It can be read here, but not changed. Change it with another program, or move it to the disk of the vault.',
  },
  file_access_denied: {
    title: 'The host may not use this file',
    advice: 'Give the user that runs the host the permission to read and write it, then try again.',
  },
  vault_closing: {
    title: 'The vault is being closed',
    advice: 'It was moved, or its host stops. Try again in a moment.',
  },
  too_many_vaults: {
    title: 'The host has as many vaults as it may have',
    advice: 'Remove one, or raise SVC_MAX_VAULTS of the host.',
  },
  payload_too_large: { title: 'The note is too large', advice: 'Split it into smaller notes and save again.' },
  internal: {
    title: 'Something went wrong',
    advice: 'Try again. If it stays, give the request id below to whoever runs the host.',
  },
}

/** The text for a failure. A failure without a text of its own shows the daemon's message. */
export function failureText(refusal: Refusal): FailureText {
  return texts[refusal.code] ?? { title: refusal.message, advice: 'Try again, or reload the page.' }
}

/** Why a file was not stored, in a few words: what the daemon says of it, otherwise what went wrong. */
export function reasonOf(refusal: Refusal): string {
  if (refusal.code === 'note_exists') return 'exists already'
  const [problem] = Array.isArray(refusal.details) ? (refusal.details as { message?: string }[]) : []
  return problem?.message ?? failureText(refusal).title
}
