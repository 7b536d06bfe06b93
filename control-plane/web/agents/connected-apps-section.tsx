import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSettings } from '../app/session.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Button } from '../controls/button.tsx'
import { CopyBlock } from '../controls/copy.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Badge, Empty } from '../controls/status.tsx'
import { Time } from '../controls/time.tsx'
import { AgentMark } from './agent-mark.tsx'
import { agentsApi, type ConnectedApp } from './agents-api.ts'
import { accessNames, countWords } from './agent-words.ts'

/** The programs that a person connected, and the end of each. */
export function ConnectedAppsSection() {
  const connected = useQuery({ queryKey: ['apps'], queryFn: ({ signal }) => agentsApi.listApps(signal) })
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
                  <AppRow key={app.id} app={app} onEnd={() => setEnding(app)} />
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

function AppRow({ app, onEnd }: { app: ConnectedApp; onEnd: () => void }) {
  const { organizations } = useSettings()
  const names = [...new Set(app.vaults.map(({ orgId }) => organizations.find(({ id }) => id === orgId)?.name))]
  return (
    <li className="row">
      <div className="row-line">
        <AgentMark name={app.name} />
        <div className="row-who">
          <span>
            {app.name} <Badge>{accessNames[app.access]}</Badge>
          </span>
          <small>
            {app.host ?? 'a program on a computer'} · {names.filter(Boolean).join(', ')} ·{' '}
            {app.lastUsedAt === null ? 'never used' : <Time at={app.lastUsedAt} />} · {countWords(app)}
          </small>
        </div>
        <Button size="small" aria-label={`Disconnect ${app.name}`} onClick={onEnd}>
          Disconnect
        </Button>
      </div>
    </li>
  )
}
