import { readLinkedHeading, readLinkedPath, type NotePlace } from '@svc/shared/wire/daemon/note-address.ts'

/** The target of an `/enter` address. The address is untrusted: its path is checked, and it has no host. */
export type WantedNote = NotePlace & { organization: string; vault?: string | undefined }

/** Reads the address of the page; the heading is its fragment, or a parameter after a sign-in in between. */
export function readWantedNote({ search, hash }: Pick<URL, 'search' | 'hash'>): WantedNote {
  const parameters = new URLSearchParams(search)
  return {
    organization: parameters.get('organization') ?? '',
    vault: parameters.get('vault') || undefined,
    path: readLinkedPath(parameters.get('path')),
    heading: readLinkedHeading(parameters.get('heading')) ?? readLinkedHeading(decoded(hash.slice(1))),
  }
}

/** The target as one path of the app, for a sign-in in between, which would lose a fragment. */
export function wantedNotePath(wanted: WantedNote): string {
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => !!entry[1])
  return `/enter?${new URLSearchParams(given)}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
