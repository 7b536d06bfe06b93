import { useState } from 'react'
import type { Organization } from '../answers.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { useVaults } from '../vaults/use-vaults.ts'
import { CopyBlock } from '../controls/copy.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Empty } from '../controls/status.tsx'
import { agentsApi, type Integration } from './agents-api.ts'
import { ApproveDialog } from './approve-dialog.tsx'
import { IntegrationRow } from './integration-row.tsx'

/** The agents of an organization: admins decide what the programs of members may do. */
export function AgentsTab({ organization: { id } }: { organization: Organization }) {
  const integrations = useLiveQuery({
    queryKey: ['integrations', id],
    queryFn: ({ signal }) => agentsApi.listIntegrations(id, signal),
    every: () => 2000,
    isWatched: () => true,
  })
  // Without the names of the vaults, their ids are shown.
  const vaults = useVaults().data?.find(({ orgId }) => orgId === id)?.vaults ?? []
  const vaultNames = new Map(vaults.map((vault) => [vault.id, vault.displayName]))
  const [approving, setApproving] = useState<Integration>()

  return (
    <Section
      title="Agents"
      note="Programs that work in vaults for a member. Each kind needs your approval once; after that, members connect it themselves."
    >
      <Loaded query={integrations} what="agents">
        {({ integrations: found, endpoint }) => (
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
