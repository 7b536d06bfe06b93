import { readLinkedHeading, readLinkedPath, type NotePlace } from '@svc/shared/wire/daemon/note-address.ts'

/** What an address of `/enter` asks for. Anybody may have written it: the path is checked, and there is no host in it. */
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

/** The same as one path of the app, which a sign-in carries along; it would lose a fragment. */
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
