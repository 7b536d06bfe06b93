import { useState, type FormEvent } from 'react'
import type { Organization, Role } from '../answers.ts'
import { api } from '../api.ts'
import { fieldProblems } from '../api-failure.ts'
import { useSession } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { SelectField, TextField } from '../controls/field.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { InvitationRow } from './invitation-row.tsx'
import { roleNames } from './membership.ts'

/** Invites people by e-mail and lists the pending invitations. */
export function InvitationsSection({ organization }: { organization: Organization }) {
  const { refresh, config } = useSession()
  const { pending, failure, submit, forget } = useSubmit()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [sentTo, setSentTo] = useState<string>()
  const problem = failure && (fieldProblems(failure).get('email') ?? undefined)
  const invitations = organization.invitations ?? []

  const invite = async (event: FormEvent) => {
    event.preventDefault()
    setSentTo(undefined)
    const sent = await submit(async () => {
      await api.inviteMember({ organizationId: organization.id, email: email.trim(), role })
      await refresh()
    })
    if (!sent) return
    setSentTo(email.trim())
    setEmail('')
    setRole('member')
  }

  return (
    <Section title="Invitations" note="Invited people get a mail with a link; it works for seven days.">
      <form className="inline-form" onSubmit={invite}>
        <TextField
          label="E-mail"
          type="email"
          required
          autoComplete="off"
          value={email}
          problem={problem}
          onChange={(event) => {
            setEmail(event.target.value)
            forget()
          }}
        />
        <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          <option value="member">{roleNames.member}</option>
          <option value="admin">{roleNames.admin}</option>
        </SelectField>
        <Button type="submit" look="primary" pending={pending}>
          Invite
        </Button>
      </form>
      {problem === undefined && <FailureNotice failure={failure} />}
      {sentTo !== undefined && (
        <Notice tone="good">
          <p>
            {sentTo} is invited.{' '}
            {config.outboxUrl !== undefined && (
              <>
                The mail is in the <a href={config.outboxUrl}>outbox</a>.
              </>
            )}
          </p>
        </Notice>
      )}
      {invitations.length > 0 && (
        <ul className="rows">
          {invitations.map((invitation) => (
            <InvitationRow key={invitation.id} {...{ organization, invitation }} />
          ))}
        </ul>
      )}
    </Section>
  )
}
