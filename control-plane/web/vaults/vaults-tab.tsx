import { useState } from 'react'
import type { Organization } from '../answers.ts'
import { Button } from '../controls/button.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Status } from '../controls/status.tsx'
import { CreateVaultDialog } from './create-vault-dialog.tsx'
import { VaultListing } from './vault-listing.tsx'
import { useVaults } from './use-vaults.ts'
import { describeState } from './vault-states.ts'

/** The vaults of one organization. */
export function VaultsTab({ organization }: { organization: Organization }) {
  const [creating, setCreating] = useState(false)
  const vaults = useVaults()
  const reload = () => void vaults.refetch()

  return (
    <Loaded query={vaults} what="vaults">
      {(found) =>
        found
          .filter(({ orgId }) => orgId === organization.id)
          .map((group) => {
            const { tone, word } = describeState(group)
            return (
              <Section
                key={group.orgId}
                title="Vaults"
                note={<Status tone={tone}>{word}</Status>}
                action={
                  organization.daemonMode === 'cloud_hosted' && (
                    <Button look="primary" onClick={() => setCreating(true)}>
                      New vault
                    </Button>
                  )
                }
              >
                <VaultListing organization={group} reload={reload} />
                {creating && (
                  <CreateVaultDialog orgId={organization.id} onCreated={reload} onClose={() => setCreating(false)} />
                )}
              </Section>
            )
          })
      }
    </Loaded>
  )
}
