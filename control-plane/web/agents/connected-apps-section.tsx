import { useState } from 'react'
import { useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Button } from '../controls/button.tsx'
import { CopyBlock } from '../controls/copy.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Badge, Empty, Status } from '../controls/status.tsx'
import { Time } from '../controls/time.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import { useVaults } from '../vaults/use-vaults.ts'
import { AgentMark } from './agent-mark.tsx'
import { agentsApi, type ConnectedApp } from './agents-api.ts'
import { accessNames, countWords } from './agent-words.ts'

/** The programs that a person connected. Each can be paused and disconnected. */
export function ConnectedAppsSection() {
  const connected = useLiveQuery({
    queryKey: ['apps'],
    queryFn: ({ signal }) => agentsApi.listApps(signal),
    every: () => 2000,
  })
  const [ending, setEnding] = useState<ConnectedApp>()
  return (
    <Section title="Connected programs" note="Programs that may work in vaults in your name.">
      <Loaded query={connected} what="connected programs">
        {({ apps, endpoint }) => (
          <>
            {apps.length === 0 ? (
              <Empty title="No program is connected">
                <p>Add this address to a program that speaks MCP. It opens this app and asks you.</p>
              </Empty>
            ) : (
              <ul className="rows">
                {apps.map((app) => (
                  <AppRow
                    key={app.id}
                    app={app}
                    onPause={async () => {
                      await agentsApi.pause(app.id, !app.paused)
                      await connected.refetch()
                    }}
                    onEnd={() => setEnding(app)}
                  />
                ))}
              </ul>
            )}
            <CopyBlock text={endpoint} label="Address for programs" />
          </>
        )}
      </Loaded>
      {ending && (
        <ConfirmDialog
          title={`Disconnect ${ending.name}?`}
          confirm="Disconnect"
          look="danger"
          onConfirm={async () => {
            await agentsApi.disconnect(ending.id)
            await connected.refetch()
          }}
          onClose={() => setEnding(undefined)}
        >
          <p>It loses access at once. What it wrote stays.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

type RowProps = { app: ConnectedApp; onPause: () => Promise<void>; onEnd: () => void }

function AppRow({ app, onPause, onEnd }: RowProps) {
  const { organizations } = useSettings()
  const { data: listed = [] } = useVaults()
  const { pending, failure, submit } = useSubmit()
  const places = organizations.flatMap(({ id, name }) => {
    const chosen = app.vaults.filter(({ orgId }) => orgId === id)
    if (chosen.length === 0) return []
    if (chosen.some(({ vaultId }) => vaultId === null)) return [`all vaults of ${name}`]
    const vaults = listed.find(({ orgId }) => orgId === id)?.vaults ?? []
    return chosen.map(
      ({ vaultId }) => `${vaults.find((vault) => vault.id === vaultId)?.displayName ?? vaultId} (${name})`,
    )
  })
  return (
    <li className="row">
      <div className="row-line">
        <AgentMark name={app.name} />
        <div className="row-who">
          <span>
            {app.name} <Badge>{accessNames[app.access]}</Badge> {app.paused && <Status tone="idle">Paused</Status>}
          </span>
          <small>
            {app.host ?? 'a program on a computer'} · {places.length === 0 ? 'no vault' : places.join(', ')} ·{' '}
            {app.lastUsedAt === null ? 'never used' : <Time at={app.lastUsedAt} />} · {countWords(app)} · until{' '}
            {new Date(app.expiresAt).toLocaleDateString()}
          </small>
        </div>
        <Button
          size="small"
          pending={pending}
          aria-label={`${app.paused ? 'Resume' : 'Pause'} ${app.name}`}
          onClick={() => void submit(onPause)}
        >
          {app.paused ? 'Resume' : 'Pause'}
        </Button>
        <Button size="small" aria-label={`Disconnect ${app.name}`} onClick={onEnd}>
          Disconnect
        </Button>
      </div>
      <FailureNotice failure={failure} />
    </li>
  )
}
