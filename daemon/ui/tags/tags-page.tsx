import '../styles/tags.css'
import { useEffect, useMemo, useState } from 'react'
import { useLoaded } from '../api/use-loaded.ts'
import { useUntilWhole } from '../api/use-until-whole.ts'
import { counted } from '../app/counted.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { FindField } from '../search/find-field.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { tagQuery } from './tag-query.ts'
import { branchesWith, firstOf, sizeOf, tagTree, type TagBranch, type TagCount } from './tag-tree.ts'

const SHOWN_AT_ONCE = 400

/** All tags of the vault as a tree; each opens the search for its notes. */
export default function TagsPage() {
  const { client } = useServices()
  const { vault, tree: files } = useVault()
  const [wanted, setWanted] = useState('')
  const [most, setMost] = useState(SHOWN_AT_ONCE)
  const [loaded, reload] = useLoaded(`tags ${vault.id}`, async (signal) => {
    const tags: TagCount[] = []
    let partial = false
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await client.readTags(vault.id, cursor, signal)
      tags.push(...page.tags)
      partial ||= page.partial
      cursor = page.nextCursor
    }
    return { tags, partial }
  })
  useEffect(() => {
    document.title = `Tags · ${vault.displayName}`
  }, [vault.displayName])
  // The tree of files changes with the vault, so read the tags again when it does.
  useEffect(reload, [files, reload])
  useUntilWhole(loaded.state === 'ready' ? loaded.value : undefined, reload)

  const all = useMemo(() => (loaded.state === 'ready' ? tagTree(loaded.value.tags) : []), [loaded])
  const found = useMemo(() => (wanted.trim() === '' ? all : branchesWith(all, wanted.trim())), [all, wanted])
  const shown = firstOf(found, most)
  const left = sizeOf(found) - sizeOf(shown)

  return (
    <div className="note-scroll">
      <div className="tags-page">
        <h1>Tags</h1>
        {loaded.state === 'loading' && <p className="quiet">Reading…</p>}
        {loaded.state === 'refused' && (
          <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
        )}
        {loaded.state === 'ready' && all.length === 0 && !loaded.value.partial && (
          <p className="quiet">No note has a tag yet. Write one like this: #plan or #work/plan.</p>
        )}
        {all.length > 0 && (
          <>
            <p className="quiet" role="status">
              {counted(sizeOf(found), 'tag')}
              {wanted.trim() !== '' && ` with “${wanted.trim()}”`}
            </p>
            <FindField className="tags-find" label="Find a tag" hint="Find a tag" value={wanted} onChange={setWanted} />
            <Branches of={shown} label="Tags" />
            {left > 0 && (
              <button type="button" className="button" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
                Show more ({left.toLocaleString()})
              </button>
            )}
          </>
        )}
        {loaded.state === 'ready' && loaded.value.partial && (
          <p className="quiet">Not every note has been looked at yet. This page reads the tags again by itself.</p>
        )}
      </div>
    </div>
  )
}

function Branches({ of: branches, label }: { of: readonly TagBranch[]; label?: string }) {
  const { searchFor } = useVault()
  return (
    <ul className="plain-list tag-branches" aria-label={label}>
      {branches.map(({ name, tag, count, below }) => (
        <li key={tag}>
          <button
            type="button"
            className="tag"
            aria-label={`Search for the tag ${tag}`}
            onClick={() => searchFor(tagQuery(tag))}
          >
            #{name}
          </button>{' '}
          {count !== undefined && <span className="quiet">{counted(count, 'note')}</span>}
          {below.length > 0 && <Branches of={below} />}
        </li>
      ))}
    </ul>
  )
}
