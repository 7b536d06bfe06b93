import '../styles/properties.css'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { useMemo, useState, type FormEvent } from 'react'
import { Icon } from '../app/icon.tsx'
import { useServices } from '../app/services.ts'
import { localDay } from '../app/when.ts'
import type { NoteSession } from '../saving/note-session.ts'
import { isTags } from '../tags/tag-query.ts'
import { useVault } from '../vaults/vault-context.ts'
import { changeProperties, firstValue, nameProblem, type PropertyChange } from './change-properties.ts'
import { propertyFields, type Field, type FieldKind } from './property-fields.ts'
import { PropertyName, PropertyValue } from './property-value.tsx'

type Props = { session: NoteSession; text: string; path: string; onDone: () => void }

const kinds: readonly { kind: FieldKind; name: string }[] = [
  { kind: 'text', name: 'Text' },
  { kind: 'list', name: 'List' },
  { kind: 'number', name: 'Number' },
  { kind: 'checkbox', name: 'Checkbox' },
  { kind: 'date', name: 'Date' },
  { kind: 'time', name: 'Date and time' },
]

/** The properties of a note as fields. Each change goes into the live text, like everything that is typed. */
export default function EditProperties({ session, text, path, onDone }: Props) {
  const { open, setMode } = useVault()
  const { client } = useServices()
  const read = useMemo(() => propertyFields(text), [text])
  const [problem, setProblem] = useState<string>()

  const change = (wish: PropertyChange) => {
    setProblem(undefined)
    const put = (now: string) => {
      try {
        return changeProperties(now, wish)
      } catch {
        setProblem(`“${wish.name}” could not be changed here. Change it in the text.`)
        return now
      }
    }
    const fail = (why: string) => setProblem(`“${wish.name}” could not be changed: ${why}.`)
    // Without the host, or after an update of it, the code that changes a note cannot be loaded.
    session.change(put).catch(() =>
      client.probe().then(
        () => fail('a part of this page could not be loaded'),
        () => fail('the host cannot be reached'),
      ),
    )
  }
  const asText = (line: number) => {
    setMode('source')
    open(path, { line })
  }

  if (read.kind === 'unreadable')
    return (
      <>
        <p className="field-error">These lines cannot be edited as fields:</p>
        <pre className="raw-properties">{read.source}</pre>
        <button type="button" className="button small" onClick={() => asText(read.line)}>
          Edit as text
        </button>
      </>
    )
  const names = read.fields.map(({ name }) => name)
  return (
    <div className="edit-properties">
      {read.fields.map((field) => (
        <Row key={field.name} field={field} names={names} onChange={change} onProblem={setProblem} onAsText={asText} />
      ))}
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <AddProperty names={names} onAdd={change} onProblem={setProblem} />
      <button type="button" className="button small" onClick={onDone}>
        Done
      </button>
    </div>
  )
}

type RowProps = {
  field: Field
  names: readonly string[]
  onChange: (change: PropertyChange) => void
  onProblem: (problem: string | undefined) => void
  onAsText: (line: number) => void
}

function Row({ field, names, onChange, onProblem, onAsText }: RowProps) {
  const { name } = field
  const rename = (typed: string): boolean => {
    const problem = nameProblem(typed, names)
    onProblem(problem)
    if (problem === undefined) onChange({ name, rename: typed })
    return problem === undefined
  }
  return (
    <div className="property-row" role="group" aria-label={name}>
      <PropertyName name={name} onRename={rename} />
      <button
        type="button"
        className="property-remove"
        aria-label={`Remove ${name}`}
        onClick={() => onChange({ name, remove: true })}
      >
        <Icon name="close" />
      </button>
      {field.kind === 'fixed' ? (
        <div className="property-fixed">
          <pre className="raw-properties">{field.source}</pre>
          <button type="button" className="link-button" onClick={() => onAsText(field.line)}>
            Edit as text
          </button>
        </div>
      ) : (
        <PropertyValue
          key={field.kind}
          field={field}
          onValue={(value) => onChange({ name, value })}
          onItem={(item) => onChange({ name, ...item })}
          onProblem={onProblem}
        />
      )}
    </div>
  )
}

type AddProps = Pick<RowProps, 'names' | 'onProblem'> & { onAdd: RowProps['onChange'] }

function AddProperty({ names, onAdd, onProblem }: AddProps) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<FieldKind>('text')
  const add = (event: FormEvent) => {
    event.preventDefault()
    const typed = name.trim()
    const problem = nameProblem(typed, names)
    onProblem(problem)
    if (problem !== undefined) return
    const asList = isTags(typed) ? 'tags' : kind
    onAdd({ name: typed, first: firstValue(asList, localDay(systemClock.now())) })
    setName('')
  }
  return (
    <form className="property-add" onSubmit={add}>
      <input
        aria-label="Name of a new property"
        placeholder="New property"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <select
        aria-label="Kind of the new property"
        value={kind}
        onChange={(event) => setKind(event.target.value as FieldKind)}
      >
        {kinds.map((one) => (
          <option key={one.kind} value={one.kind}>
            {one.name}
          </option>
        ))}
      </select>
      <button type="submit" className="button small">
        Add
      </button>
    </form>
  )
}
