import { useState } from 'react'
import type { Organization } from '../answers.ts'
import { api } from '../api.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { CopyBlock } from '../controls/copy.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Empty } from '../controls/status.tsx'
import { agentsApi, type Integration } from './agents-api.ts'
import { ApproveDialog } from './approve-dialog.tsx'
import { IntegrationRow } from './integration-row.tsx'

const REFRESH_MS = 15_000

/** The agents of an organization: what members' programs may do, decided by its admins. */
export function AgentsTab({ organization: { id } }: { organization: Organization }) {
  const integrations = useLiveQuery({
    queryKey: ['integrations', id],
    queryFn: async ({ signal }) => {
      const [found, organizations] = await Promise.all([
        agentsApi.listIntegrations(id, signal),
        // Names of vaults are a help; without them the ids are shown.
        api.listVaults(signal).catch(() => []),
      ])
      const vaults = organizations.find(({ orgId }) => orgId === id)?.vaults ?? []
      return { ...found, vaultNames: new Map(vaults.map((vault) => [vault.id, vault.displayName])) }
    },
    every: () => REFRESH_MS,
  })
  const [approving, setApproving] = useState<Integration>()

  return (
    <Section
      title="Agents"
      note="Programs that work in vaults for a member. Each kind needs your approval once; after that, members connect it themselves."
    >
      <Loaded query={integrations} what="agents">
        {({ integrations: found, endpoint, vaultNames }) => (
          <>
            {found.length === 0 ? (
              <Empty title="No program has asked yet">
                <p>
                  A member adds the address below to a program that speaks MCP and signs in. Its first call makes a
                  request that appears here.
                </p>
              </Empty>
            ) : (
              <ul className="rows">
                {found.map((integration) => (
                  <IntegrationRow
                    key={integration.id}
                    integration={integration}
                    vaultNames={vaultNames}
                    onApprove={() => setApproving(integration)}
                    change={async (state) => {
                      await agentsApi.changeState(id, integration.id, state)
                      await integrations.refetch()
                    }}
                  />
                ))}
              </ul>
            )}
            <CopyBlock text={endpoint} label="Address for programs" />
          </>
        )}
      </Loaded>
      {approving && (
        <ApproveDialog
          integration={approving}
          onConfirm={async (approval) => {
            await agentsApi.approve(id, approving.id, approval)
            await integrations.refetch()
          }}
          onClose={() => setApproving(undefined)}
        />
      )}
    </Section>
  )
}
