import type { UnreadFiles } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { FirstReading } from './first-reading.ts'

const MAX_LISTED = 20

/** The files and folders of a vault that could not be read yet, in the form of the API; undefined if there are none. */
export function unreadFilesOf(vault: Pick<FirstReading, 'unread'>): UnreadFiles | undefined {
  const paths = vault.unread()
  return paths.length === 0 ? undefined : { count: paths.length, paths: paths.slice(0, MAX_LISTED) }
}
