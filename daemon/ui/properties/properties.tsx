import type { Note } from '../api/daemon-client.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { isTags, listedTags, tagQuery } from '../tags/tag-query.ts'
import { useVault } from '../vaults/vault-context.ts'
import { PropertyLink } from './linked-property.tsx'

/** A note's properties as the daemon read them; front matter that is not a YAML mapping is shown as text. */
export function Properties({ note }: { note: Note }) {
  const entries = Object.entries(note.properties)
  const { yaml } = splitFrontMatter(note.content)
  if (entries.length === 0 && (yaml ?? '').trim() === '') return <p className="quiet">No properties</p>
  if (entries.length === 0)
    return (
      <>
        <p className="field-error">These lines cannot be read as properties:</p>
        <pre className="raw-properties">{yaml}</pre>
      </>
    )
  return (
    <dl className="properties">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value name={name} value={listedTags(name, value)} from={note.path} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ name, value, from }: { name: string; value: unknown; from: string }) {
  const { searchFor } = useVault()
  if (Array.isArray(value))
    return (
      <ul className="property-list">
        {value.map((item, at) => (
          // eslint-disable-next-line react/no-array-index-key
          <li key={at}>
            <Value name={name} value={item} from={from} />
          </li>
        ))}
      </ul>
    )
  if (value === null || value === undefined || value === '') return <span className="quiet">empty</span>
  if (typeof value === 'boolean') return <span>{value ? 'yes' : 'no'}</span>
  if (typeof value === 'object') return <code>{JSON.stringify(value)}</code>
  const text = String(value)
  if (isTags(name))
    return (
      <button type="button" className="tag" onClick={() => searchFor(tagQuery(text.replace(/^#/, '')))}>
        #{text.replace(/^#/, '')}
      </button>
    )
  return <PropertyLink text={text} from={from} />
}
