import { slugify } from '@svc/shared/wire/slug.ts'
import { useState } from 'react'
import { TextField } from '../controls/field.tsx'

/** Name and short name of a new organization. The short name follows the name until somebody edits it. */
export function NameFields({ problems }: { problems: Map<string, string> }) {
  const [name, setName] = useState('')
  const [ownSlug, setOwnSlug] = useState<string>()
  const suggested = slugify(name)

  return (
    <>
      <TextField
        label="Organization name"
        name="name"
        value={name}
        maxLength={100}
        required
        autoFocus
        autoComplete="organization"
        problem={problems.get('name')}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Short name"
        name="slug"
        value={ownSlug ?? suggested}
        maxLength={40}
        minLength={2}
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
        title="Lower-case letters, digits and single hyphens between them"
        autoComplete="off"
        spellCheck={false}
        problem={problems.get('slug')}
        hint="Stands in addresses: lower-case letters, digits and hyphens."
        onChange={(event) => setOwnSlug(event.target.value.toLowerCase())}
      />
    </>
  )
}
