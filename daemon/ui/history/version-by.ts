import type { Revision } from '../api/daemon-client.ts'

/**
 * The author of a version, in words. A first version without a known author is not an edit: the note existed when the
 * vault was created or opened, or another program created it. `all` ends with the first version, or with one that is
 * not shown yet.
 */
export function versionBy({ rev, author }: Pick<Revision, 'rev' | 'author'>, all: readonly Pick<Revision, 'rev'>[]) {
  if (author.id !== 'outside') return author.name
  return rev === all.at(-1)?.rev ? 'As first found' : 'Another program'
}
