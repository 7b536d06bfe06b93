import { useState } from 'react'
import { Link } from 'react-router'
import type { HostedCreated } from '../answers.ts'
import { api } from '../api.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { Button } from '../controls/button.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { CreateVaultDialog } from '../vaults/create-vault-dialog.tsx'
import { useVaults } from '../vaults/use-vaults.ts'
import { VaultListing } from '../vaults/vault-listing.tsx'
import { ConditionsTable } from './conditions-list.tsx'
import { hostedSteps, isMoving, type Step } from './hosted-steps.ts'

type Props = { organization: HostedCreated['organization'] }

/** The progress of a new hosted daemon, step by step; its vaults once it runs. */
export function HostedProgress({ organization }: Props) {
  const hosted = useLiveQuery({
    queryKey: ['hosted-status', organization.id],
    queryFn: ({ signal }) => api.readHostedStatus(organization.slug, signal),
    every: (known) => (known !== undefined && !isMoving(known) ? 2000 : 1500),
  })
  const up = hosted.data !== undefined && ['running', 'sleeping'].includes(hosted.data.observedState)

  const [title, note] = up
    ? [`${organization.name} is ready`, 'Open a vault, or invite the people it is for.']
    : [`Setting up ${organization.name}`, 'This takes about a minute. You may leave; it goes on without you.']

  return (
    <Page title={title} note={note}>
      <div className="stack-wide">
        <Section title="Host">
          <Loaded query={hosted} what="the progress">
            {(status) => (
              <>
                <ol className="steps" aria-live="polite">
                  {hostedSteps(status).map((step) => (
                    <StepLine key={step.name} step={step} />
                  ))}
                </ol>
                {status.observedState === 'failed' && (
                  <Notice tone="danger" title="The host could not be started">
                    <p>The conditions below say why. It is tried again by itself where that can help.</p>
                  </Notice>
                )}
                {status.conditions.length > 0 && (
                  <details open={status.observedState === 'failed'}>
                    <summary>Details</summary>
                    <ConditionsTable conditions={status.conditions} />
                  </details>
                )}
              </>
            )}
          </Loaded>
        </Section>
        {up && <FirstVaults organization={organization} />}
      </div>
    </Page>
  )
}

const stepWords = { done: 'done', now: 'in progress', waiting: 'not yet', failed: 'failed' }

function StepLine({ step: { name, state } }: { step: Step }) {
  return (
    <li className={`step step-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="step-mark" aria-hidden="true" />
      {name}
      <span className="visually-hidden">: {stepWords[state]}</span>
    </li>
  )
}

function FirstVaults({ organization }: Props) {
  const [creating, setCreating] = useState(false)
  const vaults = useVaults()
  const reload = () => void vaults.refetch()
  return (
    <Section title="Vaults" action={<Button onClick={() => setCreating(true)}>New vault</Button>}>
      <Loaded query={vaults} what="vaults">
        {(found) =>
          found
            .filter(({ orgId }) => orgId === organization.id)
            .map((own) => <VaultListing key={own.orgId} organization={own} reload={reload} />)
        }
      </Loaded>
      <p>
        <Link to={pathTo.organization(organization.slug, 'members')}>Invite people</Link> or{' '}
        <Link to="/">go to all vaults</Link>.
      </p>
      {creating && <CreateVaultDialog orgId={organization.id} onCreated={reload} onClose={() => setCreating(false)} />}
    </Section>
  )
}
