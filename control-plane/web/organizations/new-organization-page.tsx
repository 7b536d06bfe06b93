import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { AccountForm } from '../account/account-form.tsx'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { NameFields } from './name-fields.tsx'

type Props = {
  title: string
  note: string
  onCreate: (names: { name: string; slug?: string }, values: Record<string, string>) => Promise<void>
  /** Fields besides the names. */
  renderMore?: (problems: Map<string, string>) => ReactNode
}

/** The form for a new organization, whoever runs its daemon. */
export function NewOrganizationPage({ title, note, onCreate, renderMore }: Props) {
  return (
    <Page
      title={title}
      above={
        <Link to={pathTo.newOrganization('choose')} className="back-link">
          New organization
        </Link>
      }
      note={note}
    >
      <div className="card narrow">
        <AccountForm
          submit="Create organization"
          onSubmit={(values) => {
            const { name = '', slug = '' } = values
            return onCreate({ name: name.trim(), ...(slug === '' ? {} : { slug }) }, values)
          }}
        >
          {(problems) => (
            <>
              <NameFields problems={problems} />
              {renderMore?.(problems)}
            </>
          )}
        </AccountForm>
      </div>
    </Page>
  )
}
