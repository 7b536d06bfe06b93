import '../styles/ledger.css'
import '../styles/agents.css'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { useEffect, useState } from 'react'
import type { AgentChanges, AuditEntry } from '../api/agent-calls.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { counted } from '../app/counted.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { ago } from '../app/when.ts'
import UndoDialog, { type UndoneAgent } from '../authors/undo-dialog.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { agentsOf, justBefore, undoOffer, type AgentWork } from './agents-of.ts'

const SHOWN = 200
const nothingRead: AgentChanges = { entries: [], isWhole: true }

/** The activity of agents in this vault: for whom, how much, and each change with links to view it and to undo it. */
export default function AgentsPage() {
  const { client } = useServices()
  const { vault } = useVault()
  const [loaded, reload] = useLoaded(`agents ${vault.id}`, (signal) => client.readAgentChanges(vault.id, signal))
  const [wish, undo] = useState<{ agent: UndoneAgent; since: string; path?: string }>()
  useEffect(() => {
    document.title = `Agents · ${vault.displayName}`
  }, [vault.displayName])
  const { entries, isWhole } = loaded.state === 'ready' ? loaded.value : nothingRead
  const agents = agentsOf(entries)
  const changes = agents.flatMap((agent) => agent.changes).toSorted((one, other) => (one.at < other.at ? 1 : -1))

  return (
    <div className="note-scroll">
      <div className="ledger">
        <h1>Agents</h1>
        <p className="quiet">
          Programs that work in this vault for somebody. What they change is hatched in the margin, names its person,
          and can be undone.
        </p>
        {loaded.state === 'loading' && <p className="quiet">Reading…</p>}
        {loaded.state === 'refused' && loaded.refusal.code === 'forbidden' && (
          <p>Only admins see the changes of all agents. You can undo your own in the margin of each note.</p>
        )}
        {loaded.state === 'refused' && loaded.refusal.code !== 'forbidden' && (
          <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
        )}
        {loaded.state === 'ready' && isWhole && agents.length === 0 && (
          <p className="quiet">No agent has changed anything here yet.</p>
        )}
        {!isWhole && (
          <p className="quiet">
            This page knows the last {entries.length.toLocaleString()} changes of agents, since{' '}
            {new Date(entries.at(-1)!.at).toLocaleString()}. Older ones are in the history of each note.
          </p>
        )}
        {agents.length > 0 && (
          <ul className="plain-list" aria-label="Agents">
            {agents.map((agent) => (
              <Agent
                key={`${agent.name} ${agent.person?.id}`}
                agent={agent}
                isWhole={isWhole}
                onUndo={(since) => undo({ agent, since })}
              />
            ))}
          </ul>
        )}
        {changes.length > 0 && (
          <>
            <h2>What they did</h2>
            <ul className="plain-list" aria-label="What they did">
              {changes.slice(0, SHOWN).map((change) => (
                <Change
                  key={`${change.at} ${change.path} ${change.tool}`}
                  change={change}
                  onUndo={() =>
                    undo({
                      agent: { name: change.client!, person: change.person },
                      since: justBefore(change.at),
                      path: change.to ?? change.path,
                    })
                  }
                />
              ))}
            </ul>
            {changes.length > SHOWN && (
              <p className="quiet">
                These are the latest {SHOWN} of {counted(changes.length, 'change')}.
              </p>
            )}
          </>
        )}
      </div>
      {wish && <UndoDialog {...wish} onClose={() => undo(undefined)} onDone={reload} />}
    </div>
  )
}

function Agent({ agent, isWhole, onUndo }: { agent: AgentWork; isWhole: boolean; onUndo: (since: string) => void }) {
  const { name, person, changes, notes } = agent
  const newest = new Date(changes[0]!.at)
  const offer = undoOffer(agent, { isWhole, now: systemClock.now() })
  return (
    <li className="ledger-row agent-row">
      <p className="ledger-margin">
        <time dateTime={changes[0]!.at} title={newest.toLocaleString()}>
          {ago(newest, systemClock.now())}
        </time>
        {person !== undefined && <span>for {person.name}</span>}
      </p>
      <div className="ledger-main">
        <span className="agent-mark" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
        <span className="ledger-name">{name}</span>
        <span className="quiet">
          {counted(changes.length, 'change')} in {counted(notes, 'note')}
        </span>
        <button type="button" className="button" onClick={() => onUndo(offer.since)}>
          {offer.name}
        </button>
      </div>
    </li>
  )
}

function Change({ change, onUndo }: { change: AuditEntry; onUndo: () => void }) {
  const { navigation } = useServices()
  const { vault } = useVault()
  const at = new Date(change.at)
  const path = change.to ?? change.path
  return (
    <li className="ledger-row agent-row">
      <p className="ledger-margin">
        <time dateTime={change.at} title={at.toLocaleString()}>
          {ago(at, systemClock.now())}
        </time>
        {change.person !== undefined && <span>for {change.person.name}</span>}
      </p>
      <div className="ledger-main">
        <span className="ledger-name">
          {change.client} {did[change.tool] ?? 'changed'} {path}
        </span>
        <button
          type="button"
          className="button"
          aria-label={`See the change of ${path}`}
          onClick={() => navigation.open({ vaultId: vault.id, path, view: 'history' })}
        >
          See the change
        </button>
        <button type="button" className="button" aria-label={`Undo the change of ${path}`} onClick={onUndo}>
          Undo
        </button>
      </div>
    </li>
  )
}

const did: Record<string, string> = {
  create_note: 'wrote',
  delete_note: 'deleted',
  move_note: 'moved',
  write_attachment: 'stored',
}
