import { REVISIONS_SHOWN, type Revision } from '../api/daemon-client.ts'

/**
 * The author of a version, in words. A first version without a known author is not an edit: the note existed when the
 * vault was created or opened, or another program created it.
 */
export function versionBy({ rev, author }: Pick<Revision, 'rev' | 'author'>, all: readonly Pick<Revision, 'rev'>[]) {
  if (author.id !== 'outside') return author.name
  const isFirst = all.length < REVISIONS_SHOWN && rev === all.at(-1)?.rev
  return isFirst ? 'As first found' : 'Another program'
}
