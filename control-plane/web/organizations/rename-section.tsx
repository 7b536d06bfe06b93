import { useState } from 'react'
import type { Organization } from '../answers.ts'
import { AccountForm } from '../account/account-form.tsx'
import { api } from '../api.ts'
import { useSession } from '../app/session.tsx'
import { Facts } from '../controls/facts.tsx'
import { TextField } from '../controls/field.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'

/**
 * Changes the name of the organization. Short name and id never change, because addresses and daemons depend on them.
 */
export function RenameSection({ organization }: { organization: Organization }) {
  const { refresh } = useSession()
  const [renamed, setRenamed] = useState(false)

  return (
    <Section title="General">
      <Facts
        facts={[
          ['Short name', <code key="slug">{organization.slug}</code>],
          ['Id', <code key="id">{organization.id}</code>],
        ]}
      />
      <AccountForm
        submit="Save name"
        onSubmit={async ({ name = '' }) => {
          setRenamed(false)
          await api.renameOrganization(organization.id, name.trim())
          await refresh()
          setRenamed(true)
        }}
      >
        {(problems) => (
          <>
            <TextField
              label="Organization name"
              name="name"
              defaultValue={organization.name}
              maxLength={100}
              required
              problem={problems.get('name')}
            />
            {renamed && (
              <Notice tone="good">
                <p>The name is saved.</p>
              </Notice>
            )}
          </>
        )}
      </AccountForm>
    </Section>
  )
}
