import { readLinkedHeading, readLinkedPath, type NotePlace } from '@svc/shared/wire/daemon/note-address.ts'

/** The target of an `/enter` address. The address is untrusted: its path is checked, and it has no host. */
export type WantedNote = NotePlace & { organization: string; vault?: string | undefined }

/** Reads the address of the page. The heading is the fragment, or a parameter if a sign-in came in between. */
export function readWantedNote({ search, hash }: Pick<URL, 'search' | 'hash'>): WantedNote {
  const parameters = new URLSearchParams(search)
  return {
    organization: parameters.get('organization') ?? '',
    vault: parameters.get('vault') || undefined,
    path: readLinkedPath(parameters.get('path')),
    heading: readLinkedHeading(parameters.get('heading')) ?? readLinkedHeading(decoded(hash.slice(1))),
  }
}

/** The target as a path of the app, for a sign-in in between, during which a fragment would be lost. */
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
