import { useState } from 'react'
import type { HostedCreated } from '../answers.ts'
import { api } from '../api.ts'
import { Link } from '../app/navigation.tsx'
import { useResource } from '../app/resource.ts'
import { pathTo } from '../app/routes.ts'
import { Button } from '../controls/button.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { CreateVaultDialog } from '../vaults/create-vault-dialog.tsx'
import { VaultListing } from '../vaults/vault-listing.tsx'
import { ConditionsList } from './conditions-list.tsx'
import { hostedSteps, isMoving, type Step } from './hosted-steps.ts'

type Props = { organization: HostedCreated['organization'] }

/** A new hosted daemon coming up, step by step; its vaults once it runs. */
export function HostedProgress({ organization }: Props) {
  const { resource, reload } = useResource(
    `progress ${organization.id}`,
    (signal) => api.readHostedStatus(organization.slug, signal),
    { every: (resource) => (resource.state === 'ready' && !isMoving(resource.value) ? 10_000 : 1500) },
  )
  const up = resource.state === 'ready' && ['running', 'sleeping'].includes(resource.value.observedState)

  return (
    <div className="stack-wide">
      <Section title="Hosted daemon">
        <Loaded resource={resource} what="the progress" reload={reload}>
          {(status) => (
            <>
              <ol className="steps" aria-live="polite">
                {hostedSteps(status).map((step) => (
                  <StepLine key={step.name} step={step} />
                ))}
              </ol>
              {status.observedState === 'failed' && (
                <Notice tone="danger" title="The daemon could not be started">
                  <p>The conditions below say why. It is tried again by itself where that can help.</p>
                </Notice>
              )}
              {status.conditions.length > 0 && (
                <details open={status.observedState === 'failed'}>
                  <summary>Details</summary>
                  <ConditionsList conditions={status.conditions} />
                </details>
              )}
            </>
          )}
        </Loaded>
      </Section>
      {up && <FirstVaults organization={organization} />}
    </div>
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
  const { resource, reload } = useResource(
    `first vaults ${organization.id}`,
    async (signal) => (await api.listVaults(signal)).find(({ orgId }) => orgId === organization.id),
    {
      every: (resource) =>
        resource.state === 'ready' && resource.value !== undefined && resource.value.vaults.length > 0 ? 15_000 : 2000,
    },
  )
  return (
    <Section title="Vaults" action={<Button onClick={() => setCreating(true)}>New vault</Button>}>
      <Loaded resource={resource} what="vaults" reload={reload}>
        {(found) => found !== undefined && <VaultListing organization={found} reload={reload} />}
      </Loaded>
      <p>
        <Link to={pathTo.organization(organization.slug, 'members')}>Invite people</Link> or{' '}
        <Link to="/">go to all vaults</Link>.
      </p>
      {creating && <CreateVaultDialog orgId={organization.id} onCreated={reload} onClose={() => setCreating(false)} />}
    </Section>
  )
}
